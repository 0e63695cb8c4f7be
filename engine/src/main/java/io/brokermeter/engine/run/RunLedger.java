package io.brokermeter.engine.run;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
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
import io.brokermeter.engine.run.connect.Connections;
import io.brokermeter.engine.run.parts.RunCoordination;
import io.brokermeter.engine.run.receive.DeliveryCounts;
import io.brokermeter.engine.run.receive.Quota;
import io.brokermeter.engine.run.receive.Quotas;
import io.brokermeter.engine.run.receive.Receiver;
import io.brokermeter.engine.run.send.Sender;
import io.brokermeter.spi.Destination;
import org.jspecify.annotations.Nullable;

/**
 * The ledger of a run, and what it needs from the run: the subscriptions and since when they exist, the quotas of consumers, and what the
 * broker still holds when all consumers are closed.
 *
 * <p>Used by one thread at a time, except {@link #askBroker}, which may run on the closing thread.
 */
public final class RunLedger {

    /** The longest time until the broker counts messages that consumers gave back as waiting, in nanoseconds. */
    private static final long SETTLE = 1_500_000_000L;
    private static final long LOOK_EVERY = 50_000_000;
    /** The most queues that are asked for their depth before the run: each takes a round trip, and the begin must not take long. */
    private static final int MOST_ASKED_BEFORE = 50;

    private final Plan plan;
    private final Clock clock;
    private final Ledger ledger;
    private final int selections;
    private final List<SubscriptionLedger> subscriptions = new ArrayList<>();
    private final Quotas quotas;
    /** The groups that take from each subscription, by number of the subscription. */
    private final List<Set<ConsumerGroup>> takers = new ArrayList<>();
    /** The number of messages that waited before the run, by number of the destination; absent where that is not known. */
    private final Map<Integer, Long> before = new HashMap<>();
    private volatile Map<Integer, Long> held = Map.of();
    private final RunCoordination coordination;

    /** @param run number of the run in its messages */
    public RunLedger(Plan plan, Selections selections, long run, RunCoordination coordination, Clock clock) {
        this.plan = plan;
        this.coordination = coordination;
        this.clock = clock;
        this.selections = selections.count();
        this.ledger = plan.scenario().sends() ? Ledger.of(run, destinations(plan)) : Ledger.ofAnyRun();
        this.quotas = new Quotas(plan);
        int[] members = new int[plan.subscriptions()];
        int[] destinations = new int[plan.subscriptions()];
        int[] chosen = new int[plan.subscriptions()];
        for (int i = 0; i < members.length; i++) {
            // Compared by identity: the hash code of a group is computed from all its consumers, so taking it for each of them costs their
            // number squared.
            takers.add(Collections.newSetFromMap(new IdentityHashMap<>()));
        }
        for (ConsumerGroup group : plan.consumers()) {
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
            for (ConsumerPlan c : group.consumers()) {
                if (takers.get(c.subscription()).stream().allMatch(taker -> taker.misses(c.destination()))) {
                    subscription(c).toBeMade();
                }
            }
        }
        if (coordination.isAny()) {
            ledger.inParts();
        }
    }

    /** Returns the selection of a subscription whose consumers have these two selections. */
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

    public SubscriptionLedger subscription(ConsumerPlan consumer) {
        return subscriptions.get(consumer.subscription());
    }

    /** Returns the quota of a group; null for no limit. */
    public @Nullable Quota quota(ConsumerGroup group) {
        return quotas.of(group);
    }

    /** Returns whether a group has a quota and has not used it up here. */
    boolean lacks(ConsumerGroup group) {
        Quota quota = quota(group);
        return quota != null && !quota.isUsedUp();
    }

    /** Returns whether there are groups with a quota, and all of them have used it up, here or over all processes. */
    boolean quotasAreUsedUp() {
        quotas.over(coordination.usedUp());
        return quotas.areUsedUp();
    }

    /** Reports to the other processes what was taken here, when that is due. */
    void reportQuotaUse() {
        quotas.tell(coordination, clock.nanos());
    }

    /**
     * Notes that a consumer was opened, perhaps while messages are being sent: a subscription that keeps no earlier messages begins with
     * it.
     */
    void opened(ConsumerPlan consumer, Participants participants) {
        // A send that has begun and not returned may still reach the broker before the subscription.
        subscription(consumer).made(producer -> {
            Sender sender = participants.sender(producer);
            return sender == null ? 0 : sender.sent.get() + 1;
        });
    }

    /**
     * Returns the number of deliveries that are due and have not come, as {@link #missing}. Messages that consumers with a quota were not to take are not due.
     * Exact when no messages are moving.
     */
    long outstanding(List<Sender> senders) {
        return missing(senders).values().stream().mapToLong(Long::longValue).sum();
    }

    private void settleQuotas() {
        quotas.over(coordination.usedUp());
        for (int s = 0; s < subscriptions.size(); s++) {
            if (!takers.get(s).isEmpty() && takers.get(s).stream().allMatch(group -> quotas.isUsedUp(group.index()))) {
                subscriptions.get(s).satisfied();
            }
        }
    }

    /** Returns what the senders of this process know of their messages, and settles what groups with a quota were not to take. */
    public List<Ledger.Sent> sent(List<Sender> senders) {
        settleQuotas();
        List<Ledger.Sent> sent = new ArrayList<>();
        for (Sender sender : senders) {
            if (!sender.reports.bare()) {
                sent.add(Ledger.Sent.of(its -> {
                    its.producer = sender.plan.index();
                    its.destination = sender.plan.destinationIndex();
                    its.sent = sender.sent.get();
                    its.confirmed = sender.reports.confirmed.sets();
                    its.failed = sender.reports.failedTokens;
                    its.rolledBack = sender.reports.rolledBackTokens;
                    its.doubted = sender.reports.doubted();
                }));
            }
        }
        return sent;
    }

    /**
     * Records how many messages wait in queues of the run before it begins, so that they are not taken for its own at the end. For queues
     * that are not asked, the number stays unknown.
     */
    void askBefore(Connections connections) {
        if (!plan.scenario().sends() || !plan.scenario().receives()) {
            return;
        }
        int asked = 0;
        Set<Integer> declared = connections.created().declared();
        for (int number = 0; number < plan.destinations().size(); number++) {
            Destination destination = plan.destinations().get(number);
            if (destination.isTopic() || !declared.contains(number)) {
                continue;
            }
            if (connections.created().has(destination)) {
                before.put(number, 0L);
            } else if (asked++ < MOST_ASKED_BEFORE) {
                OptionalLong depth = connections.depth(destination);
                if (depth.isPresent()) {
                    before.put(number, depth.getAsLong());
                }
            }
        }
    }

    /** Returns the number of deliveries that are due and have not come, as far as this process knows, by number of the destination. */
    Map<Integer, Long> missing(List<Sender> senders) {
        return coordination.missing(() -> ledger.outstanding(sent(senders)));
    }

    /**
     * Asks the broker how many of the missing messages it still holds. Called when consumers are closed and have given back what they had
     * fetched. Waits a moment for the number to settle.
     *
     * @param outstanding number of missing deliveries, by number of the destination
     */
    void askBroker(Connections connections, Map<Integer, Long> outstanding) {
        Map<Integer, Long> depths = new HashMap<>();
        // How often in a row each queue that has not settled had the same depth as before.
        Map<Integer, Integer> alike = new HashMap<>();
        for (int number : outstanding.keySet()) {
            // Messages of others would be taken for those that did not come.
            if (!plan.destinations().get(number).isTopic() && before.containsKey(number)) {
                alike.put(number, 0);
            }
        }
        long end = clock.nanos() + SETTLE;
        // All queues settle in the same time: one after the other would take longer than closing may.
        while (true) {
            alike.entrySet().removeIf(queue -> {
                int number = queue.getKey();
                Long last = depths.get(number);
                if (last != null && clock.nanos() >= end) {
                    return true;
                }
                OptionalLong depth = connections.depth(plan.destinations().get(number));
                if (depth.isEmpty()) {
                    depths.remove(number);
                    return true;
                }
                long next = depth.getAsLong();
                depths.put(number, next);
                queue.setValue(last != null && last == next ? queue.getValue() + 1 : 0);
                return next >= outstanding.getOrDefault(number, 0L) || queue.getValue() >= 5;
            });
            if (alike.isEmpty() || clock.nanos() >= end || Thread.currentThread().isInterrupted()) {
                break;
            }
            clock.park(LOOK_EVERY);
        }
        held = depths;
    }

    /** Returns what receivers counted and what the broker reported. Called once all consumers are closed. */
    DeliveryCounts receipts(List<Receiver> receivers) {
        return DeliveryCounts.of(receivers, before, held);
    }

    // ---- one of several processes ----

    /**
     * Returns the deliveries that are due by what this process knows, and those that came here.
     *
     * @param without numbers of the producers whose messages are left out
     */
    Ledger.Balance balance(List<Sender> senders, BitSet without) {
        return ledger.balance(sent(senders), without);
    }

    /** Writes what this process knows, for {@link #add}. Called once all consumers are closed. */
    void write(DataOutput to, List<Sender> senders) throws IOException {
        ledger.write(to, sent(senders));
    }

    /** Adds what another process wrote, and returns what its senders know. */
    public List<Ledger.Sent> add(DataInput from) throws IOException {
        return ledger.add(from);
    }

    /** Returns the number of duplicates that a client of one process sent twice and another process received, see {@link Ledger#resent}. */
    public long resent(List<Ledger.Sent> senders) {
        return ledger.resent(senders);
    }

    /** Returns the highest sequence number of a producer's messages that was received anywhere; -1 for none. */
    public long seenFrom(int producer) {
        return ledger.seenFrom(producer);
    }

    /**
     * Closes the ledger after everything that is known was added to it.
     *
     * @param silent numbers of the destinations whose consumers may have received more than is known
     */
    public LedgerReport close(List<Ledger.Sent> senders, Collection<DeliveryCounts> parts, Set<Integer> silent) {
        DeliveryCounts receipts = DeliveryCounts.sum(parts, ledger.again(), ledger.againMarked());
        return ledger.close(senders, receipts.received(), number -> silent.contains(number) ? -1 : receipts.waiting(number));
    }

    /** Returns the number of different selectors of consumers that are understood. */
    public int selections() {
        return selections;
    }

    /** Returns the number of messages that each group with a quota took in this process, by number of the group. */
    Map<Integer, Long> taken() {
        return quotas.taken();
    }
}
