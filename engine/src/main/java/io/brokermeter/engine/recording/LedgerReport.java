package io.brokermeter.engine.recording;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * What became of every message, over all producers and subscriptions. All are numbers of deliveries: a message that two
 * subscriptions are due to get counts twice.
 *
 * @param expected deliveries due: confirmed or delivered messages times subscriptions, without {@code unselected},
 *     {@code otherDestination} and {@code beforeSubscription}
 * @param received deliveries of this run's messages, duplicates included
 * @param lost deliveries due that never came, of messages that the broker does not hold any more
 * @param left deliveries due that never came, of messages that wait in the broker
 * @param untaken deliveries beyond the number that consumers were to take
 * @param undelivered deliveries due that did not come in time, where it is not known whether the broker still holds them
 * @param beforeSubscription deliveries of messages that were sent before the subscription was made, so that they were not due
 * @param lostUnconfirmed deliveries that did not come of messages whose fate the sender does not know; in none of the above
 * @param unconfirmedDelivered deliveries of messages whose fate the sender does not know
 * @param failedDelivered deliveries of messages whose sending is said to have failed
 * @param duplicates deliveries of a message that was delivered before
 * @param redeliveredDuplicates those duplicates that the broker marked as redelivered
 * @param outOfOrder deliveries that came after a later message of the same producer
 * @param reorderDepth the most messages that one was overtaken by
 * @param corrupt messages whose envelope is this tool's but whose body was changed
 * @param foreign messages that this tool did not send
 * @param old messages of another run of this tool, left in the destination
 * @param rolledBackDelivered messages that were delivered although their transaction was rolled back
 * @param unselected messages that were delivered although they do not meet the consumer's selector
 * @param otherDestination deliveries of messages that this run sent to another destination than the subscription's, duplicates not included:
 *     a wildcard, a binding or a divert brings them, and only the broker knows which, so none is due
 * @param detour which way some of those came; null for none
 */
public record LedgerReport(
        long expected, long received, long lost, long left, long untaken, long undelivered, long beforeSubscription, long lostUnconfirmed,
        long unconfirmedDelivered, long failedDelivered, long duplicates, long redeliveredDuplicates, long outOfOrder,
        long reorderDepth, long corrupt, long foreign, long old, long rolledBackDelivered, long unselected, long otherDestination,
        @Nullable Detour detour) {

    /**
     * A way that messages took to another destination than they were sent to; numbers of destinations of the plan.
     *
     * @param from where they were sent to
     * @param to whose subscription got them
     */
    public record Detour(int from, int to) {}

    /** What it is made of by name. */
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

    /** Of what {@code change} sets. */
    public static LedgerReport of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new LedgerReport(its.expected, its.received, its.lost, its.left, its.untaken, its.undelivered, its.beforeSubscription,
            its.lostUnconfirmed, its.unconfirmedDelivered, its.failedDelivered, its.duplicates, its.redeliveredDuplicates, its.outOfOrder,
            its.reorderDepth, its.corrupt, its.foreign, its.old, its.rolledBackDelivered, its.unselected,
            its.otherDestination, its.detour);
    }

    /** Whether {@code expected = received - duplicates - unselected - otherDestination + lost + left + untaken + undelivered}. */
    public boolean closes() {
        return expected == received - duplicates - unselected - otherDestination + lost + left + untaken + undelivered;
    }
}
