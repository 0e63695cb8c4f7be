package io.brokermeter.driver.jms;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.function.Predicate;

import io.brokermeter.spi.SendListener;
import jakarta.jms.BytesMessage;
import jakarta.jms.Message;
import org.jspecify.annotations.Nullable;

/**
 * The unreported sends of a producer, in a ring of reusable completion listeners indexed by token, so that a send neither allocates a
 * listener nor looks one up. Each token is removed in exactly one way: by the client's completion, by {@link #withdraw} after a send that
 * threw, or by {@link #abandon}.
 *
 * <p>Threads: only the sending thread calls {@link #claim} and {@link #withdraw}. Any thread may call completions and {@link #abandon}; a
 * gate serializes their calls to the listener.
 */
final class PendingSends {

    private static final long FREE = -1;
    private static final int LARGEST_FIRST_RING = 1 << 16;
    private static final int LARGEST_RING = 1 << 26;

    private static final VarHandle GATE;

    static {
        try {
            GATE = MethodHandles.lookup().findVarHandle(PendingSends.class, "gate", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final SendListener listener;
    private final Predicate<Throwable> refusals;
    private volatile Slot[] ring;
    private volatile @Nullable Throwable abandoned;
    @SuppressWarnings("UnusedVariable") // accessed through GATE
    private volatile int gate;

    /**
     * @param maxPending expected maximum of unreported sends, 0 for no limit
     * @param refusals whether a failure of a send means that the broker refused it; any other failure leaves its fate unknown
     */
    PendingSends(SendListener listener, int maxPending, Predicate<Throwable> refusals) {
        this.listener = listener;
        this.refusals = refusals;
        int wanted = maxPending <= 0 ? 1024 : Math.min(maxPending, LARGEST_FIRST_RING);
        var slots = new Slot[Integer.highestOneBit(Math.max(wanted, 2) - 1) << 1];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = new Slot();
        }
        ring = slots;
    }

    /**
     * Occupies the completion listener for a send that is about to happen.
     *
     * @param reusable whether the message may be sent again once this send is completed
     * @return the listener, or null if a concurrent {@link #abandon} has reported the token already
     * @throws SendsAbandoned if there will be no more confirmations
     */
    @Nullable Slot claim(long token, BytesMessage message, boolean reusable) throws SendsAbandoned {
        var slots = ring;
        var slot = slots[(int) token & (slots.length - 1)];
        if (slot.token() != FREE) {
            slot = grow(token);
        }
        slot.message = message;
        slot.spare = reusable ? message : null;
        slot.occupy(token);
        var cause = abandoned;
        if (cause != null) {
            if (slot.release(token)) {
                throw new SendsAbandoned(cause);
            }
            return null;
        }
        return slot;
    }

    /**
     * Returns a message whose send was completed, to be filled and sent with this token; null if there is none. With windows of a thousand
     * messages, newly created messages would survive collections and make each of them long.
     */
    @Nullable BytesMessage spare(long token) {
        var slots = ring;
        var slot = slots[(int) token & (slots.length - 1)];
        return slot.token() == FREE ? slot.spare : null;
    }

    /** Removes a send that threw. Returns false if its token has been reported nevertheless. */
    boolean withdraw(Slot slot, long token) {
        slot.spare = null;
        return slot.release(token);
    }

    /** Reports every unreported token as unknown. From now on {@link #claim} throws, and completions are ignored. */
    void abandon(Throwable cause) {
        enter();
        try {
            if (abandoned == null) {
                abandoned = cause;
            }
            var slots = ring;
            var tokens = new long[slots.length];
            int count = 0;
            for (var slot : slots) {
                long token = slot.token();
                if (token != FREE && slot.release(token)) {
                    tokens[count++] = token;
                }
            }
            Arrays.sort(tokens, 0, count);
            for (int i = 0; i < count; i++) {
                listener.unknown(tokens[i], cause);
            }
        } finally {
            leave();
        }
    }

    /** Returns the number of unreported tokens; scans the ring. */
    int count() {
        int count = 0;
        for (var slot : ring) {
            if (slot.token() != FREE) {
                count++;
            }
        }
        return count;
    }

    /** Returns why there will be no more confirmations, or null while there may be some. */
    @Nullable Throwable abandoned() {
        return abandoned;
    }

    private Slot grow(long token) throws SendsAbandoned {
        var old = ring;
        int size = old.length;
        while (true) {
            size *= 2;
            if (size > LARGEST_RING) {
                throw new SendsAbandoned(new IllegalStateException(
                    "More than " + LARGEST_RING / 2 + " sends are unconfirmed; let fewer of them be."));
            }
            var next = new Slot[size];
            for (var slot : old) {
                long held = slot.token();
                if (held != FREE) {
                    next[(int) held & (size - 1)] = slot;
                }
            }
            int index = (int) token & (size - 1);
            if (next[index] == null) {
                for (int i = 0; i < size; i++) {
                    if (next[i] == null) {
                        next[i] = new Slot();
                    }
                }
                ring = next;
                return next[index];
            }
        }
    }

    /** @param message the message that was sent, or null if the client completes each send once and does not name it */
    private void completed(Slot slot, @Nullable Message message, @Nullable Exception cause) {
        enter();
        try {
            // Clients may complete a send twice around a failover, the second time when its slot holds another send.
            if (message != null && slot.message != message) {
                return;
            }
            long token = slot.token();
            if (token == FREE || !slot.release(token)) {
                return;
            }
            if (cause == null) {
                listener.confirmed(token);
            } else if (refusals.test(cause)) {
                listener.failed(token, cause);
            } else {
                var reason = abandoned;
                listener.unknown(token, reason == null ? cause : reason);
            }
        } finally {
            leave();
        }
    }

    private void enter() {
        int tries = 0;
        while (!GATE.compareAndSet(this, 0, 1)) {
            if (++tries < 100) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }

    private void leave() {
        GATE.setRelease(this, 0);
    }

    /** The completion listener of one send at a time. */
    final class Slot extends SendCompletion {

        private static final VarHandle TOKEN;

        static {
            try {
                TOKEN = MethodHandles.lookup().findVarHandle(Slot.class, "token", long.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private volatile long token = FREE;
        private @Nullable Message message;
        // used by the sending thread
        private @Nullable BytesMessage spare;

        private long token() {
            return token;
        }

        private void occupy(long newToken) {
            token = newToken;
        }

        private boolean release(long expected) {
            return TOKEN.compareAndSet(this, expected, FREE);
        }

        @Override
        public void confirmed() {
            completed(this, null, null);
        }

        @Override
        public void failed(Exception cause) {
            completed(this, null, cause);
        }

        @Override
        public void onCompletion(Message sent) {
            completed(this, sent, null);
        }

        @Override
        public void onException(Message sent, Exception exception) {
            completed(this, sent, exception);
        }
    }

    /** Signals that there will be no more confirmations. */
    static final class SendsAbandoned extends Exception {

        SendsAbandoned(Throwable cause) {
            super(cause.getMessage(), cause);
        }
    }
}
