package io.brokermeter.engine.run;

import java.util.concurrent.atomic.AtomicLong;

/** How many messages a group of consumers may take altogether. Any thread. */
final class Quota {

    private final long count;
    private final AtomicLong asked = new AtomicLong();

    Quota(long count) {
        this.count = count;
    }

    /** Whether one more may be taken, which counts as taken then. */
    boolean take() {
        return asked.get() < count && asked.getAndIncrement() < count;
    }

    boolean isUsedUp() {
        return asked.get() >= count;
    }

    long taken() {
        return Math.min(count, asked.get());
    }
}
