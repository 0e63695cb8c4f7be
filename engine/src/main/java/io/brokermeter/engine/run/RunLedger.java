package io.brokermeter.engine.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

import io.brokermeter.engine.envelope.Ledger;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.plan.ConsumerGroup;
import io.brokermeter.engine.plan.ConsumerPlan;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.ProducerGroup;
import io.brokermeter.engine.plan.Selections;
import io.brokermeter.engine.recording.LedgerReport;
import io.brokermeter.spi.Destination;
import org.jspecify.annotations.Nullable;

/**
 * The ledger of a run, with what it needs from the run: which subscriptions there are and since when, how many messages
 * consumers may take, and what the broker still holds when all consumers are closed.
 *
 * <p>For one thread at a time, but for {@link #askBroker}, which may run on the closing thread.
 */
final class RunLedger {

    /** How long what consumers give back may take until the broker counts it as waiting. */
    private static final long SETTLE = 1_500_000_000L;
    private static final long LOOK_EVERY = 50_000_000;
    /** Asking takes a round trip each, and beginning must not take long. */
    private static final int MOST_ASKED_BEFORE = 50;

    private final Plan plan;
    private final Clock clock;
    private final Ledger ledger;
    private final List<Ledger.Subscription> subscriptions = new ArrayList<>();
    /** By number of the group. */
    private final Map<Integer, Quota> quotas = new LinkedHashMap<>();
    /** By number of the subscription, the groups that take from it. */
    private final List<Set<ConsumerGroup>> takers = new ArrayList<>();
    private final Map<Destination, Long> before = new HashMap<>();
    private volatile Map<Destination, Long> held = Map.of();

    RunLedger(Plan plan, Selections selections, long run, Clock clock) {
        this.plan = plan;
        this.clock = clock;
        this.ledger = plan.scenario().sends() ? Ledger.of(run, destinations(plan)) : Ledger.ofAnyRun();
        int[] members = new int[plan.subscriptions()];
        int[] destinations = new int[plan.subscriptions()];
        int[] chosen = new int[plan.subscriptions()];
        for (int i = 0; i < members.length; i++) {
            takers.add(new HashSet<>());
        }
        for (ConsumerGroup group : plan.consumers()) {
            if (group.side().messageCount() > 0) {
                quotas.put(group.index(), new Quota(group.side().messageCount()));
            }
            for (ConsumerPlan c : group.consumers()) {
                int s = c.subscription();
                chosen[s] = members[s] == 0 ? selections.of(c) : either(chosen[s], selections.of(c));
                members[s]++;
                destinations[s] = c.destinationIndex();
                takers.get(s).add(group);
            }
        }
        for (int s = 0; s < members.length; s++) {
            subscriptions.add(ledger.subscribe(destinations[s], members[s], chosen[s]));
        }
        for (ConsumerGroup group : plan.consumers()) {
            boolean late = !group.side().start().isWithRun() && !group.side().durable();
            for (ConsumerPlan c : group.consumers()) {
                if (late && c.destination().isTopic()) {
                    subscription(c).toBeMade();
                }
            }
        }
    }

    /** What consumers with these two selections get together. */
    private static int either(int one, int other) {
        return one == other ? one : one == Selections.ALL || other == Selections.ALL ? Selections.ALL : Selections.UNKNOWN;
    }

    private static int[] destinations(Plan plan) {
        int[] destinations = new int[plan.producerCount()];
        for (ProducerGroup group : plan.producers()) {
            group.producers().forEach(p -> destinations[p.index()] = p.destinationIndex());
        }
        return destinations;
    }

    Ledger.Subscription subscription(ConsumerPlan consumer) {
        return subscriptions.get(consumer.subscription());
    }

    /** How many messages a group may take; null for no limit. */
    @Nullable Quota quota(ConsumerGroup group) {
        return quotas.get(group.index());
    }

    /** Whether there are groups with a quota, and all of them have used it up. */
    boolean quotasAreUsedUp() {
        return !quotas.isEmpty() && quotas.values().stream().allMatch(Quota::isUsedUp);
    }

    /** A consumer was opened while messages were being sent: a subscription that keeps none begins with it. */
    void opened(ConsumerPlan consumer, List<Sender> senders) {
        // A send that has begun and not returned may still be before the subscription.
        subscription(consumer).made(producer -> senders.get(producer).sent.get() + 1);
    }

    /**
     * Deliveries that are due and have not come; what consumers with a quota were not to take is not due. Exact when nothing
     * moves.
     */
    long outstanding(List<Sender> senders) {
        settleQuotas();
        return ledger.outstanding(sent(senders)).values().stream().mapToLong(Long::longValue).sum();
    }

    private void settleQuotas() {
        if (!quotas.isEmpty()) {
            for (int s = 0; s < subscriptions.size(); s++) {
                if (!takers.get(s).isEmpty() && takers.get(s).stream().allMatch(group -> {
                    Quota quota = quota(group);
                    return quota != null && quota.isUsedUp();
                })) {
                    subscriptions.get(s).satisfied();
                }
            }
        }
    }

    private static List<Ledger.Sent> sent(List<Sender> senders) {
        List<Ledger.Sent> sent = new ArrayList<>();
        for (Sender sender : senders) {
            if (!sender.bare()) {
                sent.add(new Ledger.Sent(sender.plan.index(), sender.plan.destinationIndex(), sender.sent.get(),
                    sender.confirmations(), sender.failedTokens, sender.rolledBackTokens));
            }
        }
        return sent;
    }

    /** Notes what waits in queues of the run before it begins, so that this is not taken for its own at the end. */
    void askBefore(Connections connections) {
        if (!plan.scenario().sends() || !plan.scenario().receives()) {
            return;
        }
        int asked = 0;
        for (Destination destination : plan.destinations()) {
            if (!destination.isTopic() && !connections.created(destination) && asked++ < MOST_ASKED_BEFORE) {
                connections.depth(destination).ifPresent(depth -> before.put(destination, depth));
            }
        }
    }

    /**
     * Asks the broker for what it still holds of messages that did not come, when consumers are closed and have given back
     * what they had fetched. Waits a moment for the count to settle.
     */
    void askBroker(Connections connections, List<Sender> senders) {
        Map<Destination, Long> depths = new HashMap<>();
        settleQuotas();
        ledger.outstanding(sent(senders)).forEach((number, missing) -> {
            Destination destination = plan.destinations().get(number);
            if (!destination.isTopic()) {
                OptionalLong waiting = settled(connections, destination, missing);
                waiting.ifPresent(depth -> depths.put(destination, depth));
            }
        });
        held = depths;
    }

    private OptionalLong settled(Connections connections, Destination destination, long enough) {
        long began = clock.nanos();
        int alike = 0;
        OptionalLong last = connections.depth(destination);
        while (last.isPresent() && last.getAsLong() < enough && alike < 5 && clock.nanos() - began < SETTLE
            && !Thread.currentThread().isInterrupted()) {
            clock.park(LOOK_EVERY);
            OptionalLong next = connections.depth(destination);
            alike = next.equals(last) ? alike + 1 : 0;
            last = next;
        }
        return last;
    }

    /** Closes the ledger; once all consumers are closed. */
    LedgerReport close(List<Sender> senders, List<Receiver> receivers) {
        settleQuotas();
        Map<Destination, Long> waiting = held;
        return ledger.close(sent(senders), new Ledger.Received(
            receivers.stream().mapToLong(r -> r.ours.get()).sum(), receivers.stream().mapToLong(r -> r.duplicates.get()).sum(),
            receivers.stream().mapToLong(r -> r.redeliveredDuplicates.get()).sum(),
            receivers.stream().mapToLong(r -> r.outOfOrder.get()).sum(),
            receivers.stream().mapToLong(r -> r.reorderDepth.get()).max().orElse(0),
            receivers.stream().mapToLong(r -> r.foreign.get()).sum(), receivers.stream().mapToLong(r -> r.corrupt.get()).sum(),
            receivers.stream().mapToLong(r -> r.old.get()).sum()),
            number -> waiting(plan.destinations().get(number), waiting, receivers));
    }

    /** How many messages of the run a destination may still hold; -1 when that is not known. */
    private long waiting(Destination destination, Map<Destination, Long> depths, List<Receiver> receivers) {
        Long depth = depths.get(destination);
        if (depth == null) {
            return -1;
        }
        long foreignTaken = receivers.stream().filter(r -> r.plan.destination().equals(destination))
            .mapToLong(r -> r.foreign.get() + r.old.get()).sum();
        long foreignLeft = Math.max(0, before.getOrDefault(destination, 0L) - foreignTaken);
        return Math.max(0, depth - foreignLeft);
    }

    /** For each group that got less than it was to take, how much. */
    List<Finding.Failure> tooFew() {
        Duration limit = plan.scenario().limits().duration();
        List<Finding.Failure> findings = new ArrayList<>();
        for (ConsumerGroup group : plan.consumers()) {
            Quota quota = quota(group);
            if (quota != null && quota.taken() < quota.count()) {
                findings.add(new Finding.TooFewTaken(plan.scenario().consumers().size() == 1 ? "" : group.side().name(), quota.taken(),
                    quota.count(), limit.isZero() ? null : limit));
            }
        }
        return findings;
    }
}
