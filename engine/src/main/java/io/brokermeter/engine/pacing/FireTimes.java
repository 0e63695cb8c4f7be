package io.brokermeter.engine.pacing;

import io.brokermeter.engine.scenario.Rate;

/**
 * When each event is due: a pure function of its index. Nothing accumulates, so the billionth event has no drift, and
 * any share of the indices can be fired by any thread without the threads knowing of each other.
 */
@FunctionalInterface
public interface FireTimes {

    /** Nanoseconds after the start at which event {@code index} (0, 1, 2...) is due; never decreases with the index. */
    long at(long index);

    /** Events evenly spaced at {@code rate}: floor(index x 1e9 x seconds / events), exact in integers. */
    static FireTimes constant(Rate rate) {
        long events = rate.events();
        long cycle = Math.multiplyExact(rate.seconds(), 1_000_000_000L);
        return index -> index / events * cycle + index % events * cycle / events;
    }
}
