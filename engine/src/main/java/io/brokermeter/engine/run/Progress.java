package io.brokermeter.engine.run;

import java.time.Duration;
import java.util.function.BooleanSupplier;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.plan.Group;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.scenario.ConsumerSide;
import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.engine.scenario.Recovery;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.TimeLaw;

/**
 * Says when sends or deliveries that are due stand still, and ends a run that stands still for good, whether the time or a number of
 * messages is to end it:
 *
 * <ul>
 * <li>after a minute in which sends were due and none got on. That minute does not run while a connection of producers is being made anew,
 * which has a limit of its own, and while a fault of the scenario is in effect that will be undone;</li>
 * <li>where nothing but the number of messages that consumers are to take ends the load, after a minute in which deliveries were due and
 * none came: then they have too few. Of consumers that take longer than half of that for a message, after twice that time.</li>
 * </ul>
 *
 * <p>So a run that sends does not need another limit. One that only receives waits as long as it may: what others are still to send is not
 * known. Of a run in several processes each looks at its own sends. Reporting thread only.
 */
final class Progress {

    /** A stall is reported after this time without progress; half a second less, since intervals end a moment early or late. */
    private static final long STALL_AFTER = 4_500_000_000L;
    /** A run whose sends make no progress at all for this long is ended. */
    private static final long GIVE_UP_AFTER = 60_000_000_000L;

    private final Plan plan;
    private final Peers peers;
    private final Participants participants;
    private final RunLedger runLedger;
    private final Connections connections;
    private final EventLog events;
    private final BooleanSupplier faulted;
    /** How long deliveries that end the load may stand still. */
    private final long patience;
    private final Movement sends = new Movement();
    private final Movement deliveries = new Movement();
    private long firstOpened;
    private int groupsOpen;
    /** When it was last known why sends, or deliveries, stand still, and that this will end. */
    private long sendsExcused;
    private long deliveriesExcused;
    /** When no connection of producers, or none at all, was lost. */
    private long connectedAt;
    private long allConnectedAt;
    private boolean givenUp;

    /** @param faulted whether a fault is in effect that will be undone */
    Progress(Plan plan, Peers peers, Participants participants, RunLedger runLedger, Connections connections, EventLog events,
            BooleanSupplier faulted) {
        this.plan = plan;
        this.peers = peers;
        this.participants = participants;
        this.runLedger = runLedger;
        this.connections = connections;
        this.events = events;
        this.faulted = faulted;
        this.patience = plan.scenario().consumers().stream().mapToLong(Progress::longestWork).map(work -> 2 * work)
            .reduce(GIVE_UP_AFTER, Math::max);
    }

    /** About the longest that a consumer takes for a message. */
    private static long longestWork(ConsumerSide side) {
        Rate rate = side.rate();
        Duration processing = switch (side.processing()) {
            case TimeLaw.Constant always -> always.time();
            case TimeLaw.Uniform between -> between.longest();
            case TimeLaw.Exponential often -> often.mean().multipliedBy(10);
        };
        return Math.max(processing.toNanos(), rate == null ? 0 : (long) (1e9 / rate.perSecond()));
    }

    /** Whether consumers that are to end the load with the number of their messages got none for so long that they will not. */
    boolean isGivenUp() {
        return givenUp;
    }

    /** One more group of consumers takes messages. */
    void groupOpened() {
        groupsOpen++;
    }

    /** A consumer is open. */
    void consumerOpened(long now) {
        if (firstOpened == 0) {
            firstOpened = now;
            peers.opened(now);
        }
    }

    /** When the first consumer was open, nanoseconds since the epoch; 0 for none. */
    long firstOpened() {
        return firstOpened;
    }

    /** Whether consumers are still to come that are to take what is sent. */
    boolean lacksConsumers() {
        return groupsOpen < participants.receiving().size();
    }

    /** Looks at the counts of an interval that has just ended. */
    void look(long now, Participants.Counts counts) {
        if (!participants.senders().isEmpty()) {
            lookAtSends(now, counts);
        }
        if (!participants.receivers().isEmpty()) {
            lookAtDeliveries(now, counts.received());
        }
    }

    private void lookAtSends(long now, Participants.Counts counts) {
        long pending = participants.ofSenders(Sender::awaited);
        boolean due = pending > 0 || !participants.loops().stream().allMatch(loop -> loop.idle(now));
        sends.look(now, counts.completed() + counts.failed() + counts.sent(), due);
        if (sends.isStalled(now)) {
            events.add(Event.Kind.STALL,
                new Finding.SendsStalled(sends.seconds(now), Math.max(0, pending), url(true), connections.stallReason(),
                    connections.producersReconnect() || events.clientsReconnect()));
        }
        if (!connections.producersReconnect()) {
            connectedAt = now;
        }
        if (mayComeBack(now - connectedAt) || faulted.getAsBoolean()) {
            sendsExcused = now;
        }
        // A request waits for its own time; without one, a thread that neither waits nor gets on is in a send.
        boolean stuck = pending > 0 || due && participants.ofSenders(Sender::unreplied) == 0;
        if (stuck && now - Math.max(sends.movedAt, sendsExcused) > GIVE_UP_AFTER) {
            events.fatal(new Finding.Stuck(GIVE_UP_AFTER / 1_000_000_000L, Math.max(0, pending), url(true), connections.stallReason()));
        }
    }

    private void lookAtDeliveries(long now, long received) {
        boolean sending = plan.scenario().sends();
        // Looking takes time and memory with the number of producers and subscriptions, so only when nothing has come. Of what other processes
        // send and receive this one does not know.
        boolean due = !sending || received != deliveries.count
            || !peers.isAny() && !lacksConsumers() && runLedger.outstanding(participants.senders()) > 0;
        deliveries.look(now, received, due);
        if (deliveries.isStalled(now)) {
            events.add(Event.Kind.STALL, new Finding.DeliveriesStalled(deliveries.seconds(now),
                sending ? runLedger.outstanding(participants.senders()) : -1, url(false)));
        }
        if (connections.lost() == 0) {
            allConnectedAt = now;
        }
        if (mayComeBack(now - allConnectedAt) || faulted.getAsBoolean()) {
            deliveriesExcused = now;
        }
        givenUp |= sending && endsWithDeliveries() && now - Math.max(deliveries.movedAt, deliveriesExcused) > patience;
    }

    /** Whether a connection is being made anew that was lost so long ago; not when its client takes more time than its limit leaves it. */
    private boolean mayComeBack(long lostFor) {
        Recovery recovery = plan.scenario().limits().recovery();
        return recovery != null && lostFor > 0 && lostFor <= recovery.limit().toNanos();
    }

    /** Whether nothing but the number of messages that consumers are to take ends the load. */
    private boolean endsWithDeliveries() {
        Scenario scenario = plan.scenario();
        return scenario.length().isZero() && scenario.consumers().stream().anyMatch(side -> side.messageCount() > 0)
            && scenario.producers().stream().anyMatch(side -> side.messageCount() == 0);
    }

    /** Why the producers may be standing still; empty when no client knows. */
    String reason() {
        return connections.stallReason();
    }

    /** The URL of the first group of a kind. */
    private String url(boolean producing) {
        Group group = producing && !plan.producers().isEmpty() || plan.consumers().isEmpty() ? plan.producers().getFirst()
            : plan.consumers().getFirst();
        return group.url();
    }

    /** When a count last moved, and whether its stall was reported. */
    private static final class Movement {

        private long count = -1;
        private long movedAt;
        private boolean reported;

        void look(long now, long newCount, boolean due) {
            if (newCount != count || !due) {
                count = newCount;
                movedAt = now;
                reported = false;
            }
        }

        /** True once for each stall. */
        boolean isStalled(long now) {
            if (reported || now - movedAt < STALL_AFTER) {
                return false;
            }
            reported = true;
            return true;
        }

        long seconds(long now) {
            return Math.round((now - movedAt) / 1e9);
        }
    }
}
