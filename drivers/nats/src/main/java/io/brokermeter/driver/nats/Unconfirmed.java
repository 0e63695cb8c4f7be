package io.brokermeter.driver.nats;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.brokermeter.spi.SendListener;

/**
 * The tokens of one producer that wait for an answer, in a ring. Each leaves it once, by whoever takes it out first: the
 * answer, a failed send, or the end of the connection. The listener is called by one thread at a time.
 */
final class Unconfirmed {

    private static final long FREE = -1;
    private static final int LEAST = 1 << 14;
    private static final int MOST = 1 << 20;

    private final AtomicLongArray ring;
    private final int mask;
    private final SendListener listener;
    private final AtomicInteger gate = new AtomicInteger();
    private boolean ended;

    /** @param maxPending the most tokens that will wait at a time, 0 for no limit */
    Unconfirmed(int maxPending, SendListener listener) {
        int size = Integer.highestOneBit(Math.clamp(maxPending, LEAST, MOST) * 2 - 1);
        ring = new AtomicLongArray(size);
        mask = size - 1;
        this.listener = listener;
        for (int i = 0; i < size; i++) {
            ring.setPlain(i, FREE);
        }
    }

    int capacity() {
        return mask + 1;
    }

    /** Adds a token; waits while the ring is full. False when that lasts longer than the limit or must stop. */
    boolean add(long token, Duration limit, BooleanSupplier stop) {
        int index = (int) token & mask;
        if (ring.get(index) != FREE) {
            long deadline = System.nanoTime() + limit.toNanos();
            while (ring.get(index) != FREE) {
                if (stop.getAsBoolean() || System.nanoTime() - deadline > 0) {
                    return false;
                }
                LockSupport.parkNanos(20_000);
            }
        }
        ring.set(index, token);
        return true;
    }

    /** Takes back a token whose send failed; false when it was reported already. */
    boolean withdraw(long token) {
        return ring.compareAndSet((int) token & mask, token, FREE);
    }

    void confirm(long token) {
        enter();
        try {
            if (!ended && withdraw(token)) {
                listener.confirmed(token);
            }
        } finally {
            gate.setRelease(0);
        }
    }

    void fail(long token, Throwable cause) {
        enter();
        try {
            if (!ended && withdraw(token)) {
                listener.failed(token, cause);
            }
        } finally {
            gate.setRelease(0);
        }
    }

    /** Nobody will ever know what became of a message. */
    void giveUp(long token, Throwable cause) {
        enter();
        try {
            if (!ended && withdraw(token)) {
                listener.unknown(token, cause);
            }
        } finally {
            gate.setRelease(0);
        }
    }

    /** Gives up all that wait. */
    void giveUpAll(Throwable cause) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i <= mask; i++) {
            long token = ring.get(i);
            least = token != FREE && token < least ? token : least;
        }
        if (least < Long.MAX_VALUE) {
            for (long token = least; token <= least + mask; token++) {
                giveUp(token, cause);
            }
        }
    }

    /** No call to the listener begins after this returns, and none is under way. */
    void end() {
        enter();
        ended = true;
        gate.setRelease(0);
    }

    /** How many wait; walks the ring. */
    int count() {
        int count = 0;
        for (int i = 0; i <= mask; i++) {
            count += ring.get(i) == FREE ? 0 : 1;
        }
        return count;
    }

    /** Nearly always free: answers come from one thread, and the others only at an end. */
    private void enter() {
        while (!gate.compareAndSet(0, 1)) {
            Thread.onSpinWait();
        }
    }
}
