package io.brokermeter.cluster;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

import org.jspecify.annotations.Nullable;

/**
 * The frames of a member that arrive before the group reports its arrival. JGroups delivers what a member sent on one thread, in order, and
 * a coordinator may send its first message before its answer to the join. A thread that waited for the arrival with that message would wait
 * for an answer that is queued behind it. Thread-safe.
 */
final class EarlyFrames {

    /** The most bytes that are kept; a single frame always may be. */
    static final int MOST = 4 << 20;

    private final Deque<byte[]> frames = new ArrayDeque<>();
    private int bytes;
    private boolean released;
    private boolean closed;

    /** Takes frames in order, one at a time. */
    interface Taker {
        void take(byte[] frame) throws InterruptedException;
    }

    /**
     * Keeps a copy of a frame, unless all earlier frames have been taken after {@link #release}. Drops it when these frames are closed.
     * Blocks while there is no room, so that flow control holds back the sender.
     *
     * @return false if the caller is to take the frame itself
     */
    synchronized boolean keep(byte[] array, int offset, int length) throws InterruptedException {
        while (!released && !closed && bytes > 0 && bytes + length > MOST) {
            wait();
        }
        if (released) {
            return false;
        }
        if (!closed) {
            frames.add(Arrays.copyOfRange(array, offset, offset + length));
            bytes += length;
        }
        return true;
    }

    /**
     * Gives the frames to the taker, on a thread of its own, and keeps further ones until that thread has no more of them. Does not block.
     */
    void release(Taker taker) {
        byte[] first = next();
        if (first != null) {
            Thread.ofVirtual().name("cluster early frames").start(() -> drain(first, taker));
        }
    }

    /** Drops the frames and all further ones, since the member is gone. */
    synchronized void close() {
        closed = true;
        frames.clear();
        notifyAll();
    }

    private void drain(byte[] first, Taker taker) {
        try {
            for (byte[] next = first; next != null; next = next()) {
                taker.take(next);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the next frame; null when there is none, and further ones are not kept any more. */
    private synchronized byte @Nullable [] next() {
        byte[] next = frames.poll();
        if (next == null) {
            released = true;
        } else {
            bytes -= next.length;
        }
        notifyAll();
        return next;
    }
}
