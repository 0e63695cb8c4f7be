package io.brokermeter.engine.recording;

import java.util.concurrent.atomic.AtomicReferenceArray;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;
import org.jspecify.annotations.Nullable;

/**
 * Where one thread puts the samples of one metric: a recorder for each phase of the run, and counters for what a histogram
 * cannot hold. {@link #record} never waits, and allocates at the first sample of a phase only.
 *
 * <p>One thread at a time may record. The reader is another single thread.
 */
public final class Lane {

    /** The highest value that is kept apart; what is above is recorded as this and counted as clamped. One hour. */
    public static final long HIGHEST = 3_600_000_000_000L;
    static final int DIGITS = 3;

    private final AtomicReferenceArray<@Nullable SingleWriterRecorder> recorders;
    private final Counter negative = new Counter();
    private final Counter clamped = new Counter();
    private @Nullable Histogram interval;
    private long negativeRead;
    private long clampedRead;

    /** A lane for a run of so many phases, the warm-up included. */
    public Lane(int phases) {
        recorders = new AtomicReferenceArray<>(phases);
        recorders.setPlain(0, new SingleWriterRecorder(1, HIGHEST, DIGITS));
    }

    /** Records a sample in nanoseconds. */
    public void record(long nanos, int phase) {
        long value = nanos;
        if (value < 0) {
            negative.increment();
            return;
        }
        if (value > HIGHEST) {
            clamped.increment();
            value = HIGHEST;
        }
        SingleWriterRecorder recorder = recorders.getPlain(phase);
        if (recorder == null) {
            recorder = new SingleWriterRecorder(1, HIGHEST, DIGITS);
            recorders.setRelease(phase, recorder);
        }
        recorder.recordValue(value);
    }

    /** Takes the samples of a phase since the last call, valid until the next call of any phase; reader thread only. */
    @Nullable Histogram drain(int phase) {
        SingleWriterRecorder recorder = recorders.getAcquire(phase);
        if (recorder == null) {
            return null;
        }
        // A histogram of one recorder serves another as well: all have the same range.
        interval = recorder.getIntervalHistogram(interval, false);
        return interval;
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
