package io.brokermeter.network;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/** Blocks of memory for bytes on their way, used again and again by one thread. */
final class Blocks {

    private static final int KEPT = 1_024;

    private final ArrayDeque<ByteBuffer> free = new ArrayDeque<>();

    ByteBuffer take() {
        ByteBuffer block = free.pollLast();
        return block == null ? ByteBuffer.allocateDirect(Pipe.BLOCK) : block.clear();
    }

    void give(ByteBuffer block) {
        if (free.size() < KEPT) {
            free.addLast(block);
        }
    }
}
