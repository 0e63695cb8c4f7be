package io.brokermeter.engine.pacing;

import java.time.Instant;

/**
 * The one clock of a run: nanoseconds since the epoch that never step. It is {@link System#nanoTime()} plus an offset
 * taken once, so it is as fine and as cheap as the monotonic clock. Two processes on one host differ by the error of
 * reading the offset (well below a microsecond), unless the wall clock was set between their starts; two hosts
 * differ by what their clocks differ.
 */
public final class EpochClock {

    /**
     * Whether this process goes by the clock of another machine, whose offset it gets from outside. Known when the class is loaded, so that the JIT compiler
     * leaves all of that out elsewhere.
     */
    public static final String FOLLOWS = "brokermeter.clock.follows";

    private static final boolean FOLLOWING = Boolean.getBoolean(FOLLOWS);
    private static final long OFFSET = offset();
    /** What is added to {@link System#nanoTime()} at a moment, and how that grows. Written by one thread, read by all. */
    private static volatile Line line = new Line(0, OFFSET, 0, OFFSET);

    private record Line(long at, long offset, double drift, long zero) {}

    private EpochClock() {}

    /** Nanoseconds since the epoch. */
    public static long nanos() {
        long now = System.nanoTime();
        if (FOLLOWING) {
            Line its = line;
            return now + its.offset + (long) ((now - its.at) * its.drift);
        }
        return now + OFFSET;
    }

    /**
     * From now on this process goes by the clock of another one. A step back is as long as the other line is lower, so lines should follow each other
     * closely.
     *
     * @param at a value of {@link System#nanoTime()} here
     * @param offset value of {@code nanoTime()} there minus that here, at that moment
     * @param drift how much the offset grows in a nanosecond
     * @param zero the {@link #zero()} there
     * @throws IllegalStateException when this process was not started with {@link #FOLLOWS}
     */
    public static void follow(long at, long offset, double drift, long zero) {
        if (!FOLLOWING) {
            throw new IllegalStateException("This process goes by its own clock.");
        }
        line = new Line(at, offset + zero, drift, zero);
    }

    /**
     * When {@link System#nanoTime()} was zero, nanoseconds since the epoch. Two processes of one host have the same to within a
     * few microseconds, unless the wall clock was set between their starts; those of two hosts hardly ever have.
     */
    public static long zero() {
        return FOLLOWING ? line.zero : OFFSET;
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
