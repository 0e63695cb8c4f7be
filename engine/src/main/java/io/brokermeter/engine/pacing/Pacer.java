package io.brokermeter.engine.pacing;

import java.util.function.BooleanSupplier;

import io.brokermeter.engine.scenario.Pacing;

/**
 * Waits for a moment. Used by one thread. A wait returns early if the thread is unparked, so callers must check what they
 * waited for.
 */
public final class Pacer {

    /** The shortest time to park, in nanoseconds; for a shorter time a park would return later than spinning. */
    private static final long SHORTEST_PARK = 2_000;

    private final Clock clock;
    private final long spin;

    private Pacer(Clock clock, long spin) {
        this.clock = clock;
        this.spin = spin;
    }

    /**
     * Creates a pacer for one of {@code senders} sending threads on {@code processors} processors. {@link Pacing#AUTO} spins only
     * if there are enough processors: one for each sender, one for the reader of its client, and two for everything else.
     */
    public static Pacer of(Pacing pacing, int senders, int processors, Clock clock) {
        return switch (pacing) {
            case AUTO -> of(processors >= 2 * senders + 2 ? Pacing.HYBRID : Pacing.PARK, senders, processors, clock);
            case PARK -> new Pacer(clock, 0);
            case HYBRID -> new Pacer(clock, 60_000);
            case SPIN -> new Pacer(clock, Long.MAX_VALUE);
        };
    }

    /** Whether it spins for at least the end of a wait. */
    public boolean spins() {
        return spin > 0;
    }

    /**
     * Waits until the clock reads {@code deadline} or this thread is unparked. An unpark does not end spinning, but
     * {@code stopped} does.
     *
     * @return the last reading of the clock
     */
    public long await(long deadline, BooleanSupplier stopped) {
        long now = clock.nanos();
        long left = deadline - now;
        if (left > spin && left > SHORTEST_PARK) {
            clock.park(left - spin);
            now = clock.nanos();
        }
        while (spin > 0 && deadline - now > 0 && deadline - now <= spin && !stopped.getAsBoolean()) {
            Thread.onSpinWait();
            now = clock.nanos();
        }
        return now;
    }
}
