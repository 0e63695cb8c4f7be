package io.brokermeter.driver.kafka.direct;

import java.util.ArrayDeque;
import java.util.Deque;

import io.brokermeter.driver.kafka.link.Place;
import org.jspecify.annotations.Nullable;

/**
 * What a producer sends to one partition: the batch that is being filled, those that wait, and those that a broker has not answered, all in
 * the order of their messages. After a failure nothing is sent until every answer has come; then what failed is sent again in its order.
 * Guarded by the producer's lock, but for {@link #open}.
 */
final class PartitionSends extends Place<BrokerLink> {

    private static final int MOST_SEQUENCE = Integer.MAX_VALUE;
    /** The most unanswered batches of a partition of which a broker remembers the sequence numbers. */
    private static final int MOST_IN_SEQUENCE = 5;

    private final DirectSettings settings;
    private final Deque<Batch> waiting = new ArrayDeque<>();
    private final Deque<Batch> sent = new ArrayDeque<>();

    /** The batch that is being filled. Set by the sending thread, and taken away by any thread, under the lock. */
    volatile @Nullable Batch open;

    /** Whether something failed, so that nothing is sent until every answer has come. */
    private boolean held;
    /** Whether messages that may be stored were given up, so that the numbers must begin anew. */
    private boolean renew;
    private long notBefore;
    private long producerId = -1;
    private short epoch;
    /** The sequence number of the next message that is sent, and the one behind the last message that is known to be stored. */
    private int next;
    private int expected;

    PartitionSends(int partition, boolean used, DirectSettings settings, long now) {
        super(partition, used);
        this.settings = settings;
        this.notBefore = now;
    }

    long producerId() {
        return producerId;
    }

    short epoch() {
        return epoch;
    }

    /** Returns whether nothing can be sent without an identity of the producer. */
    boolean needsIdentity() {
        return settings.idempotent() && producerId < 0;
    }

    /** Returns whether an identity of the producer is to be asked for now. */
    boolean asksForIdentity(long now) {
        return needsIdentity() && now - notBefore >= 0;
    }

    /** Sends nothing for the time between two tries. */
    void pause(long now) {
        notBefore = now + settings.link().retryNanos();
    }

    void identify(long id, short idEpoch) {
        if (producerId < 0) {
            producerId = id;
            epoch = idEpoch;
        }
    }

    /** Returns whether messages are not given to the broker, or are to be given once more. */
    boolean hasMore() {
        return !waiting.isEmpty() || open != null;
    }

    /** Returns the number of batches that wait. */
    int backlog() {
        return waiting.size();
    }

    /** Adds the batch that was being filled, and is closed. */
    void full(Batch batch) {
        open = null;
        waiting.add(batch);
    }

    /** Closes the batch that is being filled if its time is up; it stays open while the sending thread is adding to it. */
    private void closeIfDue(long now, boolean all) {
        Batch filling = open;
        if (filling != null && (all || now - filling.since() >= settings.lingerNanos()) && filling.tryClose()) {
            full(filling);
        }
    }

    /**
     * Returns the next batch to send, which counts as sent; null if there is none at the moment.
     *
     * @param room the most bytes that the batch may have
     * @param all whether the batch that is being filled waits for no more messages
     */
    @Nullable Batch take(long now, int room, boolean all) {
        if (held || now - notBefore < 0 || needsIdentity() || settings.idempotent() && sent.size() >= MOST_IN_SEQUENCE) {
            return null;
        }
        if (waiting.isEmpty()) {
            closeIfDue(now, all);
        }
        Batch batch = waiting.peek();
        if (batch == null || batch.length() > room) {
            return null;
        }
        waiting.remove();
        if (batch.numberedFor != producerId || !precedes(batch.sequence, expected)) {
            batch.numberedFor = producerId;
            batch.sequence = next;
            next = behind(batch);
        } // else a later one is stored, so the broker may have this one: it tells by the number
        batch.attempts++;
        batch.given = true;
        batch.writing = true;
        batch.failure = null;
        sent.add(batch);
        return batch;
    }

    private static int behind(Batch batch) {
        int left = MOST_SEQUENCE - batch.sequence;
        return left >= batch.count() ? batch.sequence + batch.count() : batch.count() - left - 1;
    }

    private static boolean precedes(int one, int other) {
        int distance = other - one & MOST_SEQUENCE;
        return distance > 0 && distance < MOST_SEQUENCE / 2;
    }

    /** Returns when the next look is due, as {@link System#nanoTime()}, at most {@code latest}. */
    long due(long now, long latest, boolean all) {
        if (held || !hasMore() && !needsIdentity()) {
            return latest;
        }
        long due = notBefore;
        Batch filling = open;
        if (waiting.isEmpty() && filling != null && !needsIdentity()) {
            if (!settings.lingers() && !all) {
                return latest; // the sending thread flushes
            }
            long end = filling.since() + (all ? 0 : settings.lingerNanos());
            due = end - due > 0 ? end : due;
        }
        return due - latest < 0 ? due : latest;
    }

    // ---- answers

    /** Notes that a batch is stored. */
    void stored(Batch batch) {
        int behind = behind(batch);
        expected = precedes(expected, behind) ? behind : expected;
        sent.remove(batch);
    }

    /** Notes that a batch is given up. */
    void dropped(Batch batch, boolean perhapsStored) {
        sent.remove(batch);
        waiting.remove(batch);
        held = true;
        renew |= perhapsStored;
    }

    /** Notes that a batch must be sent again. */
    void failed(Batch batch, Exception cause) {
        batch.failure = cause;
        held = true;
    }

    /** Notes that a batch must be sent again, under another identity: the broker does not know the present one. */
    void unknown(Batch batch, Exception cause) {
        failed(batch, cause);
        renew = true;
    }

    /** Returns whether nothing that precedes a batch failed or is unanswered, so that its own number is the reason of a failure. */
    boolean isFirst(Batch batch) {
        return sent.peek() == batch && batch.sequence == expected;
    }

    /** Makes everything that failed wait again, in its order, when every answer has come; returns whether it did. */
    boolean settle(long now, BatchPool pool) {
        if (!held) {
            return false;
        }
        for (Batch batch : sent) {
            if (batch.failure == null || batch.writing) {
                return false;
            }
        }
        held = false;
        if (!sent.isEmpty()) {
            pause(now);
        }
        for (Batch batch = sent.pollLast(); batch != null; batch = sent.pollLast()) {
            if (batch.expired) {
                pool.release(batch);
                renew = true;
            } else {
                waiting.addFirst(batch);
            }
        }
        if (renew) {
            renew = false;
            producerId = -1;
            expected = 0;
        }
        next = expected;
        return true;
    }

    // ---- ends

    /** Returns a batch that waits and whose time is over, or null. It is to be {@link #dropped}. */
    @Nullable Batch overdue(long now, boolean all) {
        closeIfDue(now, all);
        Batch first = waiting.peek();
        return first != null && (all || now - first.since() >= settings.deliveryNanos()) ? first : null;
    }

    /** Returns a batch whose connection ended, which may not be sent again, and that was not returned before, or null. */
    @Nullable Batch spent() {
        for (Batch batch : sent) {
            if (!batch.expired && batch.failure != null && batch.attempts > settings.retries()) {
                batch.expired = true;
                return batch;
            }
        }
        return null;
    }

    /** Returns an unanswered batch whose time is over and that was not returned before, or null. */
    @Nullable Batch unanswered(long now, boolean all) {
        for (Batch batch : sent) {
            if (!batch.expired && (all || now - batch.since() >= settings.deliveryNanos())) {
                batch.expired = true;
                return batch;
            }
        }
        return null;
    }
}
