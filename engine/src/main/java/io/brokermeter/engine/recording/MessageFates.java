package io.brokermeter.engine.recording;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * What became of messages, by the ledger and by the counts of the run.
 *
 * @param failed sends that failed: they never reached the broker, or it refused them
 * @param retried sends in flight when a client began to restore its connection that were confirmed all the same
 * @param lost messages that were confirmed, did not come, and are not in the broker
 * @param unaccounted messages that were confirmed and did not come, where the broker cannot say whether it has them
 * @param unknown sends of unknown fate
 * @param unknownDelivered those of them that were delivered
 * @param duplicatesFlagged deliveries of a message that was delivered before and marked as redelivered
 * @param duplicatesUnflagged those without the mark, {@code duplicatesResent} excepted
 * @param duplicatesResent those without the mark of messages that a client may have sent twice when it restored its connection
 * @param outOfOrder deliveries after a later message of the same producer
 */
public record MessageFates(
        long failed, long retried, long lost, long unaccounted, long unknown, long unknownDelivered, long duplicatesFlagged,
        long duplicatesUnflagged, long duplicatesResent, long outOfOrder) {

    /** What it is made of by name, none of each as long as it is not set. */
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

    /** Of what {@code change} sets. */
    public static MessageFates of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new MessageFates(its.failed, its.retried, its.lost, its.unaccounted, its.unknown, its.unknownDelivered,
            its.duplicatesFlagged,
            its.duplicatesUnflagged, its.duplicatesResent, its.outOfOrder);
    }

    /**
     * Those of a run.
     *
     * @param failed sends that failed
     * @param retried confirmed messages that were in flight when a client began to restore its connection
     * @param unconfirmed sends whose fate is unknown
     * @param resent duplicates that a client may have sent
     * @param ledger null for none
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
