package io.brokermeter.engine.recording;

/**
 * What became of every message, over all producers and subscriptions.
 *
 * @param expected deliveries due: confirmed or delivered messages times subscriptions
 * @param received deliveries of this run's messages, duplicates included
 * @param lost deliveries due that never came
 * @param lostUnconfirmed messages that were sent, never confirmed and never delivered; not in {@code lost}
 * @param duplicates deliveries of a message that was delivered before
 * @param redeliveredDuplicates those duplicates that the broker marked as redelivered
 * @param outOfOrder deliveries that came after a later message of the same producer
 * @param reorderDepth the most messages that one was overtaken by
 * @param corrupt messages whose envelope is this tool's but whose body was changed
 * @param foreign messages that this tool did not send
 * @param old messages of another run of this tool, left in the destination
 * @param rolledBackDelivered messages that were delivered although their transaction was rolled back
 */
public record LedgerReport(
        long expected, long received, long lost, long lostUnconfirmed, long duplicates, long redeliveredDuplicates,
        long outOfOrder, long reorderDepth, long corrupt, long foreign, long old, long rolledBackDelivered) {

    /** Without rolled back messages. */
    public LedgerReport(
            long expected, long received, long lost, long lostUnconfirmed, long duplicates, long redeliveredDuplicates,
            long outOfOrder, long reorderDepth, long corrupt, long foreign, long old) {
        this(expected, received, lost, lostUnconfirmed, duplicates, redeliveredDuplicates, outOfOrder, reorderDepth, corrupt,
                foreign, old, 0);
    }

    /** Whether {@code expected = received - duplicates + lost}. */
    public boolean closes() {
        return expected == received - duplicates + lost;
    }
}
