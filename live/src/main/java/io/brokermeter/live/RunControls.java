package io.brokermeter.live;

import io.brokermeter.engine.run.faults.FaultPlayer;
import io.brokermeter.engine.run.send.RateChange;
import org.jspecify.annotations.Nullable;

/** What those who watch a run may do to it. Any thread may call its methods. */
public interface RunControls {

    /** Requests a clean end of the run; returns false when there is nothing to end yet. */
    boolean end();

    /** Changes the rate of the run by some percent of what it is; returns what became of that. */
    RateChange rate(int percent);

    /** Returns whether the rate of this run can be changed while it goes on; false as long as that is not known. */
    boolean hasRate();

    /** Returns the fault of the scenario that comes next; null if there is none, or the load does not go on. */
    FaultPlayer.@Nullable Next nextFault();

    /** Plays the next fault now instead of at its moment, if it has this number in the scenario; returns what became of that. */
    FaultPlayer.Played fault(int number);
}
