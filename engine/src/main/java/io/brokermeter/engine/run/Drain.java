package io.brokermeter.engine.run;

import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import io.brokermeter.engine.envelope.Ledger;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.run.connect.Connections;
import io.brokermeter.engine.run.parts.RunCoordination;
import io.brokermeter.engine.run.send.SendLoop;
import io.brokermeter.engine.run.send.Sender;
import io.brokermeter.engine.scenario.Scenario;
import org.jspecify.annotations.Nullable;

/**
 * Waits for what is still due when the load has ended: sends that did not return, confirmations, replies and deliveries, then
 * duplicates. Every wait has a limit, in {@link AwakeTime}. Reporting thread only.
 */
final class Drain {

    /** The longest time without progress after a connection is lost for good, in nanoseconds. */
    private static final long WITHOUT_CONNECTION = 1_000_000_000L;
    /** The time that a send or commit under way gets when the load has ended, in nanoseconds; the drain timeout where that is longer. */
    private static final long LAST_SEND_WITHIN = 5_000_000_000L;
    /** The time that a send or commit under way gets when the drain was cut, in nanoseconds. */
    private static final long LAST_SEND_SOON = 1_000_000_000L;
    /** The time without progress, in nanoseconds, after which a broker that owes something is silent, and not waited for again. */
    private static final long SILENT_AFTER = 2_000_000_000L;
    /** The longest time between two looks at the ledger, in nanoseconds, also where one took long since the machine stood still. */
    private static final long LONGEST_PAUSE = 5_000_000_000L;
    /** The time to look for deliveries that are not due, after the last delivery and in total, in nanoseconds. */
    private static final long LOOK_FOR_MORE = 100_000_000;
    private static final long LOOK_AT_MOST = 1_000_000_000;

    private final Scenario scenario;
    private final RunCoordination coordination;
    private final Connections connections;
    private final Participants participants;
    private final RunLedger runLedger;
    private final RunState state;
    private final EventLog events;
    private final Progress progress;
    private final Clock clock;
    private final AwakeTime time;
    private final Reporting reporting;
    private final Consumer<Finding.Failure> found;
    /** Send loops whose last send did not return in time; they are waited for only once. */
    private final Set<SendLoop> notReturned = new HashSet<>();
    private boolean silent;
    private boolean deliveriesStillArriving;
    /** The step of the other processes that is waited for. */
    private RunCoordination.Step step = RunCoordination.Step.DRAINED;
    /** What was reported for that step; null for nothing yet. */
    private RunCoordination.@Nullable Balance told;
    /** The time that the last look at the ledger took, in nanoseconds. */
    private long lookTook;
    /** The moment before which {@link #isOver} does not look again, in nanoseconds since the epoch. */
    private long nextLook;

    /** @param found takes each failure that is found */
    Drain(Scenario scenario, RunCoordination coordination, Connections connections, Participants participants, RunLedger runLedger,
            RunState state,
            EventLog events,
            Progress progress,
            Clock clock,
            Reporting reporting, Consumer<Finding.Failure> found) {
        this.scenario = scenario;
        this.coordination = coordination;
        this.connections = connections;
        this.participants = participants;
        this.runLedger = runLedger;
        this.state = state;
        this.events = events;
        this.progress = progress;
        this.clock = clock;
        this.time = new AwakeTime(clock);
        this.reporting = reporting;
        this.found = found;
    }

    /**
     * Waits until the sending threads have ended. No thread is interrupted: that would break its commit, or close its connection.
     *
     * @param threads the thread of each loop that was started
     * @param all whether to wait for the loops that publish counts as well
     */
    void joinSenders(Map<SendLoop, Thread> threads, boolean all) {
        long began = time.nanos();
        long limit = Math.max(LAST_SEND_WITHIN, scenario.limits().drainTimeout().toNanos());
        Set<SendLoop> left = new HashSet<>(notReturned);
        participants.sending().stream().filter(group -> !all && group.publishesCounts()).forEach(group -> left.addAll(group.loops()));
        threads.forEach((loop, thread) -> {
            if (left.contains(loop)) {
                return;
            }
            while (thread.isAlive() && time.nanos() - began < (state.isDrainCut() ? LAST_SEND_SOON : limit)) {
                time.join(thread, 20_000_000);
                reporting.report();
            }
            if (thread.isAlive() && !state.isDrainCut()) {
                silent = true;
                notReturned.add(loop);
                found.accept(new Finding.SendNotReturned(limit / 1_000_000_000L, progress.reason()));
            }
        });
    }

    /**
     * Waits for confirmations and deliveries that are still due, at most for the drain timeout, which counts from the end of the sends, and
     * in addition for the longest time for which the broker holds messages back. Requests have at least their own time.
     * Where consumers start only then, the timeout counts from the last progress, since a backlog takes as long as it takes. These
     * consumers may be in another process, whose progress is not known here: when its own time is over, this process holds up no other
     * any more, but keeps what it created for all, and returns only when the others are drained, too. Counts of consumers that are still
     * being published are not waited for, and are no progress, since they never end by themselves.
     *
     * @param until the step of the other processes that is waited for: {@link RunCoordination.Step#DRAINED}, or {@link RunCoordination.Step#COUNTS_DRAINED}
     *     when no counts are published any more
     * @param loadEnded when the load ended
     * @param backlog whether consumers start only when the load has ended
     */
    void await(RunCoordination.Step until, long loadEnded, boolean backlog) {
        step = until;
        told = null;
        long limit = scenario.deliveryTimeout().toNanos();
        long requests = Math.max(limit, scenario.longestRequest().toNanos());
        // A send that never returned has used up the limit.
        long began = silent ? loadEnded : time.nanos();
        long progressAt = began;
        long before = -1;
        long receivedBefore = -1;
        long arrivedAt = Long.MIN_VALUE;
        boolean drained = false;
        boolean stays = false;
        while (!(drained = isDrained()) && !state.isDrainCut()) {
            long now = time.nanos();
            long received = participants.receivedOfDrained();
            if (receivedBefore >= 0 && received != receivedBefore) {
                arrivedAt = now;
            }
            receivedBefore = received;
            long moved = participants.progress();
            if (moved > before) {
                before = moved;
                progressAt = now;
            }
            boolean lost = events.isConnectionLost() && now - progressAt > WITHOUT_CONNECTION;
            // Whether other processes wait for replies from this one is not known.
            boolean replies = coordination.isAny() || participants.ofSenders(Sender::unreplied) > 0;
            boolean over = now - (backlog ? progressAt : began) >= (replies ? requests : limit);
            if (lost || !stays && over) {
                stays = backlog && coordination.isAny() && !lost;
                if (!stays) {
                    break;
                }
                silent |= pending(participants.drained()) > 0;
                coordination.reached(step);
            }
            reporting.report();
            // The cost of a look grows with the number of producers and subscriptions.
            time.park(Math.clamp(10 * lookTook, 2_000_000, 200_000_000));
        }
        silent |= !drained && time.nanos() - progressAt >= Math.min(limit, SILENT_AFTER + scenario.longestDeliveryDelay().toNanos());
        deliveriesStillArriving = !drained && arrivedAt > time.nanos() - Math.min(500_000_000L, limit / 2);
    }

    /**
     * Returns whether nothing that is due is missing, while something else than the drain is waited for. Often false where a look at the
     * ledger takes long, since looks are made seldom then. For a run in one process.
     */
    boolean isOver() {
        if (clock.nanos() < nextLook) {
            return false;
        }
        boolean drained = isDrained();
        nextLook = clock.nanos() + Math.min(10 * lookTook, LONGEST_PAUSE);
        return drained;
    }

    private boolean isDrained() {
        lookTook = 0;
        long now = clock.nanos();
        // A request waits at most for its own timeout, and no sending thread is left that would expire it.
        participants.sending().stream().filter(Participants.SendingGroup::isFinished)
            .forEach(group -> group.senders().forEach(sender -> sender.expireRequests(now)));
        List<Sender> senders = participants.drained();
        if (coordination.isAny()) {
            return isDrainedTogether(senders);
        }
        if (pending(senders) > 0) {
            return false;
        }
        if (!scenario.sends() || !participants.hasLedger() || state.isStopping() && progress.lacksConsumers()) {
            return true;
        }
        long began = clock.nanos();
        boolean none = runLedger.outstanding(senders) == 0;
        lookTook = clock.nanos() - began;
        return none;
    }

    /** Returns the number of sends and requests whose fate is open. */
    private static long pending(List<Sender> senders) {
        return Participants.sum(senders, Sender::pending) + Participants.sum(senders, Sender::unreplied);
    }

    /**
     * Tells the other processes what is due and what came here, and returns whether all processes together are drained: the balance of one
     * alone does not show that.
     */
    private boolean isDrainedTogether(List<Sender> senders) {
        // A number of messages may be reached only now, and ends the wait for what is due beyond it.
        runLedger.reportQuotaUse();
        // What a lost connection will still deliver is not known, so the others wait for it.
        long pending = pending(senders) + connections.lost();
        if (pending == 0 && (!scenario.sends() || !scenario.receives() || state.isStopping() && progress.lacksConsumers())) {
            coordination.reached(step);
        } else {
            long began = clock.nanos();
            Ledger.Balance balance = pending > 0 ? new Ledger.Balance(0, 0, 0, 0, Map.of())
                : runLedger.balance(participants.senders(), step == RunCoordination.Step.DRAINED ? participants.counting() : new BitSet());
            RunCoordination.Balance now =
                new RunCoordination.Balance(pending, balance.due(), balance.dueSum(), balance.delivered(), balance.deliveredSum(),
                    balance.missing());
            if (!now.equals(told)) {
                told = now;
                coordination.owes(now);
            }
            lookTook = clock.nanos() - began;
        }
        return coordination.mayPass(step);
    }

    /**
     * Waits until no delivery has come for a moment, since duplicates may follow the last delivery that was due.
     *
     * @return the last moment of the run: that of the call, or that of the return when more deliveries came
     */
    long lookForMore() {
        long drained = clock.nanos();
        if (!scenario.sends() || !participants.hasLedger() || state.isDrainCut() || events.isConnectionLost()
            || runLedger.quotasAreUsedUp()) {
            return drained;
        }
        long began = participants.received();
        long seen = began;
        long looked = time.nanos();
        long movedAt = looked;
        long now = looked;
        while (now - movedAt < LOOK_FOR_MORE && now - looked < LOOK_AT_MOST && !state.isDrainCut() && !events.isFatal()) {
            time.park(5_000_000);
            now = time.nanos();
            long received = participants.received();
            if (received != seen) {
                seen = received;
                movedAt = now;
            }
        }
        return seen == began ? drained : clock.nanos();
    }

    /** Returns whether the broker was silent while something was due from it. */
    boolean isSilent() {
        return silent;
    }

    /** Returns whether deliveries still arrived when the wait for them was over. */
    boolean deliveriesStillArriving() {
        return deliveriesStillArriving;
    }
}
