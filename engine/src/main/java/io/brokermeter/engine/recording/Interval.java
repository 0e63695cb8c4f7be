package io.brokermeter.engine.recording;

import java.util.Map;
import java.util.function.Consumer;

import io.brokermeter.engine.scenario.measure.Metric;
import org.jspecify.annotations.Nullable;

/**
 * One reporting interval. Counts are those of events that happened in the interval, whose end is the moment at which the counts were
 * read; a sample belongs to the phase in which its message was intended to be sent.
 *
 * @param index 0 for the first interval
 * @param warmup whether the interval began in the warm-up phase
 * @param startEpochNanos start, in nanoseconds since the epoch
 * @param endEpochNanos end, in nanoseconds since the epoch
 * @param elapsedNanos end of the interval since the run's start
 * @param counts what happened in the interval; what is known at the end of a run alone, as unconfirmed sends, is not in it
 * @param measured distributions of messages intended after the warm-up
 * @param warmupSamples distributions of messages intended during the warm-up
 * @param phase name of the phase in which the interval began; empty if the run has no named phases
 * @param broker sample of the broker, or null if there is none
 */
public record Interval(
        int index, boolean warmup, long startEpochNanos, long endEpochNanos, long elapsedNanos, Counts counts,
        Map<Metric, Distribution> measured, Map<Metric, Distribution> warmupSamples, String phase, @Nullable BrokerSample broker)
        implements
            HasCounts {

    /** Mutable components of an {@link Interval}. */
    public static final class Values extends HasCounts.Values {

        public int index;
        public boolean warmup;
        public long startEpochNanos;
        public long endEpochNanos;
        public long elapsedNanos;
        public Map<Metric, Distribution> measured = Map.of();
        public Map<Metric, Distribution> warmupSamples = Map.of();
        public String phase = "";
        public @Nullable BrokerSample broker;

        private Values() {}
    }

    /** Creates an instance from the components that {@code change} sets. */
    public static Interval of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new Interval(its.index, its.warmup, its.startEpochNanos, its.endEpochNanos, its.elapsedNanos, its.counts,
            its.measured, its.warmupSamples, its.phase, its.broker);
    }

    /** Returns the length of the interval in seconds. */
    public double seconds() {
        return (endEpochNanos - startEpochNanos) / 1e9;
    }
}
