package io.brokermeter.engine.envelope;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntToLongFunction;

import io.brokermeter.engine.recording.LedgerReport;
import io.brokermeter.engine.scenario.Seeds;
import org.jspecify.annotations.Nullable;

/**
 * Proves per producer and subscription what became of each message; a {@link SubscriptionLedger} has what one subscription received.
 *
 * <p>In a run that also sends, the ledger knows the run's number, each producer's destination and which messages were
 * confirmed, so that a message that never came is lost and not merely missing. In a run that only receives it accepts
 * every run of this tool and can only see gaps between the first and the last message of each producer.
 */
public final class Ledger {

    /** Every message belongs to the subscription. */
    public static final int ALL = -1;
    /** Only the broker knows which messages belong to the subscription, so what comes is what was expected. */
    public static final int UNKNOWN = -2;

    private final LedgerProducers producers;
    private final List<SubscriptionLedger> subscriptions = new ArrayList<>();
    private boolean inParts;

    private Ledger(LedgerProducers producers) {
        this.producers = producers;
    }

    /**
     * A ledger for the messages of {@code run} alone; others are old.
     *
     * @param destinations of each producer the number of its destination
     */
    public static Ledger of(long run, int... destinations) {
        return new Ledger(new LedgerProducers(run, false, destinations.clone()));
    }

    /** A ledger for the messages of whichever runs of this tool arrive. */
    public static Ledger ofAnyRun() {
        return new Ledger(new LedgerProducers(-1, true));
    }

    /**
     * Adds a subscription with {@code consumers} consumers; before the run begins.
     *
     * @param selection number of the selection, from 0, {@link #ALL} or {@link #UNKNOWN}
     */
    public SubscriptionLedger subscribe(int destination, int consumers, int selection) {
        SubscriptionLedger subscription = new SubscriptionLedger(producers, destination, consumers, selection);
        if (inParts) {
            subscription.inParts();
        }
        subscriptions.add(subscription);
        return subscription;
    }

    /**
     * How many deliveries are due and have not come, by destination: of each producer and subscription by itself, so that
     * nothing that came unexpectedly hides what did not. Destinations of which nothing is due are left out. Exact when nothing
     * moves; before that it may miss the newest deliveries.
     */
    public Map<Integer, Long> outstanding(List<Sent> senders) {
        Map<Integer, List<Sent>> byDestination = byDestination(senders);
        Map<Integer, Long> missing = new HashMap<>();
        for (SubscriptionLedger subscription : subscriptions) {
            if (!subscription.isSatisfied()) {
                for (Sent sender : byDestination.getOrDefault(subscription.destination(), List.of())) {
                    long due = subscription.missing(sender);
                    if (due > 0) {
                        missing.merge(subscription.destination(), due, Long::sum);
                    }
                }
            }
        }
        return missing;
    }

    private static Map<Integer, List<Sent>> byDestination(List<Sent> senders) {
        Map<Integer, List<Sent>> byDestination = new HashMap<>();
        for (Sent sender : senders) {
            byDestination.computeIfAbsent(sender.destination(), d -> new ArrayList<>()).add(sender);
        }
        return byDestination;
    }

    private static Map<Integer, Sent> byNumber(List<Sent> senders) {
        Map<Integer, Sent> byNumber = new HashMap<>();
        senders.forEach(sender -> byNumber.put(sender.producer(), sender));
        return byNumber;
    }

    /**
     * Closes the ledger. Call when all receiving has ended.
     *
     * @param senders what the sending half knows; empty in a run that only receives
     * @param received what the receivers counted
     * @param waiting how many messages of this run the broker may still hold, by number of the destination; negative where that
     *     is not known
     */
    public LedgerReport close(List<Sent> senders, Received received, IntToLongFunction waiting) {
        Sums sums = new Sums();
        if (producers.ofAnyRun()) {
            subscriptions.forEach(subscription -> subscription.closeGaps(sums));
        } else {
            Map<Integer, List<Sent>> byDestination = byDestination(senders);
            Map<Integer, Sent> byNumber = byNumber(senders);
            Map<Integer, Long> held = new HashMap<>();
            for (SubscriptionLedger subscription : subscriptions) {
                long missing = 0;
                for (Sent sender : byDestination.getOrDefault(subscription.destination(), List.of())) {
                    missing += subscription.close(sender, sums);
                }
                subscription.closeOthers(byNumber, sums);
                long holds = held.computeIfAbsent(subscription.destination(), waiting::applyAsLong);
                if (subscription.isSatisfied()) {
                    sums.untaken += missing;
                } else if (holds < 0) {
                    sums.undelivered += missing;
                } else {
                    long there = Math.min(missing, holds);
                    held.put(subscription.destination(), holds - there);
                    sums.left += there;
                    sums.lost += missing - there;
                }
            }
        }
        return LedgerReport.of(its -> {
            its.expected = sums.expected;
            its.received = received.ours;
            its.lost = sums.lost;
            its.left = sums.left;
            its.untaken = sums.untaken;
            its.undelivered = sums.undelivered;
            its.beforeSubscription = sums.beforeSubscription;
            its.lostUnconfirmed = sums.lostUnconfirmed;
            its.unconfirmedDelivered = sums.unconfirmedDelivered;
            its.failedDelivered = sums.failedDelivered;
            its.duplicates = received.duplicates;
            its.redeliveredDuplicates = received.redelivered;
            its.outOfOrder = received.outOfOrder;
            its.reorderDepth = received.reorderDepth;
            its.corrupt = received.corrupt;
            its.foreign = received.foreign;
            its.old = received.old;
            its.rolledBackDelivered = sums.rolledBackDelivered;
            its.unselected = sums.unselected;
            its.otherDestination = sums.otherDestination;
            its.detour = sums.detour;
        });
    }

    // ---- parts of a run in several processes ----

    /**
     * Says that other processes have other parts of the run, so that of duplicates must be kept which messages they are of; before the run
     * begins. Without this call nothing of that is kept.
     */
    public void inParts() {
        inParts = true;
        subscriptions.forEach(SubscriptionLedger::inParts);
    }

    /**
     * What this process knows of deliveries that are due and of those that came; for subscriptions that get every message, or those of a selection
     * that is understood.
     *
     * @param senders those of this process
     */
    public Balance balance(List<Sent> senders) {
        Map<Integer, List<Sent>> byDestination = byDestination(senders);
        long due = 0;
        long dueSum = 0;
        long delivered = 0;
        long deliveredSum = 0;
        Map<Integer, Long> missing = new TreeMap<>();
        for (int s = 0; s < subscriptions.size(); s++) {
            SubscriptionLedger subscription = subscriptions.get(s);
            if (subscription.selection() == UNKNOWN || subscription.isSatisfied()) {
                continue;
            }
            if (!subscription.isWhole()) {
                // Made later, by a process that has the producers, too: it alone knows what is due.
                for (Sent sender : byDestination.getOrDefault(subscription.destination(), List.of())) {
                    long lacking = subscription.missing(sender);
                    due += lacking;
                    dueSum += lacking;
                    missing.merge(subscription.destination(), lacking, Long::sum);
                }
                continue;
            }
            for (Sent sender : byDestination.getOrDefault(subscription.destination(), List.of())) {
                SequenceSet confirmed = sender.confirmed()[subscription.selection() + 1];
                due += confirmed.size();
                missing.merge(subscription.destination(), confirmed.size(), Long::sum);
                dueSum += keyed(confirmed, s, sender.producer());
            }
            for (int producer = 0; producer < producers.count(); producer++) {
                if (producers.sendsTo(producer, subscription.destination())) {
                    SequenceSet got = subscription.got(producer);
                    delivered += got.size();
                    missing.merge(subscription.destination(), -got.size(), Long::sum);
                    deliveredSum += keyed(got, s, producer);
                }
            }
        }
        missing.values().removeIf(count -> count == 0);
        return new Balance(due, dueSum, delivered, deliveredSum, missing);
    }

    /**
     * Deliveries that are due and that came.
     *
     * @param dueSum sum of a number for each that is due, modulo 2^64; the same for the same deliveries, whichever process counts them
     * @param deliveredSum the same of those that came
     * @param missing how many more are due than came, by number of the destination; below zero where others than this process send
     */
    public record Balance(long due, long dueSum, long delivered, long deliveredSum, Map<Integer, Long> missing) {}

    private static long keyed(SequenceSet set, int subscription, int producer) {
        long key = ((long) subscription << 20 | producer) + 1;
        return set.sum(Seeds.mixed(key) | 1, Seeds.mixed(-key) | 1) + set.size() * Seeds.mixed(key ^ 0x5DEECE66DL);
    }

    /**
     * Writes what was received, and what the sending half knows. Once all receiving has ended.
     *
     * @param senders those of this process
     */
    public void write(DataOutput to, List<Sent> senders) throws IOException {
        to.writeInt(senders.size());
        for (Sent sender : senders) {
            to.writeInt(sender.producer());
            to.writeInt(sender.destination());
            to.writeLong(sender.sent());
            to.writeInt(sender.confirmed().length);
            for (SequenceSet confirmed : sender.confirmed()) {
                confirmed.write(to);
            }
            sender.failed().write(to);
            sender.rolledBack().write(to);
            sender.doubted().write(to);
        }
        to.writeInt(subscriptions.size());
        for (SubscriptionLedger subscription : subscriptions) {
            subscription.write(to);
        }
    }

    /**
     * Adds what another process received, whose ledger was made for the same run and has the same subscriptions.
     *
     * @return what its sending half knows
     * @throws IOException when the data is not a ledger of this run
     */
    public List<Sent> add(DataInput from) throws IOException {
        List<Sent> senders = new ArrayList<>();
        int count = from.readInt();
        for (int i = 0; i < count; i++) {
            int producer = from.readInt();
            int destination = from.readInt();
            if (!producers.sendsTo(producer, destination)) {
                throw new IOException("A ledger is about a producer " + producer + " that the run has not.");
            }
            Sent.Values its = new Sent.Values();
            its.producer = producer;
            its.destination = destination;
            its.sent = from.readLong();
            its.confirmed = new SequenceSet[Math.clamp(from.readInt(), 1, 1_000)];
            for (int s = 0; s < its.confirmed.length; s++) {
                its.confirmed[s] = SequenceSet.read(from);
            }
            its.failed = SequenceSet.read(from);
            its.rolledBack = SequenceSet.read(from);
            its.doubted = SequenceSet.read(from);
            senders.add(its.build());
        }
        if (from.readInt() != subscriptions.size()) {
            throw new IOException("A ledger has other subscriptions than the run.");
        }
        for (SubscriptionLedger subscription : subscriptions) {
            subscription.add(from);
        }
        return senders;
    }

    /** The highest number of a message of a producer that any subscription got, -1 for none. */
    public long seenFrom(int producer) {
        return subscriptions.stream().filter(subscription -> producers.sendsTo(producer, subscription.destination()))
            .mapToLong(subscription -> subscription.got(producer).last()).max().orElse(-1);
    }

    /** Messages that an added ledger has got as well, each as often as that was so: duplicates that no process has seen by itself. */
    public long again() {
        return subscriptions.stream().mapToLong(SubscriptionLedger::again).sum();
    }

    /** Those of them that the broker marked, as far as the driver knows its marks, in either of the two processes. */
    public long againMarked() {
        return subscriptions.stream().mapToLong(SubscriptionLedger::againMarked).sum();
    }

    /**
     * Duplicates without the broker's mark, seen by another process than sent them, of messages that a client may have sent twice. A message counts
     * each time that it came again to a process, and for each process more than one that it came to; eight times each at most.
     *
     * @param senders those of all processes
     */
    public long resent(List<Sent> senders) {
        Map<Integer, List<Sent>> byDestination = byDestination(senders);
        long resent = 0;
        for (SubscriptionLedger subscription : subscriptions) {
            for (Sent sender : byDestination.getOrDefault(subscription.destination(), List.of())) {
                resent += subscription.resent(sender);
            }
        }
        return resent;
    }

    /** What became of messages, added up over producers and subscriptions. */
    static final class Sums {
        long expected;
        long lost;
        long left;
        long untaken;
        long undelivered;
        long beforeSubscription;
        long lostUnconfirmed;
        long unconfirmedDelivered;
        long failedDelivered;
        long rolledBackDelivered;
        long unselected;
        long otherDestination;
        LedgerReport.@Nullable Detour detour;
    }

    /**
     * What the sending half knows of one producer.
     *
     * @param producer its number
     * @param destination the number of its destination
     * @param sent how many messages it sent: those with the numbers below this
     * @param confirmed the sequence numbers that the broker confirmed: all, then those of each selection
     * @param failed the sequence numbers that failed
     * @param rolledBack the sequence numbers that were rolled back
     * @param doubted those of which its client may have sent the message twice
     */
    public record Sent(
            int producer, int destination, long sent, SequenceSet[] confirmed, SequenceSet failed, SequenceSet rolledBack,
            SequenceSet doubted) {

        /** What is known by name: nothing was sent, and of what was sent nothing happened, as long as it is not set. */
        public static final class Values {

            public int producer = -1;
            public int destination = -1;
            public long sent;
            public SequenceSet[] confirmed = {SequenceSet.NONE};
            public SequenceSet failed = SequenceSet.NONE;
            public SequenceSet rolledBack = SequenceSet.NONE;
            public SequenceSet doubted = SequenceSet.NONE;

            private Values() {}

            private Sent build() {
                return new Sent(producer, destination, sent, confirmed, failed, rolledBack, doubted);
            }
        }

        /** Nothing is known but what {@code change} sets. */
        public static Sent of(Consumer<Values> change) {
            Values its = new Values();
            change.accept(its);
            return its.build();
        }

        /** Messages from {@code from} on whose fate is not known. */
        long unknown(long from) {
            return Math.max(0, sent - from) - confirmed[0].sizeFrom(from) - failed.sizeFrom(from) - rolledBack.sizeFrom(from);
        }

        /** Those of them that are in a set. */
        long unknownIn(SequenceSet set, long from) {
            return set.sizeWithout(confirmed[0], from) - set.sizeCommon(failed, from) - set.sizeCommon(rolledBack, from);
        }
    }

    /**
     * What the receivers counted.
     *
     * @param ours deliveries of this run's messages, duplicates included
     * @param duplicates deliveries of what had been delivered
     * @param redelivered those of them that the broker marked
     * @param outOfOrder deliveries after a later message
     * @param reorderDepth the most messages that one was overtaken by
     * @param foreign messages that this tool did not send
     * @param corrupt messages that were changed
     * @param old messages of another run
     */
    public record Received(
            long ours, long duplicates, long redelivered, long outOfOrder, long reorderDepth, long foreign, long corrupt, long old) {

        /** The counts by name, each zero as long as it is not set. */
        public static final class Values {

            public long ours;
            public long duplicates;
            public long redelivered;
            public long outOfOrder;
            public long reorderDepth;
            public long foreign;
            public long corrupt;
            public long old;

            private Values() {}
        }

        /** Nothing was received but what {@code change} sets. */
        public static Received of(Consumer<Values> change) {
            Values its = new Values();
            change.accept(its);
            return new Received(its.ours, its.duplicates, its.redelivered, its.outOfOrder, its.reorderDepth, its.foreign, its.corrupt,
                its.old);
        }
    }
}
