package io.brokermeter.spi;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The time that somebody has waited, counted in looks at what is waited for. Of each look at most 100 ms count: a standstill of this process
 * or of the machine, in which no broker could answer, uses up little of a limit. Used by one thread.
 */
public final class Looks {

    private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final LongSupplier clock;
    private long before;
    private long counted;

    /** Begins to count now. */
    public Looks() {
        this(System::nanoTime);
    }

    /** @param clock the time in nanoseconds */
    Looks(LongSupplier clock) {
        this.clock = clock;
        this.before = clock.getAsLong();
    }

    /** Counts the time since the last look, and returns the counted time since the first one in nanoseconds. */
    public long look() {
        long now = clock.getAsLong();
        counted += Math.min(now - before, LONGEST_NANOS);
        before = now;
        return counted;
    }
}
