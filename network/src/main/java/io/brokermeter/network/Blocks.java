package io.brokermeter.network;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;

/** Blocks of memory for bytes on their way, used again and again by one thread. */
final class Blocks {

    /** Of all proxies of this process, which has 1 GiB for them: 16,384 blocks. */
    private static final Total ALL = new Total(8_192, 15_000);
    /** Of all proxies together, too. */
    private static final int KEPT = 1_024;

    /** How many there are in several of these, each of which has a thread of its own. */
    static final class Total {

        private final int scarce;
        private final int most;
        private final AtomicInteger used = new AtomicInteger();
        private final AtomicInteger kept = new AtomicInteger();

        /**
         * None is in use.
         *
         * @param scarce with as many in use, a direction that has some must wait
         * @param most with as many, one that has none must wait, too
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

    /** Whether enough blocks are in use, over all connections, that no direction may take more than one. */
    boolean areScarce() {
        return total.used.get() >= total.scarce;
    }

    /** Whether so many are in use that a direction without one must wait, too. */
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
