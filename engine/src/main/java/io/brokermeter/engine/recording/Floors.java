package io.brokermeter.engine.recording;

import java.util.stream.Stream;

import io.brokermeter.engine.health.OwnStalls;
import io.brokermeter.engine.scenario.measure.Metric;

/**
 * What the generator's own stalls did to the times of a run.
 *
 * @param stalls the stalls
 * @param scheduled whether the run had moments at which messages were due
 */
public record Floors(OwnStalls stalls, boolean scheduled) {

    /** The part of a share of slow messages that stalls of a share explain: a stall is seen shorter than it is, and delays what follows. */
    private static final double ALSO_AFTER = 1.25;

    private boolean isSinceDue(Metric metric) {
        return switch (metric) {
            case SEND_DELAY, RESPONSE -> scheduled;
            case LATE_DELIVERY -> true;
            case SEND, TRANSFER, ROUND_TRIP, HANDLER -> false;
        };
    }

    /**
     * Returns the value that the stalls alone would have made of a percentile, in nanoseconds, at most the percentile itself; 0 if they made
     * too few messages wait.
     *
     * @param percentile percentile from 0 to 100, where 100 is the largest value
     */
    public double nanos(Metric metric, Distribution d, double percentile) {
        return Math.min(d.nanosAt(percentile), 1e6 * stalls.floorMillis(d.histogram(), percentile, isSinceDue(metric)));
    }

    /**
     * Returns whether the stalls explain the value of a percentile, so that it may be the generator's and not the broker's. Where they are
     * most of a percentile below it, they do: what had to wait is sent at once, and waits for itself.
     */
    public boolean isMarked(Metric metric, Distribution d, double percentile) {
        return OwnStalls.explains(nanos(metric, d, percentile), d.nanosAt(percentile), d.nanosAt(50))
            || isMostlyStalls(metric, d, percentile);
    }

    /** Returns whether the stalls are half of a percentile or of a printed one below it. */
    boolean isMostlyStalls(Metric metric, Distribution d, double percentile) {
        return Stream.concat(Distribution.PERCENTILES.stream().filter(one -> one < percentile), Stream.of(percentile))
            .anyMatch(one -> nanos(metric, d, one) > 0 && nanos(metric, d, one) >= d.nanosAt(one) / 2.0);
    }

    /** Returns whether a percentile would have been at most a limit, in microseconds, without the messages that the stalls alone delayed. */
    boolean wouldHaveKept(Metric metric, Distribution d, double percentile, double limitMicros) {
        long limit = Math.round(Math.min(limitMicros, 1e12) * 1e3);
        if (limit < d.nanosAt(50)) {
            return false;
        }
        double slower = 1 - (double) d.histogram().getCountBetweenValues(0, limit) / d.count();
        double own = stalls.shareBeyond((limit - d.nanosAt(50)) / 1e6, d.histogram(), isSinceDue(metric));
        return own > 0 && slower - ALSO_AFTER * own <= 1 - percentile / 100;
    }
}
