package io.brokermeter.live;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;

import io.brokermeter.engine.run.faults.FaultPlayer;
import io.brokermeter.engine.run.send.RateChange;
import io.brokermeter.engine.scenario.Fault;

/**
 * Controls of no run: its rate can only be raised, and its next fault is the third.
 *
 * @param onEnd does and returns what ending the run does
 * @param rates the changes of the rate that were wanted
 */
record MadeControls(BooleanSupplier onEnd, List<Integer> rates) implements RunControls {

    MadeControls(BooleanSupplier onEnd) {
        this(onEnd, new CopyOnWriteArrayList<>());
    }

    @Override
    public boolean end() {
        return onEnd.getAsBoolean();
    }

    @Override
    public RateChange rate(int percent) {
        rates.add(percent);
        return percent > 0 ? RateChange.DONE : RateChange.TOO_LATE;
    }

    @Override
    public boolean hasRate() {
        return false;
    }

    @Override
    public FaultPlayer.Next nextFault() {
        return new FaultPlayer.Next(3, Fault.parse("kill broker at 20s for 10s"));
    }

    @Override
    public FaultPlayer.Played fault(int number) {
        return number == 3 ? FaultPlayer.Played.NOW : FaultPlayer.Played.NO_MORE;
    }
}
