package io.brokermeter.engine.run;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.plan.Group;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.recording.Event;

/** Says when sends or deliveries that are due stand still, and ends a run that stands still for good. Reporting thread only. */
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
    private final Movement sends = new Movement();
    private final Movement deliveries = new Movement();
    private int groupsOpen;

    Progress(Plan plan, Peers peers, Participants participants, RunLedger runLedger, Connections connections, EventLog events) {
        this.plan = plan;
        this.peers = peers;
        this.participants = participants;
        this.runLedger = runLedger;
        this.connections = connections;
        this.events = events;
    }

    /** One more group of consumers takes messages. */
    void consumersOpened() {
        groupsOpen++;
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
        // A request waits for its own time; without one, a thread that neither waits nor gets on is in a send.
        boolean stuck = pending > 0 || due && participants.ofSenders(Sender::unreplied) == 0;
        if (stuck && now - sends.movedAt > GIVE_UP_AFTER) {
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
