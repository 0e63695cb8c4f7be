package io.brokermeter.engine.envelope;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntToLongFunction;

import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.LedgerReport;
import io.brokermeter.engine.scenario.Seeds;
import io.brokermeter.engine.scenario.measure.Count;
import org.jspecify.annotations.Nullable;

/**
 * Accounts for each message, by producer and subscription. A {@link SubscriptionLedger} holds what one subscription received.
 *
 * <p>In a run that also sends, the ledger knows the run's number, each producer's destination and which messages were
 * confirmed, so that a message that never arrived is lost and not merely missing. In a run that only receives, the ledger
 * accepts messages of every run of this tool and can only detect gaps between the first and the last message of each producer.
 */
public final class Ledger {

    /** The selection of a subscription to which every message belongs. */
    public static final int ALL = -1;
    /** The selection of a subscription whose messages only the broker knows, so that every delivery counts as expected. */
    public static final int UNKNOWN = -2;

    private final LedgerProducers producers;
    private final List<SubscriptionLedger> subscriptions = new ArrayList<>();
    private boolean inParts;

    private Ledger(LedgerProducers producers) {
        this.producers = producers;
    }

    /**
     * Creates a ledger for the messages of {@code run} alone; messages of other runs are old.
     *
     * @param destinations number of the destination of each producer
     */
    public static Ledger of(long run, int... destinations) {
        return new Ledger(new LedgerProducers(run, false, destinations.clone()));
    }

    /** Creates a ledger that accepts the messages of all runs of this tool. */
    public static Ledger ofAnyRun() {
        return new Ledger(new LedgerProducers(-1, true));
    }

    /**
     * Adds a subscription with {@code consumers} consumers. Call before the run begins.
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
     * Returns the number of deliveries that are due and have not arrived, by destination. They are counted for each producer
     * and subscription separately, so that unexpected deliveries do not hide missing ones. Destinations at which nothing is
     * missing are left out. The result is exact when nothing is being sent or delivered; before that it may miss the newest
     * deliveries.
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

    /**
     * Closes the ledger and returns its report. Call when all receiving has ended.
     *
     * @param senders what the sending half knows; empty in a run that only receives
     * @param received the counts of the ledger that the receivers have
     * @param waiting number of messages of this run that the broker may still hold, by number of the destination; negative if
     *     unknown
     */
    public LedgerReport close(List<Sent> senders, Counts received, IntToLongFunction waiting) {
        Sums sums = new Sums();
        if (producers.ofAnyRun()) {
            subscriptions.forEach(subscription -> subscription.closeGaps(sums));
        } else {
            Map<Integer, List<Sent>> byDestination = byDestination(senders);
            Map<Integer, Long> held = new HashMap<>();
            for (SubscriptionLedger subscription : subscriptions) {
                long missing = 0;
                for (Sent sender : byDestination.getOrDefault(subscription.destination(), List.of())) {
                    missing += subscription.close(sender, sums);
                }
                subscription.closeOthers(sums);
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
            senders.stream().filter(Sent::hasUnforeseen).forEach(sender -> addUnforeseen(sender, arrived(sender), sums));
        }
        return new LedgerReport(received.with(Count.EXPECTED, sums.expected).with(Count.LOST, sums.lost).with(Count.LEFT, sums.left)
            .with(Count.UNTAKEN, sums.untaken).with(Count.UNDELIVERED, sums.undelivered)
            .with(Count.BEFORE_SUBSCRIPTION, sums.beforeSubscription).with(Count.LOST_UNCONFIRMED, sums.lostUnconfirmed)
            .with(Count.UNCONFIRMED_DELIVERED, sums.unconfirmedDelivered).with(Count.FAILED_DELIVERED, sums.failedDelivered)
            .with(Count.ROLLED_BACK_DELIVERED, sums.rolledBackDelivered).with(Count.UNSELECTED, sums.unselected)
            .with(Count.OTHER_DESTINATION, sums.otherDestination), sums.detour);
    }

    /** Returns the messages of a producer that any subscription received. */
    private SequenceSet arrived(Sent sender) {
        SequenceSet all = SequenceSet.forOneWriter();
        subscriptions.forEach(subscription -> all.addAll(subscription.any(sender.producer())));
        return all;
    }

    /** Adds the messages that arrived though they were not confirmed, or should not have been delivered at all. */
    private static void addUnforeseen(Sent sender, SequenceSet arrived, Sums sums) {
        sums.rolledBackDelivered += arrived.sizeCommon(sender.rolledBack(), 0);
        sums.failedDelivered += arrived.sizeCommon(sender.failed(), 0);
        sums.unconfirmedDelivered += sender.unknownIn(arrived, 0);
    }

    // ---- parts of a run in several processes ----

    /**
     * Declares that other processes execute other parts of the run, so that the ledger must remember which messages were
     * delivered more than once. Call before the run begins. Without this call the ledger only counts duplicates.
     */
    public void inParts() {
        inParts = true;
        subscriptions.forEach(SubscriptionLedger::inParts);
    }

    /**
     * Returns what this process knows of the deliveries that are due and of those that arrived. Covers the subscriptions that
     * get every message or those of a known selection.
     *
     * @param senders the producers of this process
     * @param without numbers of the producers whose messages are left out
     */
    public Balance balance(List<Sent> senders, BitSet without) {
        Map<Integer, List<Sent>> byDestination = byDestination(senders.stream().filter(sender -> !without.get(sender.producer())).toList());
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
                // The subscription was created later, by a process that has the producers, too: it alone knows what is due.
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
                if (!without.get(producer) && producers.sendsTo(producer, subscription.destination())) {
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
     * The deliveries that are due and those that arrived, as numbers and checksums.
     *
     * @param dueSum sum of a number for each delivery that is due, modulo 2^64; equal for equal deliveries, whichever process
     *     counts them
     * @param deliveredSum the same sum of the deliveries that arrived
     * @param missing by how many the deliveries that are due exceed those that arrived, by number of the destination; negative
     *     where other processes send, too
     */
    public record Balance(long due, long dueSum, long delivered, long deliveredSum, Map<Integer, Long> missing) {}

    private static long keyed(SequenceSet set, int subscription, int producer) {
        // Mixed, 0 would be 0.
        long one = Seeds.mixed(((long) subscription << 20 | producer) + 1);
        long square = Seeds.mixed(one);
        return set.sum(one, square) + set.size() * Seeds.mixed(square);
    }

    /**
     * Writes what was received and what the sending half knows. Call when all receiving has ended.
     *
     * @param senders the producers of this process
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
     * Adds what another process received. The ledger of that process must be of the same run and have the same subscriptions.
     *
     * @return what the sending half of that process knows
     * @throws IOException if the data is not a ledger of this run
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

    /** Returns the highest sequence number of a producer that any subscription to its destination received, or -1 for none. */
    public long seenFrom(int producer) {
        return subscriptions.stream().filter(subscription -> producers.sendsTo(producer, subscription.destination()))
            .mapToLong(subscription -> subscription.got(producer).last()).max().orElse(-1);
    }

    /**
     * Returns the number of messages of added ledgers that this ledger already contained, counted once for each added ledger:
     * duplicates that no process detected by itself.
     */
    public long again() {
        return subscriptions.stream().mapToLong(SubscriptionLedger::again).sum();
    }

    /** Returns how many duplicates of {@link #again} the broker marked in either process, as far as the driver knows its marks. */
    public long againMarked() {
        return subscriptions.stream().mapToLong(SubscriptionLedger::againMarked).sum();
    }

    /**
     * Returns the number of duplicates without the broker's mark, received by another process than sent them, of messages that a
     * client may have sent twice. A message counts for each repeated delivery to the same process, and for each process beyond
     * the first that received it; for either reason at most eight times.
     *
     * @param senders the producers of all processes
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

    /** The fates of messages, summed over producers and subscriptions. */
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
     * The messages of one producer, as far as the sending half knows them.
     *
     * @param producer number of the producer
     * @param destination number of the producer's destination
     * @param sent number of messages that were sent, which have the sequence numbers below it
     * @param confirmed sequence numbers that the broker confirmed: all, then those of each selection
     * @param failed sequence numbers of sends that failed
     * @param rolledBack sequence numbers that were rolled back
     * @param doubted sequence numbers of messages that the client may have sent twice
     * @param silent whether the sending half was lost before it reported the fates of its messages
     */
    public record Sent(
            int producer, int destination, long sent, SequenceSet[] confirmed, SequenceSet failed, SequenceSet rolledBack,
            SequenceSet doubted, boolean silent) {

        /** Mutable components of a {@link Sent}; by default nothing was sent and all sets are empty. */
        public static final class Values {

            public int producer = -1;
            public int destination = -1;
            public long sent;
            public SequenceSet[] confirmed = {SequenceSet.NONE};
            public SequenceSet failed = SequenceSet.NONE;
            public SequenceSet rolledBack = SequenceSet.NONE;
            public SequenceSet doubted = SequenceSet.NONE;
            public boolean silent;

            private Values() {}

            private Sent build() {
                return new Sent(producer, destination, sent, confirmed, failed, rolledBack, doubted, silent);
            }
        }

        /** Creates an instance from the components that {@code change} sets. */
        public static Sent of(Consumer<Values> change) {
            Values its = new Values();
            change.accept(its);
            return its.build();
        }

        /** Returns whether the sender knows of messages whose arrival is not a matter of course. */
        boolean hasUnforeseen() {
            return !silent && (failed.size() > 0 || rolledBack.size() > 0 || unknown(0) > 0);
        }

        /** Returns the number of messages from {@code from} on whose fate is unknown. */
        long unknown(long from) {
            return Math.max(0, sent - from) - confirmed[0].sizeFrom(from) - failed.sizeFrom(from) - rolledBack.sizeFrom(from);
        }

        /** Returns the number of messages in {@code set}, from {@code from} on, whose fate is unknown. */
        long unknownIn(SequenceSet set, long from) {
            return set.sizeWithout(confirmed[0], from) - set.sizeCommon(failed, from) - set.sizeCommon(rolledBack, from);
        }
    }
}
