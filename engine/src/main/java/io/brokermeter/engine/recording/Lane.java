package io.brokermeter.engine.recording;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;
import org.jspecify.annotations.Nullable;

/**
 * Where one thread puts the samples of one metric: two recorders, for messages intended in the warm-up and after it, and
 * counters for what a histogram cannot hold. {@link #record} never waits and never allocates.
 *
 * <p>One thread at a time may record. The reader is another single thread.
 */
public final class Lane {

    /** The highest value that is kept apart; what is above is recorded as this and counted as clamped. One hour. */
    public static final long HIGHEST = 3_600_000_000_000L;
    static final int DIGITS = 3;

    private final SingleWriterRecorder measured = new SingleWriterRecorder(1, HIGHEST, DIGITS);
    private final @Nullable SingleWriterRecorder warmup;
    private final Counter negative = new Counter();
    private final Counter clamped = new Counter();
    private @Nullable Histogram measuredInterval;
    private @Nullable Histogram warmupInterval;
    private long negativeRead;
    private long clampedRead;

    /** A lane; without {@code warmup} samples of that phase are not expected and join the measured ones. */
    public Lane(boolean warmup) {
        this.warmup = warmup ? new SingleWriterRecorder(1, HIGHEST, DIGITS) : null;
    }

    /** Records a sample in nanoseconds. */
    public void record(long nanos, boolean inWarmup) {
        long value = nanos;
        if (value < 0) {
            negative.increment();
            return;
        }
        if (value > HIGHEST) {
            clamped.increment();
            value = HIGHEST;
        }
        SingleWriterRecorder recorder = inWarmup && warmup != null ? warmup : measured;
        recorder.recordValue(value);
    }

    /** Takes the measured samples since the last call and adds them to {@code into}; reader thread only. */
    void drainMeasured(Histogram into) {
        measuredInterval = measured.getIntervalHistogram(measuredInterval);
        into.add(measuredInterval);
    }

    /** Takes the warm-up samples since the last call and adds them to {@code into}; reader thread only. */
    void drainWarmup(Histogram into) {
        if (warmup != null) {
            warmupInterval = warmup.getIntervalHistogram(warmupInterval);
            into.add(warmupInterval);
        }
    }

    /** Samples below zero since the last call. */
    long drainNegative() {
        long now = negative.get();
        long drained = now - negativeRead;
        negativeRead = now;
        return drained;
    }

    /** Samples above {@link #HIGHEST} since the last call. */
    long drainClamped() {
        long now = clamped.get();
        long drained = now - clampedRead;
        clampedRead = now;
        return drained;
    }
}
