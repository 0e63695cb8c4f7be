package io.brokermeter.cluster.clock;

import java.util.Locale;

/**
 * The coordinator's clock as a line of the agent's: what a process on the agent's host needs to tell the coordinator's time. Any process of the
 * host may use it, since on Linux {@link System#nanoTime()} is the same clock in all of them.
 *
 * @param at a moment by the agent's clock, nanoseconds
 * @param coordinator the coordinator's clock at that moment, nanoseconds
 * @param rate how many seconds the coordinator's clock gains on the agent's in one of its seconds: 1e-6 is 1 ppm
 * @param bound the most that {@link #coordinator(long)} is wrong, nanoseconds, at that moment and until the next line is there
 */
public record ClockLine(long at, long coordinator, double rate, long bound) {

    /** The line of a process on the coordinator's own host. */
    public static final ClockLine SAME = new ClockLine(0, 0, 0, 0);

    /** A difference up to this is slewed away, nanoseconds; a greater one is a jump. */
    public static final long MOST_SLEWED = 1_000_000;

    /** How long slewing takes, nanoseconds. */
    public static final long SLEWING = 1_000_000_000L;

    private static final int PARTS = 4;

    /** Refuses a rate with which time would stand still or run twice as fast. */
    public ClockLine {
        if (!(Math.abs(rate) < 0.5) || bound < 0) {
            throw new IllegalArgumentException("rate " + rate + ", bound " + bound);
        }
    }

    /**
     * The line that an estimate is. Its bound is wider than that of the estimate by what drift can make of it meanwhile.
     *
     * @param holds how long after its moment the bound is to hold, nanoseconds
     */
    static ClockLine of(Offset offset, long holds) {
        return new ClockLine(offset.at(), offset.coordinator(), -offset.drift(),
            offset.bound() + (long) Math.ceil(holds * (offset.driftBound() + OffsetBand.WANDER)));
    }

    /** The coordinator's clock when the agent's shows that. It never falls while the agent's clock rises. */
    public long coordinator(long agent) {
        long since = agent - at;
        return coordinator + since + Math.round(rate * since);
    }

    /** The agent's clock when the coordinator's shows that, to the nanosecond. */
    public long agent(long coordinator) {
        long since = coordinator - this.coordinator;
        return at + Math.round(since / (1 + rate));
    }

    /**
     * The line to go on with when a new one has come. Up to a difference of {@link #MOST_SLEWED} it begins where this one is, so time
     * neither jumps nor runs backwards, and meets the new one {@link #SLEWING} later; the rate changes by at most a thousandth for that. With a greater
     * difference, which only a step of a clock makes, or the first lines, it is the new one: a jump, forwards or backwards, by that difference.
     *
     * <p>Its bound is that of the new line and the difference together, so it is true at every moment of the way.
     *
     * @param target the new line
     * @param now the moment to change, by the agent's clock
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

    /** Four numbers with a space between them: at, coordinator, rate, bound. Nothing is lost. */
    public String text() {
        return at + " " + coordinator + " " + rate + " " + bound;
    }

    /**
     * Reads {@link #text}.
     *
     * @throws IllegalArgumentException for anything else
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
