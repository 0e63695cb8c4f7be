package io.brokermeter.engine.envelope;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

import io.brokermeter.engine.recording.LedgerReport;
import org.jspecify.annotations.Nullable;

/**
 * Proves per producer and subscription what became of each message. A subscription is whatever gets each message once: a
 * queue with all its consumers, an unshared subscription, a shared one with all its consumers.
 *
 * <p>In a run that also sends, the ledger knows the run's number, each producer's destination and which messages were
 * confirmed, so that a message that never came is lost and not merely missing. In a run that only receives it accepts
 * every run of this tool and can only see gaps between the first and the last message of each producer.
 */
public final class Ledger {

    private final long run;
    private final boolean accepting;
    private final List<Subscription> subscriptions = new ArrayList<>();
    private final ConcurrentHashMap<Long, Integer> foundProducers = new ConcurrentHashMap<>();

    private Ledger(long run, boolean accepting) {
        this.run = run;
        this.accepting = accepting;
    }

    /** A ledger for the messages of {@code run} alone; others are old. */
    public static Ledger of(long run) {
        return new Ledger(run, false);
    }

    /** A ledger for the messages of whichever runs of this tool arrive. */
    public static Ledger ofAnyRun() {
        return new Ledger(-1, true);
    }

    /** Adds a subscription with {@code consumers} consumers; before the run begins. */
    public Subscription subscribe(int destination, int consumers) {
        return subscribe(destination, consumers, -1);
    }

    /**
     * Adds a subscription that gets a part of the messages.
     *
     * @param selection number of the selection, from 0; -1 for all messages; -2 when it is unknown which messages those are,
     *     so that whatever comes is what was expected
     */
    public Subscription subscribe(int destination, int consumers, int selection) {
        Subscription subscription = new Subscription(destination, consumers, selection);
        subscriptions.add(subscription);
        return subscription;
    }

    /**
     * Closes the books. Call when all receiving has ended.
     *
     * @param senders what the sending half knows; empty in a run that only receives
     * @param foreign messages that this tool did not send, counted by the receivers
     * @param corrupt messages whose body was changed
     * @param old messages of another run
     */
    public LedgerReport close(List<Sent> senders, long received, long duplicates, long redelivered, long outOfOrder,
            long reorderDepth, long foreign, long corrupt, long old) {
        long expected = 0;
        long lost = 0;
        long lostUnconfirmed = 0;
        long rolledBackDelivered = 0;
        for (Subscription subscription : subscriptions) {
            if (accepting) {
                for (SequenceSet got : subscription.sets()) {
                    long span = got.last() < 0 ? 0 : got.last() - got.first() + 1;
                    expected += span;
                    lost += span - got.size();
                }
                continue;
            }
            for (Sent sender : senders) {
                if (sender.destination() != subscription.destination) {
                    continue;
                }
                SequenceSet got = subscription.set(sender.producer());
                if (got != null) {
                    rolledBackDelivered += got.size() - got.sizeWithout(sender.rolledBack());
                }
                if (subscription.selection < -1) {
                    expected += got == null ? 0 : got.size();
                    continue;
                }
                SequenceSet confirmed = sender.confirmed()[subscription.selection + 1];
                long confirmedOnly = got == null ? confirmed.size() : confirmed.sizeWithout(got);
                long deliveredOnly = got == null ? 0 : got.sizeWithout(confirmed);
                expected += confirmed.size() + deliveredOnly;
                lost += confirmedOnly;
                if (subscription.selection < 0) {
                    lostUnconfirmed += Math.max(0, sender.unconfirmed() - deliveredOnly);
                }
            }
        }
        return new LedgerReport(expected, received, lost, lostUnconfirmed, duplicates, redelivered, outOfOrder,
                reorderDepth, corrupt, foreign, old, rolledBackDelivered);
    }

    /**
     * What the sending half knows of one producer.
     *
     * @param producer its number
     * @param destination the number of its destination
     * @param confirmed the sequence numbers that the broker confirmed: all, then those of each selection
     * @param rolledBack the sequence numbers that were rolled back
     * @param unconfirmed how many sends have an unknown fate
     */
    public record Sent(int producer, int destination, SequenceSet[] confirmed, SequenceSet rolledBack, long unconfirmed) {}

    /** What one subscription received. */
    public final class Subscription {

        private final int destination;
        private final boolean shared;
        private final int selection;
        private volatile @Nullable SequenceSet[] byProducer = new SequenceSet[8];

        private Subscription(int destination, int consumers, int selection) {
            this.selection = selection;
            this.destination = destination;
            this.shared = consumers > 1;
        }

        public int destination() {
            return destination;
        }

        /**
         * The index of the sender of a message, to be used with {@link #add} and to index a receiver's own arrays; -1 when
         * the message belongs to another run.
         */
        public int producerIndex(long messageRun, int producer) {
            if (!accepting) {
                return messageRun == run && producer >= 0 ? producer : -1;
            }
            // Only runs that receive without sending come here: numbers of several runs become one row of indices.
            return foundProducers.computeIfAbsent((long) messageRun << 32 | producer & 0xFFFF_FFFFL, k -> foundProducers.size());
        }

        /** Notes a delivery; false when the message had been delivered before. */
        public boolean add(int producerIndex, long sequence) {
            @Nullable SequenceSet[] sets = byProducer;
            SequenceSet set = producerIndex < sets.length ? sets[producerIndex] : null;
            if (set == null) {
                set = newSet(producerIndex);
            }
            return set.add(sequence);
        }

        private synchronized SequenceSet newSet(int producerIndex) {
            @Nullable SequenceSet[] sets = byProducer;
            if (producerIndex >= sets.length) {
                sets = java.util.Arrays.copyOf(sets, Math.max(producerIndex + 1, sets.length * 2));
            }
            SequenceSet set = sets[producerIndex];
            if (set == null) {
                set = shared ? SequenceSet.forManyWriters() : SequenceSet.forOneWriter();
                sets[producerIndex] = set;
            }
            byProducer = sets;
            return set;
        }

        private @Nullable SequenceSet set(int producer) {
            @Nullable SequenceSet[] sets = byProducer;
            return producer < sets.length ? sets[producer] : null;
        }

        private List<SequenceSet> sets() {
            List<SequenceSet> found = new ArrayList<>();
            for (SequenceSet set : byProducer) {
                if (set != null) {
                    found.add(set);
                }
            }
            return found;
        }
    }
}
