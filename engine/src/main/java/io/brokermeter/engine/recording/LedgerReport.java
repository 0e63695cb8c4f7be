package io.brokermeter.engine.recording;

import io.brokermeter.engine.scenario.measure.Count;
import org.jspecify.annotations.Nullable;

/**
 * The fates of all messages, over all producers and subscriptions. Counts are numbers of deliveries, where not said
 * otherwise: a message that is due to two subscriptions counts twice.
 *
 * @param counts the {@linkplain Count#isOfLedger counts of the ledger}; each has a method here that says what it is
 * @param detour the route that some of the messages of other destinations took; null for none
 */
public record LedgerReport(Counts counts, @Nullable Detour detour) {

    /**
     * A route that messages took to another destination than they were sent to, by numbers of destinations in the plan.
     *
     * @param from destination to which the messages were sent
     * @param to destination of the subscription that received the messages
     */
    public record Detour(int from, int to) {}

    /**
     * Deliveries due: confirmed or delivered messages times subscriptions, without {@code unselected}, {@code otherDestination} and {@code
     * beforeSubscription}.
     */
    public long expected() {
        return counts.get(Count.EXPECTED);
    }

    /** Deliveries of this run's messages, duplicates included. */
    public long received() {
        return counts.get(Count.LEDGER_RECEIVED);
    }

    /** Deliveries due that never arrived, of messages that the broker no longer holds. */
    public long lost() {
        return counts.get(Count.LOST);
    }

    /** Deliveries due that never arrived, of messages that wait in the broker. */
    public long left() {
        return counts.get(Count.LEFT);
    }

    /** Deliveries due beyond the number that consumers were to take. */
    public long untaken() {
        return counts.get(Count.UNTAKEN);
    }

    /** Deliveries due that did not arrive in time, where it is unknown whether the broker still holds the messages. */
    public long undelivered() {
        return counts.get(Count.UNDELIVERED);
    }

    /** Deliveries of messages that were sent before the subscription was made, so that they were not due. */
    public long beforeSubscription() {
        return counts.get(Count.BEFORE_SUBSCRIPTION);
    }

    /** Deliveries that did not arrive, of messages whose fate the sender does not know; in none of the above. */
    public long lostUnconfirmed() {
        return counts.get(Count.LOST_UNCONFIRMED);
    }

    /**
     * Messages that were delivered, of those whose fate the sender does not know; each once, whatever the number of subscriptions, and
     * without those of a process that was lost before it reported which they are.
     */
    public long unconfirmedDelivered() {
        return counts.get(Count.UNCONFIRMED_DELIVERED);
    }

    /** Messages that were delivered, of those whose sending was reported as failed; each once. */
    public long failedDelivered() {
        return counts.get(Count.FAILED_DELIVERED);
    }

    /** Deliveries of a message that was delivered before. */
    public long duplicates() {
        return counts.get(Count.DUPLICATES);
    }

    /** Duplicates that the broker marked as redelivered. */
    public long redeliveredDuplicates() {
        return counts.get(Count.REDELIVERED_DUPLICATES);
    }

    /** Deliveries that came after a later message of the same producer. */
    public long outOfOrder() {
        return counts.get(Count.OUT_OF_ORDER);
    }

    /** The largest distance of such a delivery behind the highest message before it, in sequence numbers. */
    public long reorderDepth() {
        return counts.get(Count.REORDER_DEPTH);
    }

    /** Messages whose envelope is this tool's but whose body was changed. */
    public long corrupt() {
        return counts.get(Count.CORRUPT);
    }

    /** Messages that this tool did not send. */
    public long foreign() {
        return counts.get(Count.FOREIGN);
    }

    /** Messages of another run of this tool, left in the destination. */
    public long old() {
        return counts.get(Count.OLD);
    }

    /** Messages that were delivered although their transaction was rolled back; each once. */
    public long rolledBackDelivered() {
        return counts.get(Count.ROLLED_BACK_DELIVERED);
    }

    /** Messages that were delivered although they do not meet the consumer's selector. */
    public long unselected() {
        return counts.get(Count.UNSELECTED);
    }

    /**
     * Deliveries of messages that this run sent to another destination than that of the subscription, without duplicates: a wildcard, a
     * binding or a divert brings them, and only the broker knows which, so none is due.
     */
    public long otherDestination() {
        return counts.get(Count.OTHER_DESTINATION);
    }

    /**
     * Returns whether the counts add up:
     * {@code expected = received - duplicates - unselected - otherDestination + lost + left + untaken + undelivered}.
     */
    public boolean closes() {
        return expected() == received() - duplicates() - unselected() - otherDestination() + lost() + left() + untaken() + undelivered();
    }
}
