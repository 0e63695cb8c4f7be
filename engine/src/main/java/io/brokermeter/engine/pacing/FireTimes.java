package io.brokermeter.engine.pacing;

import io.brokermeter.engine.scenario.Arrivals;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Rate;

/**
 * When each event is due: a pure function of its index. Nothing accumulates, so the billionth event has no drift, and
 * any share of the indices can be fired by any thread without the threads knowing of each other.
 */
@FunctionalInterface
public interface FireTimes {

    /** The moment of an event that will never be due. */
    long NEVER = Long.MAX_VALUE;

    /**
     * Nanoseconds after the start at which event {@code index} (0, 1, 2...) is due; never decreases with the index.
     * {@link #NEVER} when the schedule ends before it.
     */
    long at(long index);

    /**
     * The same schedule for use by one more thread, since {@link #at} may keep what it worked out for the next call.
     *
     * @param places how many places of the schedule that thread goes back and forth between
     */
    default FireTimes forAnotherThread(int places) {
        return this;
    }

    /** The schedule of a load. */
    static FireTimes of(Load load) {
        return switch (load) {
            case Load.Constant constant -> constant(constant.rate());
            case Load.Steps steps -> new StepTimes(steps.stretches());
            case Load.Sine sine -> new SineTimes(sine.mean(), sine.amplitude(), sine.period());
            case Load.Bursts bursts -> new BurstTimes(bursts.rate(), bursts.on(), bursts.off());
            case Load.Poisson poisson -> new PoissonTimes(poisson.mean(), poisson.seed());
            case Load.Trace trace -> trace(trace.arrivals());
            case Load.AllOut ignored -> throw new IllegalArgumentException("Sending as fast as possible has no schedule.");
            case Load.Silence ignored -> index -> NEVER;
        };
    }

    /** Events evenly spaced at {@code rate}: floor(index x 1e9 x seconds / events), exact in integers. */
    static FireTimes constant(Rate rate) {
        long events = rate.events();
        long cycle = Math.multiplyExact(rate.seconds(), 1_000_000_000L);
        return index -> index / events * cycle + index % events * cycle / events;
    }

    /** The moments of a recording; none after its last. */
    static FireTimes trace(Arrivals arrivals) {
        return index -> index < arrivals.count() ? arrivals.at((int) index) : NEVER;
    }
}
