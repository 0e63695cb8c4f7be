package io.brokermeter.engine.recording;

import org.jspecify.annotations.Nullable;

/**
 * The fates of messages, according to the ledger and the counts of the run.
 *
 * @param failed sends that failed: they never reached the broker, or it refused them
 * @param retried sends in flight when a client began to restore its connection that were confirmed all the same
 * @param lost messages that were confirmed, were not delivered, and are not in the broker
 * @param unaccounted messages that were confirmed and not delivered and are left in the broker, or may be
 * @param unknown sends of unknown fate
 * @param unknownDelivered sends of unknown fate whose messages were delivered
 * @param duplicatesFlagged deliveries of messages that were delivered before, marked as redelivered
 * @param duplicatesUnflagged such deliveries without the mark, except {@code duplicatesResent}
 * @param duplicatesResent such deliveries without the mark, of messages that a client may have sent twice when it restored its
 *     connection
 * @param outOfOrder deliveries after a later message of the same producer
 */
public record MessageFates(
        long failed, long retried, long lost, long unaccounted, long unknown, long unknownDelivered, long duplicatesFlagged,
        long duplicatesUnflagged, long duplicatesResent, long outOfOrder) {

    /**
     * Creates the fates of the messages of a run.
     *
     * @param failed sends that failed
     * @param retried confirmed messages that were in flight when a client began to restore its connection
     * @param unconfirmed sends whose fate is unknown
     * @param resent duplicates that a client may have sent
     * @param ledger report of the ledger, or null if there is none
     */
    public static MessageFates of(long failed, long retried, long unconfirmed, long resent, @Nullable LedgerReport ledger) {
        return ledger == null ? new MessageFates(failed, retried, 0, 0, unconfirmed, 0, 0, 0, resent, 0)
            : new MessageFates(failed, retried, ledger.lost(), ledger.left() + ledger.undelivered(), unconfirmed,
                ledger.unconfirmedDelivered(), ledger.redeliveredDuplicates(),
                ledger.duplicates() - ledger.redeliveredDuplicates() - resent, resent, ledger.outOfOrder());
    }
}
