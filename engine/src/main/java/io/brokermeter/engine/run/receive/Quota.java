package io.brokermeter.engine.run.receive;

import java.util.concurrent.atomic.AtomicLong;

/** The number of messages that a group of consumers may take in total. Safe for use by several threads. */
public final class Quota {

    private final long count;
    private final AtomicLong asked = new AtomicLong();

    Quota(long count) {
        this.count = count;
    }

    /** Takes one message from the quota. Returns false when the quota is used up. */
    boolean take() {
        return asked.get() < count && asked.getAndIncrement() < count;
    }

    public boolean isUsedUp() {
        return asked.get() >= count;
    }

    long count() {
        return count;
    }

    long taken() {
        return Math.min(count, asked.get());
    }
}
