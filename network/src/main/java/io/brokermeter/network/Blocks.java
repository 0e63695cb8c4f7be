package io.brokermeter.network;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/** Blocks of memory for bytes on their way, used again and again by one thread. */
final class Blocks {

    private static final int KEPT = 1_024;

    /** With more blocks in use than this, a direction that has some must wait. */
    private static final int MOST = 8_192;

    private final ArrayDeque<ByteBuffer> free = new ArrayDeque<>();
    private int used;

    /** Whether enough blocks are in use, over all connections, that no direction may take more than one. */
    boolean areScarce() {
        return used >= MOST;
    }

    ByteBuffer take() {
        used++;
        ByteBuffer block = free.pollLast();
        return block == null ? ByteBuffer.allocateDirect(Pipe.BLOCK) : block.clear();
    }

    void give(ByteBuffer block) {
        used--;
        if (free.size() < KEPT) {
            free.addLast(block);
        }
    }
}
