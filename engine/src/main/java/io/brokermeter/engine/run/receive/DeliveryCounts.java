package io.brokermeter.engine.run.receive;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.function.Function;

import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.scenario.measure.Count;

/**
 * The counts of receivers, and the depths of queues as the broker reported them: all that is needed, with the sets of the ledger, to close
 * the ledger. The keys of the maps are numbers of destinations.
 *
 * @param received the counts of the ledger that the receivers have
 * @param foreign number of messages that receivers took from each destination and that were not of this run
 * @param before number of messages that waited before the run
 * @param held number of messages that waited when all consumers were closed
 */
public record DeliveryCounts(Counts received, Map<Integer, Long> foreign, Map<Integer, Long> before, Map<Integer, Long> held) {

    /** Creates the counts of this process. */
    public static DeliveryCounts of(List<Receiver> receivers, Map<Integer, Long> before, Map<Integer, Long> held) {
        Map<Integer, Long> foreign = new HashMap<>();
        receivers.forEach(r -> foreign.merge(r.plan.destinationIndex(), r.foreign.get() + r.old.get(), Long::sum));
        Counts.Sum received = new Counts.Sum();
        receivers.forEach(receiver -> receiver.counters.addTo(received));
        return new DeliveryCounts(received.counts().with(Counts.NONE, count -> !count.isOfLedger()), foreign, Map.copyOf(before),
            Map.copyOf(held));
    }

    /**
     * Returns the counts of several processes together: sums, and the greatest depth that any of them was told.
     *
     * @param again duplicates that no process saw by itself: each message counts once for every process but the first that it came to
     * @param againMarked those of these duplicates that the broker marked as redelivered
     */
    public static DeliveryCounts sum(Collection<DeliveryCounts> parts, long again, long againMarked) {
        Counts.Sum received = new Counts.Sum();
        parts.forEach(part -> received.add(part.received));
        received.add(Count.DUPLICATES, again);
        received.add(Count.REDELIVERED_DUPLICATES, againMarked);
        return new DeliveryCounts(received.counts(), merged(parts, DeliveryCounts::foreign, Long::sum),
            merged(parts, DeliveryCounts::before, Math::max), merged(parts, DeliveryCounts::held, Math::max));
    }

    /** Returns the number of messages of the run that a destination may still hold; -1 when unknown. */
    public long waiting(int destination) {
        Long depth = held.get(destination);
        if (depth == null) {
            return -1;
        }
        long foreignLeft = Math.max(0, before.getOrDefault(destination, 0L) - foreign.getOrDefault(destination, 0L));
        return Math.max(0, depth - foreignLeft);
    }

    private static Map<Integer, Long> merged(Collection<DeliveryCounts> parts, Function<DeliveryCounts, Map<Integer, Long>> of,
            BinaryOperator<Long> both) {
        Map<Integer, Long> all = new HashMap<>();
        parts.forEach(part -> of.apply(part).forEach((key, count) -> all.merge(key, count, both)));
        return all;
    }
}
