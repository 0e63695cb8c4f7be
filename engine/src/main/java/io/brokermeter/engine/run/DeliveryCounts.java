package io.brokermeter.engine.run;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.ToLongFunction;

import io.brokermeter.engine.envelope.Ledger;

/**
 * What receivers counted, and what the broker said of its queues: with the sets of the ledger what is needed to close that. Maps have numbers of
 * destinations as keys.
 *
 * @param received what receivers counted
 * @param foreign messages of others that they took from each destination
 * @param before messages that waited before the run
 * @param held messages that waited when all consumers were closed
 */
public record DeliveryCounts(Ledger.Received received, Map<Integer, Long> foreign, Map<Integer, Long> before, Map<Integer, Long> held) {

    /** Of this process. */
    static DeliveryCounts of(List<Receiver> receivers, Map<Integer, Long> before, Map<Integer, Long> held) {
        Map<Integer, Long> foreign = new HashMap<>();
        receivers.forEach(r -> foreign.merge(r.plan.destinationIndex(), r.foreign.get() + r.old.get(), Long::sum));
        return new DeliveryCounts(Ledger.Received.of(its -> {
            its.ours = sum(receivers, r -> r.ours.get());
            its.duplicates = sum(receivers, r -> r.duplicates.get());
            its.redelivered = sum(receivers, r -> r.redeliveredDuplicates.get());
            its.outOfOrder = sum(receivers, r -> r.outOfOrder.get());
            its.reorderDepth = receivers.stream().mapToLong(r -> r.reorderDepth.get()).max().orElse(0);
            its.foreign = sum(receivers, r -> r.foreign.get());
            its.corrupt = sum(receivers, r -> r.corrupt.get());
            its.old = sum(receivers, r -> r.old.get());
        }), foreign, Map.copyOf(before), Map.copyOf(held));
    }

    /**
     * Of several processes together.
     *
     * @param again messages that were delivered to more than one of them, each as often as to others than the first
     * @param againMarked those that the broker marked
     */
    static DeliveryCounts sum(Collection<DeliveryCounts> parts, long again, long againMarked) {
        return new DeliveryCounts(Ledger.Received.of(its -> {
            its.ours = sum(parts, r -> r.received.ours());
            its.duplicates = sum(parts, r -> r.received.duplicates()) + again;
            its.redelivered = sum(parts, r -> r.received.redelivered()) + againMarked;
            its.outOfOrder = sum(parts, r -> r.received.outOfOrder());
            its.reorderDepth = parts.stream().mapToLong(r -> r.received.reorderDepth()).max().orElse(0);
            its.foreign = sum(parts, r -> r.received.foreign());
            its.corrupt = sum(parts, r -> r.received.corrupt());
            its.old = sum(parts, r -> r.received.old());
        }), merged(parts, DeliveryCounts::foreign, Long::sum), merged(parts, DeliveryCounts::before, Math::max),
            merged(parts, DeliveryCounts::held, Math::max));
    }

    /** How many messages of the run a destination may still hold; -1 when that is not known. */
    long waiting(int destination) {
        Long depth = held.get(destination);
        if (depth == null) {
            return -1;
        }
        long foreignLeft = Math.max(0, before.getOrDefault(destination, 0L) - foreign.getOrDefault(destination, 0L));
        return Math.max(0, depth - foreignLeft);
    }

    private static <T> long sum(Collection<T> all, ToLongFunction<T> count) {
        return all.stream().mapToLong(count).sum();
    }

    private static Map<Integer, Long> merged(Collection<DeliveryCounts> parts, Function<DeliveryCounts, Map<Integer, Long>> of,
            BinaryOperator<Long> both) {
        Map<Integer, Long> all = new HashMap<>();
        parts.forEach(part -> of.apply(part).forEach((key, count) -> all.merge(key, count, both)));
        return all;
    }
}
