package io.brokermeter.cluster.clock;

import java.util.Locale;

/**
 * The coordinator's clock as a linear function of the agent's: all that a process on the agent's host needs to compute the coordinator's
 * time. Any process of the host may use it, since on Linux {@link System#nanoTime()} is the same clock in all of them.
 *
 * @param at a moment by the agent's clock, nanoseconds
 * @param coordinator the coordinator's clock at that moment, nanoseconds
 * @param rate seconds that the coordinator's clock gains on the agent's per second of the agent's: 1e-6 is 1 ppm
 * @param bound the greatest error of {@link #coordinator(long)}, nanoseconds, at that moment and until the next line is there
 */
public record ClockLine(long at, long coordinator, double rate, long bound) {

    /** The line of a process on the coordinator's own host, where both clocks are the same. */
    public static final ClockLine SAME = new ClockLine(0, 0, 0, 0);

    /** The greatest difference that is slewed away, nanoseconds; a greater one is a jump. */
    public static final long MOST_SLEWED = 1_000_000;

    /** The time that slewing takes, nanoseconds. */
    public static final long SLEWING = 1_000_000_000L;

    private static final int PARTS = 4;

    /** Refuses a rate that is not between -0.5 and 0.5, and a negative bound. */
    public ClockLine {
        if (!(Math.abs(rate) < 0.5) || bound < 0) {
            throw new IllegalArgumentException("rate " + rate + ", bound " + bound);
        }
    }

    /**
     * Creates the line of an estimate. Its bound is wider than that of the estimate by as much as drift can add meanwhile.
     *
     * @param holds the time after the moment of the estimate for which the bound is to hold, nanoseconds
     */
    static ClockLine of(Offset offset, long holds) {
        return new ClockLine(offset.at(), offset.coordinator(), -offset.drift(),
            offset.bound() + (long) Math.ceil(holds * (offset.driftBound() + OffsetBand.WANDER)));
    }

    /**
     * Returns the coordinator's clock at the moment at which the agent's clock shows {@code agent}. Never falls while the agent's clock
     * rises.
     */
    public long coordinator(long agent) {
        long since = agent - at;
        return coordinator + since + Math.round(rate * since);
    }

    /** Returns the agent's clock at the moment at which the coordinator's clock shows {@code coordinator}, to the nanosecond. */
    public long agent(long coordinator) {
        long since = coordinator - this.coordinator;
        return at + Math.round(since / (1 + rate));
    }

    /**
     * Returns the line to continue with when a new one has been made. If both differ by at most {@link #MOST_SLEWED}, it begins where this
     * one is, so time neither jumps nor runs backwards, and meets the new one {@link #SLEWING} later; the rate changes by at most a
     * thousandth for that. If they differ by more, which happens with the first lines or after a step of a clock, it is the new one: a
     * jump, forwards or backwards, by the difference.
     *
     * <p>Its bound is the sum of the new line's bound and the difference, so it holds at every moment until the lines meet.
     *
     * @param target the new line
     * @param now the moment of the change, by the agent's clock
     */
    public ClockLine follow(ClockLine target, long now) {
        long here = coordinator(now);
        long there = target.coordinator(now);
        long difference = there - here;
        if (difference > MOST_SLEWED || difference < -MOST_SLEWED) {
            return new ClockLine(now, there, target.rate, target.bound);
        }
        return new ClockLine(now, here, target.rate + (double) difference / SLEWING, target.bound + Math.abs(difference));
    }

    /** Returns four numbers separated by spaces: at, coordinator, rate, bound. No precision is lost. */
    public String text() {
        return at + " " + coordinator + " " + rate + " " + bound;
    }

    /**
     * Parses the form that {@link #text} returns.
     *
     * @throws IllegalArgumentException for any other text
     */
    public static ClockLine parse(String text) {
        String[] parts = text.strip().split(" ");
        if (parts.length != PARTS) {
            throw new IllegalArgumentException("not a line of a clock: " + text);
        }
        return new ClockLine(Long.parseLong(parts[0]), Long.parseLong(parts[1]), Double.parseDouble(parts[2]), Long.parseLong(parts[3]));
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "coordinator %d at %d, %+.3f ppm, +-%.1f us", coordinator, at, rate * 1e6, bound / 1e3);
    }
}
