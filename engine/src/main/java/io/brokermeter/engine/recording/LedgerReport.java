package io.brokermeter.engine.recording;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * The fates of all messages, over all producers and subscriptions. Counts are numbers of deliveries, where not said
 * otherwise: a message that is due to two subscriptions counts twice.
 *
 * @param expected deliveries due: confirmed or delivered messages times subscriptions, without {@code unselected},
 *     {@code otherDestination} and {@code beforeSubscription}
 * @param received deliveries of this run's messages, duplicates included
 * @param lost deliveries due that never arrived, of messages that the broker no longer holds
 * @param left deliveries due that never arrived, of messages that wait in the broker
 * @param untaken deliveries due beyond the number that consumers were to take
 * @param undelivered deliveries due that did not arrive in time, where it is unknown whether the broker still holds the messages
 * @param beforeSubscription deliveries of messages that were sent before the subscription was made, so that they were not due
 * @param lostUnconfirmed deliveries that did not arrive, of messages whose fate the sender does not know; in none of the above
 * @param unconfirmedDelivered messages that were delivered, of those whose fate the sender does not know; each once, whatever the number of
 *     subscriptions, and without those of a process that was lost before it reported which they are
 * @param failedDelivered messages that were delivered, of those whose sending was reported as failed; each once
 * @param duplicates deliveries of a message that was delivered before
 * @param redeliveredDuplicates duplicates that the broker marked as redelivered
 * @param outOfOrder deliveries that came after a later message of the same producer
 * @param reorderDepth the largest distance of such a delivery behind the highest message before it, in sequence numbers
 * @param corrupt messages whose envelope is this tool's but whose body was changed
 * @param foreign messages that this tool did not send
 * @param old messages of another run of this tool, left in the destination
 * @param rolledBackDelivered messages that were delivered although their transaction was rolled back; each once
 * @param unselected messages that were delivered although they do not meet the consumer's selector
 * @param otherDestination deliveries of messages that this run sent to another destination than that of the subscription, without
 *     duplicates: a wildcard, a binding or a divert brings them, and only the broker knows which, so none is due
 * @param detour the route that some of these messages took; null for none
 */
public record LedgerReport(
        long expected, long received, long lost, long left, long untaken, long undelivered, long beforeSubscription, long lostUnconfirmed,
        long unconfirmedDelivered, long failedDelivered, long duplicates, long redeliveredDuplicates, long outOfOrder,
        long reorderDepth, long corrupt, long foreign, long old, long rolledBackDelivered, long unselected, long otherDestination,
        @Nullable Detour detour) {

    /**
     * A route that messages took to another destination than they were sent to, by numbers of destinations in the plan.
     *
     * @param from destination to which the messages were sent
     * @param to destination of the subscription that received the messages
     */
    public record Detour(int from, int to) {}

    /** Mutable components of a {@link LedgerReport}. */
    public static final class Values {

        public long expected;
        public long received;
        public long lost;
        public long left;
        public long untaken;
        public long undelivered;
        public long beforeSubscription;
        public long lostUnconfirmed;
        public long unconfirmedDelivered;
        public long failedDelivered;
        public long duplicates;
        public long redeliveredDuplicates;
        public long outOfOrder;
        public long reorderDepth;
        public long corrupt;
        public long foreign;
        public long old;
        public long rolledBackDelivered;
        public long unselected;
        public long otherDestination;
        public @Nullable Detour detour;

        private Values() {}
    }

    /** Creates an instance from the components that {@code change} sets. */
    public static LedgerReport of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new LedgerReport(its.expected, its.received, its.lost, its.left, its.untaken, its.undelivered, its.beforeSubscription,
            its.lostUnconfirmed, its.unconfirmedDelivered, its.failedDelivered, its.duplicates, its.redeliveredDuplicates, its.outOfOrder,
            its.reorderDepth, its.corrupt, its.foreign, its.old, its.rolledBackDelivered, its.unselected,
            its.otherDestination, its.detour);
    }

    /**
     * Returns whether the counts add up:
     * {@code expected = received - duplicates - unselected - otherDestination + lost + left + untaken + undelivered}.
     */
    public boolean closes() {
        return expected == received - duplicates - unselected - otherDestination + lost + left + untaken + undelivered;
    }
}
