package io.brokermeter.engine.run;

import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.plan.Group;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.run.connect.Connections;
import io.brokermeter.engine.run.parts.RunCoordination;
import io.brokermeter.engine.run.send.Sender;
import io.brokermeter.engine.scenario.Recovery;

/**
 * Reports when sends or deliveries that are due make no progress, and ends a run that makes none for good, whether a time or a number of
 * messages is to end it:
 *
 * <ul>
 * <li>after a minute in which sends were due and none made progress. That minute does not run while a connection of producers is being
 * restored, which has a limit of its own, and while a fault of the scenario is in effect that will be undone;</li>
 * <li>where nothing but the number of messages that consumers are to take ends the load, when {@link AwaitedDeliveries} to those that lack
 * some do not come: then there are too few messages for them.</li>
 * </ul>
 *
 * <p>So a run that sends needs no other limit. A run that only receives waits as long as it may, since it is not known what others will
 * still send. In a run of several processes each watches its own sends, and their coordinator the deliveries of all. Used by the
 * reporting thread only.
 */
public final class Progress {

    /**
     * The time without progress after which a stall is reported, in nanoseconds: half a second less than 5 s, since intervals end a moment
     * early or late.
     */
    private static final long STALL_AFTER = 4_500_000_000L;
    /** The time without any progress of sends after which the run is ended, in nanoseconds. */
    static final long GIVE_UP_AFTER = 60_000_000_000L;

    private final Plan plan;
    private final RunCoordination coordination;
    private final Participants participants;
    private final RunLedger runLedger;
    private final Connections connections;
    private final EventLog events;
    private final BooleanSupplier faulted;
    private final AwaitedDeliveries awaited;
    private final Movement sends = new Movement();
    private final Movement deliveries = new Movement();
    /** The number of deliveries to groups that had not got their number of messages yet. */
    private long wanted = -1;
    private long firstOpened;
    private int groupsOpen;
    /**
     * The last time at which a passing cause was known for sends that make no progress, in nanoseconds since the epoch.
     */
    private long sendsExcused;
    /** The last times at which no connection of producers, or none at all, was in the lost state; in nanoseconds since the epoch. */
    private long connectedAt;
    private long allConnectedAt;
    private boolean givenUp;

    /** @param faulted returns whether a fault is in effect that will be undone */
    Progress(Plan plan, RunCoordination coordination, Participants participants, RunLedger runLedger, Connections connections,
            EventLog events,
            BooleanSupplier faulted) {
        this.plan = plan;
        this.coordination = coordination;
        this.participants = participants;
        this.runLedger = runLedger;
        this.connections = connections;
        this.events = events;
        this.faulted = faulted;
        this.awaited = new AwaitedDeliveries(plan);
    }

    /**
     * Returns whether consumers that are to end the load with their number of messages got none for so long that they are not expected to
     * end it.
     */
    boolean isGivenUp() {
        return givenUp;
    }

    /** Notes that one more group of consumers starts to take messages. */
    void groupOpened() {
        groupsOpen++;
    }

    /** Notes that a consumer is open. */
    void consumerOpened(long now) {
        if (firstOpened == 0) {
            firstOpened = now;
            coordination.opened(now);
        }
    }

    /** Returns when the first consumer was open, in nanoseconds since the epoch; 0 for none. */
    public long firstOpened() {
        return firstOpened;
    }

    /** Returns whether there are groups of consumers that have not started to take messages yet. */
    boolean lacksConsumers() {
        return groupsOpen < participants.receiving().size();
    }

    /** Looks for what makes no progress. Called about once a second or more often. */
    void look(long now) {
        if (!participants.senders().isEmpty()) {
            lookAtSends(now);
        }
        if (!participants.receivers().isEmpty()) {
            lookAtDeliveries(now, participants.received());
        }
    }

    private void lookAtSends(long now) {
        // Counts of consumers go on while the load is blocked, so only a process that sends nothing else looks at them.
        List<Participants.SendingGroup> load = participants.load();
        List<Participants.SendingGroup> groups = load.isEmpty() ? participants.sending() : load;
        long pending = sum(groups, Sender::awaited);
        boolean due = pending > 0 || !groups.stream().flatMap(group -> group.loops().stream()).allMatch(loop -> loop.idle(now));
        sends.look(now, sum(groups, sender -> sender.reports.completed.get() + sender.reports.failed.get() + sender.sent.get()), due);
        if (sends.isStalled(now, STALL_AFTER)) {
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
        // A request ends by its own timeout. Without pending requests, a thread that has something due and makes no progress is stuck in a
        // send.
        boolean stuck = pending > 0 || due && sum(groups, Sender::unreplied) == 0;
        if (stuck && now - Math.max(sends.movedAt, sendsExcused) > GIVE_UP_AFTER) {
            events.fatal(new Finding.Stuck(GIVE_UP_AFTER / 1_000_000_000L, Math.max(0, pending), url(true), connections.stallReason()));
        }
    }

    private static long sum(List<Participants.SendingGroup> groups, ToLongFunction<Sender> part) {
        return Participants.sum(groups, group -> Participants.sum(group.senders(), part));
    }

    private void lookAtDeliveries(long now, long received) {
        boolean sending = plan.scenario().sends();
        // The number of outstanding deliveries costs time and memory in proportion to producers and subscriptions, so it is computed only
        // when nothing has come. Of several processes none knows of any: it does not know what the others send and receive.
        boolean due = !sending || received != deliveries.count || !lacksConsumers() && runLedger.outstanding(participants.senders()) > 0;
        deliveries.look(now, received, due);
        // A message is sent at once, and due only when the broker holds it back no more.
        if (deliveries.isStalled(now, STALL_AFTER + plan.scenario().longestDeliveryDelay().toNanos())) {
            events.add(Event.Kind.STALL, new Finding.DeliveriesStalled(deliveries.seconds(now),
                sending ? runLedger.outstanding(participants.senders()) : -1, url(false)));
        }
        if (connections.lost() == 0) {
            allConnectedAt = now;
        }
        if (sending && awaited.areDecisive()) {
            lookAtWanted(now, mayComeBack(now - allConnectedAt) || faulted.getAsBoolean());
        }
    }

    /**
     * Checks the deliveries to groups that have not got their number yet: the load ends when they have, so deliveries to others do not
     * matter.
     */
    private void lookAtWanted(long now, boolean excused) {
        List<Participants.ReceivingGroup> wanting = participants.receiving().stream().filter(group -> runLedger.lacks(group.plan()))
            .toList();
        long received = Participants.sum(wanting, group -> Participants.sum(group.receivers(), r -> r.received.get()));
        givenUp |= awaited.isGivenUp(now, !excused && received == wanted && !lacksConsumers() && isOutstanding(wanting));
        wanted = received;
    }

    /** Returns whether a delivery is due on a destination of one of these groups. */
    private boolean isOutstanding(List<Participants.ReceivingGroup> groups) {
        Set<Integer> missing = runLedger.missing(participants.senders()).keySet();
        return groups.stream().flatMap(group -> group.receivers().stream()).anyMatch(r -> missing.contains(r.plan.destinationIndex()));
    }

    /**
     * Returns whether a connection that was lost {@code lostFor} nanoseconds ago may still be restored; false after the limit of the
     * recovery, even if an attempt of the client takes longer than that.
     */
    private boolean mayComeBack(long lostFor) {
        Recovery recovery = plan.scenario().limits().recovery();
        return recovery != null && lostFor > 0 && lostFor <= recovery.limit().toNanos();
    }

    /** Returns why the producers may be making no progress; empty when no client knows. */
    String reason() {
        return connections.stallReason();
    }

    /** Returns the URL of the first group of producers or of consumers. */
    private String url(boolean producing) {
        Group group = producing && !plan.producers().isEmpty() || plan.consumers().isEmpty() ? plan.producers().getFirst()
            : plan.consumers().getFirst();
        return group.url();
    }

    /** The last movement of a count, and whether a stall since then was reported. */
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

        /**
         * Returns true once for each stall.
         *
         * @param after time without movement that is a stall, in nanoseconds
         */
        boolean isStalled(long now, long after) {
            if (reported || now - movedAt < after) {
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
