package io.brokermeter.engine.run;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

import io.brokermeter.engine.envelope.Ledger;
import io.brokermeter.engine.envelope.SubscriptionLedger;
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
    /** How often others are told what was taken here, until it is all that may be. */
    private static final long TELL_EVERY = 500_000_000;

    private final Plan plan;
    private final Clock clock;
    private final Ledger ledger;
    private final int selections;
    private final List<SubscriptionLedger> subscriptions = new ArrayList<>();
    /** By number of the group. */
    private final Map<Integer, Quota> quotas = new LinkedHashMap<>();
    /** By number of the subscription, the groups that take from it. */
    private final List<Set<ConsumerGroup>> takers = new ArrayList<>();
    /** By number of the destination; none where it is not known what waited. */
    private final Map<Integer, Long> before = new HashMap<>();
    private volatile Map<Integer, Long> held = Map.of();
    private Peers peers = Peers.NONE;
    private Map<Integer, Long> told = Map.of();
    private long toldUsedUp;
    private long toldAt;

    RunLedger(Plan plan, Selections selections, long run, Clock clock) {
        this.plan = plan;
        this.clock = clock;
        this.selections = selections.count();
        this.ledger = plan.scenario().sends() ? Ledger.of(run, destinations(plan)) : Ledger.ofAnyRun();
        int[] members = new int[plan.subscriptions()];
        int[] destinations = new int[plan.subscriptions()];
        int[] chosen = new int[plan.subscriptions()];
        for (int i = 0; i < members.length; i++) {
            // By identity: the hash code of a group is made of all its consumers, so to take it for each of them is their number squared.
            takers.add(Collections.newSetFromMap(new IdentityHashMap<>()));
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

    SubscriptionLedger subscription(ConsumerPlan consumer) {
        return subscriptions.get(consumer.subscription());
    }

    /** How many messages a group may take; null for no limit. */
    @Nullable Quota quota(ConsumerGroup group) {
        return quotas.get(group.index());
    }

    /** Whether there are groups with a quota, and all of them have used it up. */
    boolean quotasAreUsedUp() {
        Set<Integer> elsewhere = peers.usedUp();
        return !quotas.isEmpty() && quotas.entrySet().stream()
            .allMatch(quota -> quota.getValue().isUsedUp() || elsewhere.contains(quota.getKey()));
    }

    /** Tells the other processes what was taken here: at once where that is all that a group may take, otherwise now and then. */
    void tellTaken() {
        if (!peers.isAny() || quotas.isEmpty()) {
            return;
        }
        long usedUp = quotas.values().stream().filter(Quota::isUsedUp).count();
        long now = clock.nanos();
        if (usedUp > toldUsedUp || now - toldAt >= TELL_EVERY) {
            toldUsedUp = usedUp;
            toldAt = now;
            Map<Integer, Long> taken = taken();
            if (!taken.equals(told)) {
                told = taken;
                peers.took(taken);
            }
        }
    }

    /** A consumer was opened while messages were being sent: a subscription that keeps none begins with it. */
    void opened(ConsumerPlan consumer, Participants participants) {
        // A send that has begun and not returned may still be before the subscription.
        subscription(consumer).made(producer -> {
            Sender sender = participants.sender(producer);
            return sender == null ? 0 : sender.sent.get() + 1;
        });
    }

    /**
     * Deliveries that are due and have not come; what consumers with a quota were not to take is not due. Exact when nothing
     * moves.
     */
    long outstanding(List<Sender> senders) {
        return missing(senders).values().stream().mapToLong(Long::longValue).sum();
    }

    private void settleQuotas() {
        if (!quotas.isEmpty()) {
            Set<Integer> elsewhere = peers.usedUp();
            for (int s = 0; s < subscriptions.size(); s++) {
                if (!takers.get(s).isEmpty() && takers.get(s).stream().allMatch(group -> {
                    Quota quota = quota(group);
                    return quota != null && (quota.isUsedUp() || elsewhere.contains(group.index()));
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
                sent.add(Ledger.Sent.of(its -> {
                    its.producer = sender.plan.index();
                    its.destination = sender.plan.destinationIndex();
                    its.sent = sender.sent.get();
                    its.confirmed = sender.confirmations();
                    its.failed = sender.failedTokens;
                    its.rolledBack = sender.rolledBackTokens;
                    its.doubted = sender.doubted();
                }));
            }
        }
        return sent;
    }

    /**
     * Notes what waits in queues of the run before it begins, so that this is not taken for its own at the end. Of queues that are not asked it is
     * not known.
     */
    void askBefore(Connections connections) {
        if (!plan.scenario().sends() || !plan.scenario().receives()) {
            return;
        }
        int asked = 0;
        Set<Integer> declared = connections.declared();
        for (int number = 0; number < plan.destinations().size(); number++) {
            Destination destination = plan.destinations().get(number);
            if (destination.isTopic() || !declared.contains(number)) {
                continue;
            }
            if (connections.created(destination)) {
                before.put(number, 0L);
            } else if (asked++ < MOST_ASKED_BEFORE) {
                OptionalLong depth = connections.depth(destination);
                if (depth.isPresent()) {
                    before.put(number, depth.getAsLong());
                }
            }
        }
    }

    /** Deliveries that are due and have not come, by number of the destination. */
    Map<Integer, Long> missing(List<Sender> senders) {
        settleQuotas();
        return ledger.outstanding(sent(senders));
    }

    /**
     * Asks the broker for what it still holds of messages that did not come, when consumers are closed and have given back
     * what they had fetched. Waits a moment for the count to settle.
     *
     * @param outstanding how many did not come, by number of the destination
     */
    void askBroker(Connections connections, Map<Integer, Long> outstanding) {
        Map<Integer, Long> depths = new HashMap<>();
        outstanding.forEach((number, missing) -> {
            Destination destination = plan.destinations().get(number);
            // Messages of others would be taken for those that did not come.
            if (!destination.isTopic() && before.containsKey(number)) {
                OptionalLong waiting = settled(connections, destination, missing);
                waiting.ifPresent(depth -> depths.put(number, depth));
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

    /** What receivers counted and the broker said; once all consumers are closed. */
    DeliveryCounts receipts(List<Receiver> receivers) {
        return DeliveryCounts.of(receivers, before, held);
    }

    /** Closes the ledger; once all consumers are closed. */
    LedgerReport close(List<Sender> senders, List<Receiver> receivers) {
        settleQuotas();
        DeliveryCounts receipts = receipts(receivers);
        return ledger.close(sent(senders), receipts.received(), receipts::waiting);
    }

    // ---- one of several processes ----

    /** What this process knows of deliveries that are due and those that came. */
    Ledger.Balance balance(List<Sender> senders) {
        settleQuotas();
        return ledger.balance(sent(senders));
    }

    /** Says who runs other shares. */
    void inParts(Peers others) {
        peers = others;
        ledger.inParts();
    }

    /** Writes what this process knows, for {@link #add}; once all consumers are closed. */
    void write(DataOutput to, List<Sender> senders) throws IOException {
        settleQuotas();
        ledger.write(to, sent(senders));
    }

    /** Adds what another process wrote, and answers what its senders know. */
    List<Ledger.Sent> add(DataInput from) throws IOException {
        return ledger.add(from);
    }

    /** Duplicates that were sent twice by a client of another process than received them, see {@link Ledger#resent}. */
    long resent(List<Ledger.Sent> senders) {
        return ledger.resent(senders);
    }

    /** The highest number of a message of a producer that was received anywhere, -1 for none. */
    long seenFrom(int producer) {
        return ledger.seenFrom(producer);
    }

    /**
     * Closes a ledger to which all that is known was added.
     *
     * @param silent numbers of destinations of which a consumer may have got more than is known
     */
    LedgerReport close(List<Ledger.Sent> senders, Collection<DeliveryCounts> parts, Set<Integer> silent) {
        DeliveryCounts receipts = DeliveryCounts.sum(parts, ledger.again(), ledger.againMarked());
        return ledger.close(senders, receipts.received(), number -> silent.contains(number) ? -1 : receipts.waiting(number));
    }

    /** How many selections consumers have. */
    int selections() {
        return selections;
    }

    /** How many messages each group took that may take only a number of them, by number of the group. */
    Map<Integer, Long> taken() {
        Map<Integer, Long> taken = new LinkedHashMap<>();
        quotas.forEach((group, quota) -> taken.put(group, quota.taken()));
        return taken;
    }
}
