package io.brokermeter.driver.wire;

import java.io.IOException;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * Who waits for which answer, in a protocol that answers questions in the order in which they were asked. It is a ring, with no
 * object for a question. Who asks holds the connection's lock; the reader takes no lock.
 *
 * @param <T> takes an answer
 */
public final class InTurn<T> {

    private volatile @Nullable Object[] ring = new Object[64];
    /** Questions so far; written after {@link #ring}, and read before it. */
    private volatile long asked;
    private volatile long answered;

    /** A question was appended, or will be before the lock is released. Under the connection's lock. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // under the lock
    public void add(T waiting) {
        @Nullable Object[] all = ring;
        if (asked - answered == all.length) {
            // the reader may still use the old one, which stays as it is
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
     * Returns who waits for the answer at hand. Reader.
     *
     * @throws IOException when nobody does
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

    /** Whether every question is answered. Any thread. */
    public boolean isEmpty() {
        return answered == asked;
    }
}
