package io.brokermeter.engine.envelope;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntToLongFunction;
import java.util.stream.Stream;

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

    /** Every message belongs to the subscription. */
    public static final int ALL = -1;
    /** Only the broker knows which messages belong to the subscription, so what comes is what was expected. */
    public static final int UNKNOWN = -2;

    private static final SequenceSet NONE = SequenceSet.forOneWriter();

    private final long run;
    private final boolean accepting;
    /** By number of the producer. */
    private final int[] destinations;
    /** The number of each producer among those of its destination. */
    private final int[] indices;
    private final Map<Integer, Integer> producersOf = new HashMap<>();
    private final List<Subscription> subscriptions = new ArrayList<>();
    private boolean inParts;
    private long again;
    private long againMarked;

    private Ledger(long run, boolean accepting, int... destinations) {
        this.run = run;
        this.accepting = accepting;
        this.destinations = destinations;
        this.indices = new int[destinations.length];
        for (int producer = 0; producer < destinations.length; producer++) {
            indices[producer] = producersOf.merge(destinations[producer], 1, Integer::sum) - 1;
        }
    }

    /**
     * A ledger for the messages of {@code run} alone; others are old.
     *
     * @param destinations of each producer the number of its destination
     */
    public static Ledger of(long run, int... destinations) {
        return new Ledger(run, false, destinations.clone());
    }

    /** A ledger for the messages of whichever runs of this tool arrive. */
    public static Ledger ofAnyRun() {
        return new Ledger(-1, true);
    }

    /**
     * Adds a subscription with {@code consumers} consumers; before the run begins.
     *
     * @param selection number of the selection, from 0, {@link #ALL} or {@link #UNKNOWN}
     */
    public Subscription subscribe(int destination, int consumers, int selection) {
        Subscription subscription = new Subscription(destination, consumers, selection);
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
        for (Subscription subscription : subscriptions) {
            if (!subscription.satisfied) {
                for (Sent sender : byDestination.getOrDefault(subscription.destination, List.of())) {
                    long due = subscription.missing(sender);
                    if (due > 0) {
                        missing.merge(subscription.destination, due, Long::sum);
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
     * Closes the ledger. Call when all receiving has ended.
     *
     * @param senders what the sending half knows; empty in a run that only receives
     * @param received what the receivers counted
     * @param waiting how many messages of this run the broker may still hold, by number of the destination; negative where that
     *     is not known
     */
    public LedgerReport close(List<Sent> senders, Received received, IntToLongFunction waiting) {
        Sums sums = new Sums();
        if (accepting) {
            subscriptions.forEach(subscription -> subscription.closeGaps(sums));
        } else {
            Map<Integer, List<Sent>> byDestination = byDestination(senders);
            Map<Integer, Long> held = new HashMap<>();
            for (Subscription subscription : subscriptions) {
                long missing = 0;
                for (Sent sender : byDestination.getOrDefault(subscription.destination, List.of())) {
                    missing += subscription.close(sender, sums);
                }
                long holds = held.computeIfAbsent(subscription.destination, waiting::applyAsLong);
                if (subscription.satisfied) {
                    sums.untaken += missing;
                } else if (holds < 0) {
                    sums.undelivered += missing;
                } else {
                    long there = Math.min(missing, holds);
                    held.put(subscription.destination, holds - there);
                    sums.left += there;
                    sums.lost += missing - there;
                }
            }
        }
        return new LedgerReport(sums.expected, received.ours, sums.lost, sums.left, sums.untaken, sums.undelivered, sums.beforeSubscription,
            sums.lostUnconfirmed, sums.unconfirmedDelivered, sums.failedDelivered, received.duplicates, received.redelivered,
            received.outOfOrder, received.reorderDepth, received.corrupt, received.foreign, received.old,
            sums.rolledBackDelivered, sums.unselected);
    }

    // ---- parts of a run in several processes ----

    /**
     * Says that other processes have other parts of the run, so that of duplicates must be kept which messages they are of; before the run
     * begins. Without this call nothing of that is kept.
     */
    public void inParts() {
        inParts = true;
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
            Subscription subscription = subscriptions.get(s);
            if (subscription.selection == UNKNOWN) {
                continue;
            }
            for (Sent sender : byDestination.getOrDefault(subscription.destination, List.of())) {
                SequenceSet confirmed = sender.confirmed()[subscription.selection + 1];
                due += confirmed.size();
                missing.merge(subscription.destination, confirmed.size(), Long::sum);
                dueSum += keyed(confirmed, s, sender.producer());
            }
            for (int producer = 0; producer < destinations.length; producer++) {
                if (destinations[producer] == subscription.destination) {
                    SequenceSet got = subscription.got(producer);
                    delivered += got.size();
                    missing.merge(subscription.destination, -got.size(), Long::sum);
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
        return set.sum(mixed(key) | 1, mixed(-key) | 1) + set.size() * mixed(key ^ 0x5DEECE66DL);
    }

    /** The finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): neighbouring keys get numbers that have nothing in common. */
    private static long mixed(long key) {
        long z = key * 0x9E3779B97F4A7C15L;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
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
        for (Subscription subscription : subscriptions) {
            subscription.write(to);
        }
    }

    /**
     * Adds what another process received, whose ledger was made for the same run and has the same subscriptions.
     *
     * @return what its sending half knows
     * @throws IOException when it is not such a ledger
     */
    public List<Sent> add(DataInput from) throws IOException {
        List<Sent> senders = new ArrayList<>();
        int count = from.readInt();
        for (int i = 0; i < count; i++) {
            int producer = from.readInt();
            int destination = from.readInt();
            if (producer < 0 || producer >= destinations.length || destinations[producer] != destination) {
                throw new IOException("A ledger is about a producer " + producer + " that the run has not.");
            }
            long sent = from.readLong();
            SequenceSet[] confirmed = new SequenceSet[Math.clamp(from.readInt(), 1, 1_000)];
            for (int s = 0; s < confirmed.length; s++) {
                confirmed[s] = SequenceSet.read(from);
            }
            senders.add(
                new Sent(producer, destination, sent, confirmed, SequenceSet.read(from), SequenceSet.read(from), SequenceSet.read(from)));
        }
        if (from.readInt() != subscriptions.size()) {
            throw new IOException("A ledger has other subscriptions than the run.");
        }
        for (Subscription subscription : subscriptions) {
            subscription.add(from);
        }
        return senders;
    }

    /** The highest number of a message of a producer that any subscription got, -1 for none. */
    public long seenFrom(int producer) {
        return subscriptions.stream().filter(subscription -> subscription.destination == destinations[producer])
            .mapToLong(subscription -> subscription.got(producer).last()).max().orElse(-1);
    }

    /** Messages that an added ledger has got as well, each as often as that was so: duplicates that no process has seen by itself. */
    public long again() {
        return again;
    }

    /** Those of them that the broker marked, as far as the driver knows its marks, in either of the two processes. */
    public long againMarked() {
        return againMarked;
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
        for (Subscription subscription : subscriptions) {
            for (Sent sender : byDestination.getOrDefault(subscription.destination, List.of())) {
                int index = indices[sender.producer()];
                resent += subscription.repeated.common(index, sender.doubted()) + subscription.elsewhere.common(index, sender.doubted());
            }
        }
        return resent;
    }

    private static final class Sums {
        private long expected;
        private long lost;
        private long left;
        private long untaken;
        private long undelivered;
        private long beforeSubscription;
        private long lostUnconfirmed;
        private long unconfirmedDelivered;
        private long failedDelivered;
        private long rolledBackDelivered;
        private long unselected;
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

        /** Of a producer whose client sends nothing twice. */
        public Sent(int producer, int destination, long sent, SequenceSet[] confirmed, SequenceSet failed, SequenceSet rolledBack) {
            this(producer, destination, sent, confirmed, failed, rolledBack, NONE);
        }

        /** Messages from {@code from} on whose fate is not known. */
        private long unknown(long from) {
            return Math.max(0, sent - from) - confirmed[0].sizeWithout(NONE, from) - failed.sizeWithout(NONE, from)
                - rolledBack.sizeWithout(NONE, from);
        }

        /** Those of them that are in a set. */
        private long unknownIn(SequenceSet set, long from) {
            return set.sizeWithout(confirmed[0], from) - common(set, failed, from) - common(set, rolledBack, from);
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
            long ours, long duplicates, long redelivered, long outOfOrder, long reorderDepth, long foreign, long corrupt, long old) {}

    /** How many numbers from {@code from} on two sets have in common. */
    private static long common(SequenceSet one, SequenceSet other, long from) {
        return one.sizeWithout(NONE, from) - one.sizeWithout(other, from);
    }

    /** Sets of rare messages, by index of the producer; any thread adds. */
    private static final class RareSets {

        private volatile @Nullable SequenceSet[] sets = new SequenceSet[1];

        /** False when it was there already. */
        private boolean add(int index, long sequence) {
            return at(index).add(sequence);
        }

        private SequenceSet at(int index) {
            SequenceSet set = known(index);
            return set == null ? made(index) : set;
        }

        private @Nullable SequenceSet known(int index) {
            @Nullable SequenceSet[] all = sets;
            return index < all.length ? all[index] : null;
        }

        private synchronized SequenceSet made(int index) {
            SequenceSet set = known(index);
            if (set == null) {
                set = SequenceSet.forManyWriters();
                @Nullable SequenceSet[] all = Arrays.copyOf(sets, Math.max(index + 1, sets.length));
                all[index] = set;
                sets = all;
            }
            return set;
        }

        private SequenceSet orNone(int index) {
            SequenceSet set = known(index);
            return set == null ? NONE : set;
        }

        private long common(int index, SequenceSet other) {
            return Ledger.common(orNone(index), other, 0);
        }
    }

    /** The same of messages that may come several times, each with how often: a set of those that came once at least, one of those twice at least, and so on. */
    private static final class RareCounts {

        /** What comes more often than that has another reason than a client that sends again. */
        private static final int MOST = 8;

        private final List<RareSets> times = Stream.generate(RareSets::new).limit(MOST).toList();

        private void add(int index, long sequence) {
            for (RareSets one : times) {
                if (one.add(index, sequence)) {
                    return;
                }
            }
        }

        private long common(int index, SequenceSet other) {
            return times.stream().mapToLong(one -> one.common(index, other)).sum();
        }

        private void write(int index, DataOutput to) throws IOException {
            for (RareSets one : times) {
                one.orNone(index).write(to);
            }
        }

        private void addAll(int index, DataInput from) throws IOException {
            for (int i = 0; i < MOST; i++) {
                SequenceSet set = SequenceSet.read(from);
                set.forEachCommon(set, sequence -> add(index, sequence));
            }
        }
    }

    /** What one subscription received. */
    public final class Subscription {

        private final int destination;
        private final boolean shared;
        private final int selection;
        /** Producers that the ledger did not know beforehand, with their indices: those of other runs, or of other destinations. */
        private final ConcurrentHashMap<Long, Integer> found = new ConcurrentHashMap<>();
        private volatile @Nullable SequenceSet[] byProducer = new SequenceSet[1];
        private boolean made = true;
        /** Of each producer, from which message on it is due; null for all. */
        private long @Nullable [] from;
        private boolean satisfied;
        /** Of a run in several processes: what came first with the broker's mark. */
        private final RareSets marked = new RareSets();
        /** Of a run in several processes: what a process got again, without the mark and not from a client here that may send twice. */
        private final RareCounts repeated = new RareCounts();
        /** What two processes got and neither with the mark. */
        private final RareCounts elsewhere = new RareCounts();

        private Subscription(int destination, int consumers, int selection) {
            this.selection = selection;
            this.destination = destination;
            this.shared = consumers > 1;
        }

        public int destination() {
            return destination;
        }

        /** Says that the subscription is to be made while messages are being sent, and keeps none that came before. */
        public void toBeMade() {
            made = false;
        }

        /**
         * Says that the subscription is made now, once and for all; nothing where it was from the beginning.
         *
         * @param next for each number of a producer, the first message that was certainly not sent before this call
         */
        public void made(IntToLongFunction next) {
            if (!made) {
                made = true;
                long[] first = new long[knownProducers()];
                for (int producer = 0; producer < destinations.length; producer++) {
                    if (destinations[producer] == destination) {
                        first[indices[producer]] = next.applyAsLong(producer);
                    }
                }
                from = first;
            }
        }

        /** Says that its consumers took all that they were to take, so that nothing more is due. */
        public void satisfied() {
            satisfied = true;
        }

        private int knownProducers() {
            return producersOf.getOrDefault(destination, 0);
        }

        /**
         * The index of the sender of a message, to be used with {@link #add} and to index a receiver's own arrays; -1 when
         * the message belongs to another run.
         */
        public int producerIndex(long messageRun, int producer) {
            if (!accepting) {
                if (messageRun != run || producer >= destinations.length) {
                    return -1;
                }
                if (destinations[producer] == destination) {
                    return indices[producer];
                }
            }
            long key = messageRun << 20 | producer;
            Integer index = found.get(key);
            return index == null ? find(key) : index;
        }

        private synchronized int find(long key) {
            // The number of those that were found must not change between reading it and giving it away.
            Integer index = found.get(key);
            if (index == null) {
                index = knownProducers() + found.size();
                found.put(key, index);
            }
            return index;
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

        /** A message that the broker has marked as delivered before is the first of its kind here. */
        public void marked(int producerIndex, long sequence) {
            if (inParts) {
                marked.add(producerIndex, sequence);
            }
        }

        /** A message came again, without the broker's mark, and no client here has sent it twice. */
        public void repeated(int producerIndex, long sequence) {
            if (inParts) {
                repeated.add(producerIndex, sequence);
            }
        }

        private synchronized SequenceSet newSet(int producerIndex) {
            @Nullable SequenceSet[] sets = byProducer;
            if (producerIndex >= sets.length) {
                sets = Arrays.copyOf(sets, Math.max(producerIndex + 1, sets.length * 2));
            }
            SequenceSet set = sets[producerIndex];
            if (set == null) {
                set = shared ? SequenceSet.forManyWriters() : SequenceSet.forOneWriter();
                sets[producerIndex] = set;
            }
            byProducer = sets;
            return set;
        }

        private void write(DataOutput to) throws IOException {
            Map<Integer, Long> keys = new HashMap<>();
            found.forEach((key, index) -> keys.put(index, key));
            @Nullable SequenceSet[] sets = byProducer;
            to.writeBoolean(satisfied);
            to.writeInt((int) Arrays.stream(sets).filter(Objects::nonNull).count());
            for (int index = 0; index < sets.length; index++) {
                SequenceSet set = sets[index];
                if (set != null) {
                    // Indices of those that were found are this process's own.
                    to.writeLong(index < knownProducers() ? -1 - index : keys.getOrDefault(index, 0L));
                    set.write(to);
                    marked.orNone(index).write(to);
                    repeated.write(index, to);
                }
            }
        }

        private void add(DataInput from) throws IOException {
            satisfied |= from.readBoolean();
            int count = from.readInt();
            for (int i = 0; i < count; i++) {
                long key = from.readLong();
                int index = key < 0 ? (int) (-1 - key) : find(key);
                if (index < 0 || key < 0 && index >= knownProducers()) {
                    throw new IOException("A ledger is about a producer that its destination has not.");
                }
                SequenceSet all = newSet(index);
                SequenceSet more = SequenceSet.read(from);
                marked.at(index).addAll(SequenceSet.read(from));
                repeated.addAll(index, from);
                all.forEachCommon(more, sequence -> {
                    again++;
                    if (marked.at(index).contains(sequence)) {
                        againMarked++;
                    } else {
                        elsewhere.add(index, sequence);
                    }
                });
                all.addAll(more);
            }
        }

        private SequenceSet got(Sent sender) {
            return got(sender.producer());
        }

        private SequenceSet got(int producer) {
            @Nullable SequenceSet[] sets = byProducer;
            int index = indices[producer];
            SequenceSet set = index < sets.length ? sets[index] : null;
            return set == null ? NONE : set;
        }

        private long from(Sent sender) {
            long[] first = from;
            return !made ? Long.MAX_VALUE : first == null ? 0 : first[indices[sender.producer()]];
        }

        /** Confirmed messages of a producer that are due and did not come. */
        private long missing(Sent sender) {
            return selection == UNKNOWN ? 0 : sender.confirmed()[selection + 1].sizeWithout(got(sender), from(sender));
        }

        /** Adds what became of a producer's messages, and answers how many that are due did not come. */
        private long close(Sent sender, Sums sums) {
            SequenceSet got = got(sender);
            long delivered = got.size();
            sums.rolledBackDelivered += common(got, sender.rolledBack(), 0);
            sums.failedDelivered += common(got, sender.failed(), 0);
            sums.unconfirmedDelivered += sender.unknownIn(got, 0);
            if (selection == UNKNOWN) {
                sums.expected += delivered;
                return 0;
            }
            SequenceSet confirmed = sender.confirmed()[selection + 1];
            long from = from(sender);
            long missing = missing(sender);
            long unselected = got.sizeWithout(confirmed) - got.sizeWithout(sender.confirmed()[0]);
            sums.unselected += unselected;
            sums.expected += delivered - unselected + missing;
            sums.beforeSubscription += confirmed.sizeWithout(got) - missing;
            if (selection == ALL) {
                sums.lostUnconfirmed += Math.max(0, sender.unknown(from) - sender.unknownIn(got, from));
            }
            return missing;
        }

        /** Without knowledge of what was sent: what is missing between the first and the last message of each producer. */
        private void closeGaps(Sums sums) {
            for (SequenceSet got : byProducer) {
                if (got != null) {
                    long size = got.size();
                    long span = size == 0 ? 0 : selection == UNKNOWN || satisfied ? size : got.last() - got.first() + 1;
                    sums.expected += span;
                    sums.lost += span - size;
                }
            }
        }
    }
}
