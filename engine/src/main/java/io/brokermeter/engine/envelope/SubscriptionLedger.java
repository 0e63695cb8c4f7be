package io.brokermeter.engine.envelope;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntToLongFunction;

import io.brokermeter.engine.recording.LedgerReport;
import org.jspecify.annotations.Nullable;

/**
 * The messages that one subscription received. A subscription is whatever gets each message once: a queue with all its
 * consumers, an unshared subscription, or a shared subscription with all its consumers. Created by {@link Ledger#subscribe}.
 *
 * <p>The threads that deliver to the consumers record deliveries: one thread at a time for a subscription with one consumer,
 * several at once for a subscription with more. They block each other only while memory for more messages is allocated. The
 * other methods are for the run's own thread.
 */
public final class SubscriptionLedger {

    private final LedgerProducers producers;
    private final int destination;
    private final boolean shared;
    private final int selection;
    /** The indices of producers that the ledger did not know beforehand, since they are of other runs or other destinations. */
    private final ConcurrentHashMap<Long, Integer> found = new ConcurrentHashMap<>();
    private volatile @Nullable SequenceSet[] byProducer = new SequenceSet[1];
    private boolean made = true;
    /** The first message of each producer that is due; null if all are. */
    private long @Nullable [] from;
    private boolean satisfied;
    /** Whether other processes execute parts of the run; set before the run begins. */
    private boolean inParts;
    private long again;
    private long againMarked;
    /** In a run of several processes, the messages whose first delivery here had the broker's mark. */
    private final RareSets marked = new RareSets();
    /** In a run of several processes, repeated deliveries without the mark of messages that no client here may have sent twice. */
    private final RareCounts repeated = new RareCounts();
    /** Messages that two processes received, neither of them with the mark. */
    private final RareCounts elsewhere = new RareCounts();

    SubscriptionLedger(LedgerProducers producers, int destination, int consumers, int selection) {
        this.producers = producers;
        this.selection = selection;
        this.destination = destination;
        this.shared = consumers > 1;
    }

    /** Returns the number of the subscription's destination. */
    public int destination() {
        return destination;
    }

    int selection() {
        return selection;
    }

    boolean isSatisfied() {
        return satisfied;
    }

    /** See {@link Ledger#inParts}. */
    void inParts() {
        inParts = true;
    }

    /** See {@link Ledger#again}. */
    long again() {
        return again;
    }

    /** See {@link Ledger#againMarked}. */
    long againMarked() {
        return againMarked;
    }

    /** Records that the subscription will be created during the load and miss earlier messages. Call before the run begins. */
    public void toBeMade() {
        made = false;
    }

    /**
     * Records that the subscription was created. Only the first call has an effect, and none if the subscription existed from
     * the beginning.
     *
     * @param next maps the number of a producer to the first message that was certainly not sent before this call
     */
    public void made(IntToLongFunction next) {
        if (!made) {
            made = true;
            long[] first = new long[knownProducers()];
            for (int producer = 0; producer < producers.count(); producer++) {
                if (producers.sendsTo(producer, destination)) {
                    first[producers.index(producer)] = next.applyAsLong(producer);
                }
            }
            from = first;
        }
    }

    /** Records that the consumers received as many messages as they were to take, so that nothing more is due. */
    public void satisfied() {
        satisfied = true;
    }

    private int knownProducers() {
        return producers.countOf(destination);
    }

    /**
     * Returns the index of the sender of a message, for {@link #add} and for a receiver's own arrays; -1 if the message belongs
     * to another run.
     */
    public int producerIndex(long messageRun, int producer) {
        if (!producers.ofAnyRun()) {
            if (!producers.isOurs(messageRun, producer)) {
                return -1;
            }
            if (producers.sendsTo(producer, destination)) {
                return producers.index(producer);
            }
        }
        long key = messageRun << 20 | producer;
        Integer index = found.get(key);
        return index == null ? find(key) : index;
    }

    /** Returns the number of the producer in a key of {@code found}. */
    private static int producer(long key) {
        return (int) (key & Envelope.PRODUCERS - 1);
    }

    private synchronized int find(long key) {
        // The size of the map must not change between reading it and assigning it as an index.
        Integer index = found.get(key);
        if (index == null) {
            index = knownProducers() + found.size();
            found.put(key, index);
        }
        return index;
    }

    /** Records a delivery; returns false if the message had been delivered before. */
    public boolean add(int producerIndex, long sequence) {
        @Nullable SequenceSet[] sets = byProducer;
        SequenceSet set = producerIndex < sets.length ? sets[producerIndex] : null;
        if (set == null) {
            set = newSet(producerIndex);
        }
        return set.add(sequence);
    }

    /** Records that the first delivery of a message to this process had the broker's mark of a redelivery. */
    public void marked(int producerIndex, long sequence) {
        if (inParts) {
            marked.add(producerIndex, sequence);
        }
    }

    /** Records that a message was delivered again without the broker's mark, and that no client here has sent it twice. */
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

    void write(DataOutput to) throws IOException {
        Map<Integer, Long> keys = new HashMap<>();
        found.forEach((key, index) -> keys.put(index, key));
        @Nullable SequenceSet[] sets = byProducer;
        to.writeBoolean(satisfied);
        long[] first = from;
        to.writeInt(first == null ? 0 : first.length);
        for (int i = 0; first != null && i < first.length; i++) {
            to.writeLong(first[i]);
        }
        to.writeInt((int) Arrays.stream(sets).filter(Objects::nonNull).count());
        for (int index = 0; index < sets.length; index++) {
            SequenceSet set = sets[index];
            if (set != null) {
                // Indices of producers in found are valid in this process alone.
                to.writeLong(index < knownProducers() ? -1 - index : keys.getOrDefault(index, 0L));
                set.write(to);
                marked.orNone(index).write(to);
                repeated.write(index, to);
            }
        }
    }

    void add(DataInput from) throws IOException {
        satisfied |= from.readBoolean();
        addMade(from);
        int count = from.readInt();
        for (int i = 0; i < count; i++) {
            long key = from.readLong();
            int index = key < 0 ? (int) (-1 - key) : find(key);
            if (index < 0 || key < 0 && index >= knownProducers()) {
                throw new IOException("A ledger is about a producer that its destination has not.");
            }
            if (key >= 0 && !producers.ofAnyRun() && !producers.isOurs(key >>> 20, producer(key))) {
                throw new IOException("A ledger is about a producer that the run has not.");
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

    /** Reads since when the subscription exists, which only the process that created it knows, for its own producers. */
    private void addMade(DataInput from) throws IOException {
        int count = from.readInt();
        if (count != 0 && count != knownProducers()) {
            throw new IOException("A ledger is about producers that its destination has not.");
        }
        long[] first = count == 0 ? null : new long[count];
        for (int i = 0; i < count && first != null; i++) {
            first[i] = from.readLong();
        }
        if (first == null || made && this.from == null) {
            return;
        }
        long[] known = this.from;
        for (int i = 0; known != null && i < count; i++) {
            first[i] = Math.max(first[i], known[i]);
        }
        made = true;
        this.from = first;
    }

    /** Returns whether the subscription existed from the beginning, so that every confirmed message is due. */
    boolean isWhole() {
        return made && from == null;
    }

    private SequenceSet got(Ledger.Sent sender) {
        return got(sender.producer());
    }

    SequenceSet got(int producer) {
        return gotAt(producers.index(producer));
    }

    private SequenceSet gotAt(int index) {
        @Nullable SequenceSet[] sets = byProducer;
        SequenceSet set = index < sets.length ? sets[index] : null;
        return set == null ? SequenceSet.NONE : set;
    }

    private long from(Ledger.Sent sender) {
        long[] first = from;
        return !made ? Long.MAX_VALUE : first == null ? 0 : first[producers.index(sender.producer())];
    }

    /** Returns the number of confirmed messages of a producer that are due and did not arrive. */
    long missing(Ledger.Sent sender) {
        return selection == Ledger.UNKNOWN ? 0 : sender.confirmed()[selection + 1].sizeWithout(got(sender), from(sender));
    }

    /** Adds the fates of a producer's messages to {@code sums} and returns how many of those that are due did not arrive. */
    long close(Ledger.Sent sender, Ledger.Sums sums) {
        SequenceSet got = got(sender);
        long delivered = got.size();
        if (selection == Ledger.UNKNOWN) {
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
        if (selection == Ledger.ALL) {
            sums.lostUnconfirmed += Math.max(0, sender.unknown(from) - sender.unknownIn(got, from));
        }
        return missing;
    }

    /** Returns the messages of a producer that arrived here, also where it sent them to another destination. */
    SequenceSet any(int producer) {
        if (producers.sendsTo(producer, destination)) {
            return got(producer);
        }
        return found.entrySet().stream().filter(known -> producer(known.getKey()) == producer).findFirst()
            .map(known -> gotAt(known.getValue())).orElse(SequenceSet.NONE);
    }

    /** Adds deliveries of messages that the run sent to other destinations. Only the broker knows which of them belong here. */
    void closeOthers(Ledger.Sums sums) {
        found.forEach((key, index) -> {
            sums.otherDestination += gotAt(index).size();
            sums.detour = new LedgerReport.Detour(producers.destination(producer(key)), destination);
        });
    }

    /** Adds what is missing between the first and the last message of each producer, where it is unknown what was sent. */
    void closeGaps(Ledger.Sums sums) {
        for (SequenceSet got : byProducer) {
            if (got != null) {
                long size = got.size();
                // A set is empty where its only number was out of range.
                long span = size == 0 || selection == Ledger.UNKNOWN || satisfied ? size : got.last() - got.first() + 1;
                sums.expected += span;
                sums.lost += span - size;
            }
        }
    }

    /** Returns the number of duplicates of a producer without the broker's mark that its client may have sent twice. */
    long resent(Ledger.Sent sender) {
        int index = producers.index(sender.producer());
        return repeated.common(index, sender.doubted()) + elsewhere.common(index, sender.doubted());
    }
}
