package io.brokermeter.network;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;

/** A pool of memory blocks for bytes that are on their way. Each pool is used by one thread. */
final class Blocks {

    /** The limits of all proxies of this process together, which has 1 GiB for blocks: 16,384 blocks. */
    private static final Total ALL = new Total(8_192, 15_000);
    /** The greatest number of free blocks that the pools which share limits keep for reuse. */
    private static final int KEPT = 1_024;

    /** The number of blocks in several pools, each of which has a thread of its own, and its limits. Thread-safe. */
    static final class Total {

        private final int scarce;
        private final int most;
        private final AtomicInteger used = new AtomicInteger();
        private final AtomicInteger kept = new AtomicInteger();

        /**
         * Creates limits with no block in use.
         *
         * @param scarce number of blocks in use from which on a direction that holds blocks must wait
         * @param most number of blocks in use from which on a direction without blocks must wait, too
         */
        Total(int scarce, int most) {
            this.scarce = scarce;
            this.most = most;
        }
    }

    private final ArrayDeque<ByteBuffer> free = new ArrayDeque<>();
    private final Total total;

    Blocks() {
        this(ALL);
    }

    Blocks(Total total) {
        this.total = total;
    }

    /** Returns whether so many blocks are in use, over all connections, that a direction which holds one must not take another. */
    boolean areScarce() {
        return total.used.get() >= total.scarce;
    }

    /** Returns whether the pool is exhausted even for a direction that holds no block. */
    boolean areUsedUp() {
        return total.used.get() >= total.most;
    }

    ByteBuffer take() {
        total.used.incrementAndGet();
        ByteBuffer block = free.pollLast();
        if (block == null) {
            return ByteBuffer.allocateDirect(DelayedBytes.BLOCK);
        }
        total.kept.decrementAndGet();
        return block.clear();
    }

    void give(ByteBuffer block) {
        total.used.decrementAndGet();
        if (total.kept.incrementAndGet() <= KEPT) {
            free.addLast(block);
        } else {
            total.kept.decrementAndGet();
        }
    }
}
