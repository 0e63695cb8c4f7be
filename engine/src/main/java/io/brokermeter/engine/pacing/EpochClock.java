package io.brokermeter.engine.pacing;

import java.time.Instant;

/**
 * The clock of a run: nanoseconds since the epoch that never step. It is {@link System#nanoTime()} plus an offset that is
 * determined once, so it is as fine and as cheap as the monotonic clock. Two processes on one host differ by the error of
 * reading the offset (well below a microsecond), unless the wall clock was set between their starts; processes on two hosts
 * differ by the difference of the clocks of the hosts. A process that follows the clock of another one (see {@link #follow})
 * may step back when it gets a new offset.
 */
public final class EpochClock {

    /**
     * The name of the system property that makes this process follow the clock of another machine, whose offset {@link #follow} sets.
     * It is read when the class is loaded, so that the JIT compiler removes the code for it in other processes.
     */
    public static final String FOLLOWS = "brokermeter.clock.follows";

    private static final boolean FOLLOWING = Boolean.getBoolean(FOLLOWS);
    private static final long OFFSET = offset();
    /** The present offset from {@link System#nanoTime()} and its drift. Written by one thread, read by all. */
    private static volatile Line line = new Line(0, 0, 0, OFFSET);

    /** Another process's clock, as {@link #follow} describes it. */
    record Line(long at, long offset, double drift, long zero) {

        /** Returns nanoseconds since the epoch by that clock at a value of {@link System#nanoTime()} in this process. */
        long read(long now) {
            return now + offset + zero + (long) ((now - at) * drift);
        }
    }

    private EpochClock() {}

    /** Returns nanoseconds since the epoch. */
    public static long nanos() {
        long now = System.nanoTime();
        if (FOLLOWING) {
            return line.read(now);
        }
        return now + OFFSET;
    }

    /**
     * Makes this process follow the clock of another one from now on. If the new line is below the one before, the clock steps back by
     * the difference, so calls should follow each other closely.
     *
     * @param at a value of {@link System#nanoTime()} in this process
     * @param offset value of {@code nanoTime()} in the other process minus that in this process, at that moment
     * @param drift growth of the offset per nanosecond
     * @param zero the {@link #zero()} of the other process
     * @throws IllegalStateException if this process was not started with {@link #FOLLOWS}
     */
    public static void follow(long at, long offset, double drift, long zero) {
        if (!FOLLOWING) {
            throw new IllegalStateException("This process goes by its own clock.");
        }
        line = new Line(at, offset, drift, zero);
    }

    /**
     * Returns the moment at which {@link System#nanoTime()} was zero, in nanoseconds since the epoch. Two processes of one host agree
     * to within a few microseconds, unless the wall clock was set between their starts; processes of two hosts hardly ever agree.
     */
    public static long zero() {
        return FOLLOWING ? line.zero : OFFSET;
    }

    /** Returns the instant that a value of {@link #nanos()} stands for. */
    public static Instant instant(long epochNanos) {
        return Instant.ofEpochSecond(Math.floorDiv(epochNanos, 1_000_000_000L), Math.floorMod(epochNanos, 1_000_000_000L));
    }

    /** Returns the offset from the reading in which the monotonic clock advanced least around the wall clock. */
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
