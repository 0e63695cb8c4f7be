package io.brokermeter.engine.recording;

import java.util.function.Consumer;

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

    /** Mutable counts of a {@link MessageFates}, zero by default. */
    public static final class Values {

        public long failed;
        public long retried;
        public long lost;
        public long unaccounted;
        public long unknown;
        public long unknownDelivered;
        public long duplicatesFlagged;
        public long duplicatesUnflagged;
        public long duplicatesResent;
        public long outOfOrder;

        private Values() {}
    }

    /** Creates an instance from the counts that {@code change} sets. */
    public static MessageFates of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new MessageFates(its.failed, its.retried, its.lost, its.unaccounted, its.unknown, its.unknownDelivered,
            its.duplicatesFlagged,
            its.duplicatesUnflagged, its.duplicatesResent, its.outOfOrder);
    }

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
        return of(its -> {
            its.failed = failed;
            its.retried = retried;
            its.unknown = unconfirmed;
            its.duplicatesResent = resent;
            if (ledger != null) {
                its.lost = ledger.lost();
                its.unaccounted = ledger.left() + ledger.undelivered();
                its.unknownDelivered = ledger.unconfirmedDelivered();
                its.duplicatesFlagged = ledger.redeliveredDuplicates();
                its.duplicatesUnflagged = ledger.duplicates() - ledger.redeliveredDuplicates() - resent;
                its.outOfOrder = ledger.outOfOrder();
            }
        });
    }
}
