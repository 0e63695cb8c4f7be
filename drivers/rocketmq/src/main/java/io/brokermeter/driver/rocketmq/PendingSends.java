package io.brokermeter.driver.rocketmq;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;

import io.brokermeter.spi.SendListener;
import org.apache.rocketmq.client.producer.SendCallback;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.client.producer.SendStatus;
import org.jspecify.annotations.Nullable;

/**
 * The sends of a producer that have no answer yet. Each token is reported once, by its answer or by {@link #giveUpAll}.
 *
 * <p>Threads: {@link #add} belongs to the sending thread. Answers come from the client's thread, and its house-keeping
 * thread reports what got none, so reporting takes this object's monitor, which no sender takes.
 */
final class PendingSends {

    private final SendListener listener;
    private final String topic;
    private final int most;
    private volatile AtomicReferenceArray<@Nullable Pending> ring = new AtomicReferenceArray<>(1024);
    private volatile long added;
    private volatile long reported;
    private volatile boolean awaited;
    private volatile @Nullable Throwable over;

    /** @param most the client itself gets stuck beyond some number of requests, so {@link #add} waits before */
    PendingSends(SendListener listener, String topic, int most) {
        this.listener = listener;
        this.topic = topic;
        this.most = most;
    }

    /** One send. */
    final class Pending implements SendCallback {

        private final long token;
        private boolean done;

        Pending(long token) {
            this.token = token;
        }

        @Override
        public void onSuccess(SendResult result) {
            // with any other status the master has it, and may lose it
            report(this, result.getSendStatus() == SendStatus.SEND_OK ? null : Causes.ofStatus(result.getSendStatus()), false);
        }

        @Override
        public void onException(Throwable thrown) {
            report(this, Causes.ofSend(thrown, topic), Causes.isRefusal(thrown));
        }
    }

    /**
     * Takes a place for a send that is about to happen. Waits while very many have no answer.
     *
     * @throws Exception when there will be no more answers
     */
    @SuppressWarnings("NonAtomicVolatileUpdate") // only the sending thread writes it
    Pending add(long token) throws Exception {
        if (added - reported >= most) {
            awaitReported(added - most / 2, Long.MAX_VALUE);
        }
        Throwable cause = over;
        if (cause != null) {
            throw Causes.again(cause);
        }
        Pending pending = new Pending(token);
        AtomicReferenceArray<@Nullable Pending> slots = ring;
        Pending before = slots.get((int) token & slots.length() - 1);
        if (before != null && !before.done) {
            slots = grow(slots, token);
        }
        slots.set((int) token & slots.length() - 1, pending);
        added++;
        if (over != null) {
            // It may have come between, and has missed this one then; its failure is a report like any other.
            report(pending, over, false);
        }
        return pending;
    }

    private AtomicReferenceArray<@Nullable Pending> grow(AtomicReferenceArray<@Nullable Pending> from, long token) {
        int size = from.length();
        AtomicReferenceArray<@Nullable Pending> to;
        boolean fits;
        do {
            size *= 2;
            to = new AtomicReferenceArray<>(size);
            fits = true;
            for (int i = 0; i < from.length(); i++) {
                Pending pending = from.get(i);
                if (pending != null && !pending.done) {
                    fits &= to.getAndSet((int) pending.token & size - 1, pending) == null;
                }
            }
            fits &= to.get((int) token & size - 1) == null;
        } while (!fits);
        ring = to;
        return to;
    }

    /** @param refused whether a failure is the broker's or the client's refusal; otherwise the message may be stored */
    @SuppressWarnings("NonAtomicVolatileUpdate") // the monitor is held
    private synchronized void report(Pending pending, @Nullable Throwable failure, boolean refused) {
        if (pending.done) {
            return;
        }
        pending.done = true;
        if (failure == null) {
            listener.confirmed(pending.token);
        } else if (refused) {
            listener.failed(pending.token, failure);
        } else {
            listener.unknown(pending.token, failure);
        }
        reported++;
        if (awaited) {
            notifyAll();
        }
    }

    /** From now on nothing can be sent, and nobody will ever know what became of everything that has no answer. */
    void giveUpAll(Throwable cause) {
        if (over == null) {
            over = cause;
        }
        AtomicReferenceArray<@Nullable Pending> slots = ring;
        for (int i = 0; i < slots.length(); i++) {
            Pending pending = slots.get(i);
            if (pending != null) {
                report(pending, cause, false);
            }
        }
        synchronized (this) {
            notifyAll();
        }
    }

    /** Waits until every send so far has its answer, at most for the time; false when some have none. */
    boolean awaitAll(long millis) throws InterruptedException {
        return awaitReported(added, millis);
    }

    private synchronized boolean awaitReported(long count, long millis) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Math.min(millis, TimeUnit.DAYS.toMillis(1)));
        awaited = true;
        try {
            while (reported < count && over == null) {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
            return reported >= count;
        } finally {
            awaited = false;
        }
    }
}
