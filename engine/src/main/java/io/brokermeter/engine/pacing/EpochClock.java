package io.brokermeter.engine.pacing;

import java.time.Instant;

/**
 * The one clock of a run: nanoseconds since the epoch that never step. It is {@link System#nanoTime()} plus an offset
 * taken once, so it is as fine and as cheap as the monotonic clock. Two processes on one host differ by the error of
 * reading the offset (well below a microsecond), unless the wall clock was set between their starts; two hosts
 * differ by what their clocks differ.
 */
public final class EpochClock {

    private static final long OFFSET = offset();

    private EpochClock() {}

    /** Nanoseconds since the epoch. */
    public static long nanos() {
        return System.nanoTime() + OFFSET;
    }

    /**
     * When {@link System#nanoTime()} was zero, nanoseconds since the epoch. Two processes of one host have the same to within a
     * few microseconds, unless the wall clock was set between their starts; those of two hosts hardly ever have.
     */
    public static long zero() {
        return OFFSET;
    }

    /** The instant that a value of {@link #nanos()} stands for. */
    public static Instant instant(long epochNanos) {
        return Instant.ofEpochSecond(Math.floorDiv(epochNanos, 1_000_000_000L), Math.floorMod(epochNanos, 1_000_000_000L));
    }

    /** Reads both clocks until the monotonic one moved least around the wall clock: the tightest bracket wins. */
    private static long offset() {
        long best = Long.MAX_VALUE;
        long offset = 0;
        for (int i = 0; i < 2_000; i++) {
            long before = System.nanoTime();
            Instant wall = Instant.now();
            long after = System.nanoTime();
            if (after - before < best) {
                best = after - before;
                offset = wall.getEpochSecond() * 1_000_000_000L + wall.getNano() - (before + (after - before) / 2);
            }
        }
        return offset;
    }
}
