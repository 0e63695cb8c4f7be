package io.brokermeter.spi;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The end of a wait, by elapsed time of which at most 100 ms count per call: a standstill of this process or of the machine, in which no
 * broker could answer, does not use up the limit. For loops that call it at least every 100 ms. Used by one thread at a time.
 */
public final class AwakeDeadline {

    private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final long limit;
    private final LongSupplier clock;
    private long before;
    private long waited;

    /** Begins to wait now, for at most {@code limit} nanoseconds. */
    public AwakeDeadline(long limit) {
        this(limit, System::nanoTime);
    }

    /** @param clock the time in nanoseconds */
    AwakeDeadline(long limit, LongSupplier clock) {
        this.limit = limit;
        this.clock = clock;
        this.before = clock.getAsLong();
    }

    /** Counts the time since the last call, and returns the counted time since the beginning in nanoseconds. */
    public long waited() {
        long now = clock.getAsLong();
        waited += Math.min(now - before, LONGEST_NANOS);
        before = now;
        return waited;
    }

    /** Counts like {@link #waited}, and returns the nanoseconds that are left; 0 or less after the deadline. */
    public long left() {
        return limit - waited();
    }

    /** Counts like {@link #waited}, and returns whether the deadline has passed. */
    public boolean isOver() {
        return left() <= 0;
    }
}
