package io.brokermeter.driver.wire;

import java.io.IOException;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * A queue of the requests that wait for an answer, for protocols whose broker answers in the order of the requests. A ring buffer that
 * creates no object per request. Requests are added under the connection's lock; the reader thread takes no lock.
 *
 * @param <T> the receiver of an answer
 */
public final class InTurn<T> {

    private volatile @Nullable Object[] ring = new Object[64];
    /** Number of requests so far; written after {@link #ring}, and read before it. */
    private volatile long asked;
    private volatile long answered;

    /** Adds the receiver of the next answer. Call under the connection's lock; the request is appended before the lock is released. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock
    public void add(T waiting) {
        @Nullable Object[] all = ring;
        if (asked - answered == all.length) {
            // the reader may still use the old ring, which is not modified any more
            @Nullable Object[] more = new Object[all.length * 2];
            for (long i = answered; i < asked; i++) {
                more[(int) i & more.length - 1] = all[(int) i & all.length - 1];
            }
            ring = more;
            all = more;
        }
        all[(int) asked & all.length - 1] = waiting;
        asked++;
    }

    /**
     * Removes and returns the receiver of the answer that was read. Called by the reader thread.
     *
     * @throws IOException if no request waits for an answer
     */
    @SuppressWarnings({"unchecked", "NonAtomicVolatileUpdate"}) // only add fills it; one thread reads
    public T next() throws IOException {
        if (isEmpty()) {
            throw new IOException("it sent an answer to no question");
        }
        @Nullable Object[] all = ring;
        T waiting = (T) Objects.requireNonNull(all[(int) answered & all.length - 1]);
        answered++;
        return waiting;
    }

    /** Returns whether every request has been answered. Any thread. */
    public boolean isEmpty() {
        return answered == asked;
    }
}
