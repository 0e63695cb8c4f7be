package io.brokermeter.engine.pacing;

import io.brokermeter.engine.scenario.Arrivals;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Rate;

/**
 * A schedule: the time at which each event is due, as a pure function of its index. Nothing accumulates, so the billionth
 * event has no drift, and any thread can fire any share of the indices without the threads knowing of each other.
 */
@FunctionalInterface
public interface FireTimes {

    /** The time of an event that is never due. */
    long NEVER = Long.MAX_VALUE;

    /**
     * Returns the time after the start at which event {@code index} (0, 1, 2...) is due, in nanoseconds; {@link #NEVER} if
     * the schedule ends before it. The time never decreases with the index.
     */
    long at(long index);

    /**
     * Returns the same schedule for use by one more thread, since {@link #at} may keep results for the next call.
     *
     * @param places number of places in the schedule between which that thread goes back and forth
     */
    default FireTimes forAnotherThread(int places) {
        return this;
    }

    /** Returns the schedule of a load. */
    static FireTimes of(Load load) {
        return switch (load) {
            case Load.Constant constant -> constant(constant.rate());
            case Load.Steps steps -> new StepTimes(steps.steps());
            case Load.Sine sine -> new SineTimes(sine.mean(), sine.amplitude(), sine.period());
            case Load.Bursts bursts -> new BurstTimes(bursts.rate(), bursts.on(), bursts.off());
            case Load.Poisson poisson -> new PoissonTimes(poisson.mean(), poisson.seed());
            case Load.Trace trace -> trace(trace.arrivals());
            case Load.AllOut ignored -> throw new IllegalArgumentException("Sending as fast as possible has no schedule.");
            case Load.Silence ignored -> index -> NEVER;
        };
    }

    /** Returns a schedule of evenly spaced events: floor(index x 1e9 x seconds / events), exact in integers. */
    static FireTimes constant(Rate rate) {
        long events = rate.events();
        long cycle = Math.multiplyExact(rate.seconds(), 1_000_000_000L);
        return index -> index / events * cycle + index % events * cycle / events;
    }

    /** Returns the schedule of a recording, which ends with its last event. */
    static FireTimes trace(Arrivals arrivals) {
        return index -> index < arrivals.count() ? arrivals.at((int) index) : NEVER;
    }
}
