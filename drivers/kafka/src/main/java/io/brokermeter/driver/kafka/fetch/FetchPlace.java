package io.brokermeter.driver.kafka.fetch;

import io.brokermeter.driver.kafka.link.Place;
import org.jspecify.annotations.Nullable;

/** What a consumer fetches of one partition. Guarded by the consumer's lock; fields that say so are changed by the consumer's thread only. */
final class FetchPlace extends Place<FetchLink> {

    /** Whether messages are wanted; changed by the consumer's thread. */
    boolean assigned;
    /** Changes with each assignment, so that answers to older questions are told apart; changed by the consumer's thread. */
    int turn;
    /** The offset of the first message that was not taken; used by the consumer's thread. */
    long position;
    /** The offset to ask for. */
    long next;
    /** The connection whose answer is awaited, which need not be the one to the present leader. */
    @Nullable FetchLink asking;
    /** The turn and the offset of that question. */
    int askedTurn;
    long askedAt;
    /** Whether the broker refused it for good, until it is assigned anew. */
    boolean halted;
    long notBefore = System.nanoTime();

    FetchPlace(int partition) {
        super(partition, true);
    }

    void assign(long to) {
        assigned = true;
        turn++;
        position = to;
        next = to;
        halted = false;
    }

    void revoke() {
        assigned = false;
        turn++;
    }

    /** Returns whether a connection can ask for messages, but for {@link #notBefore}. */
    boolean isAskable(FetchLink by) {
        return assigned && !halted && asking == null && link == by;
    }

    void ask(FetchLink by) {
        asking = by;
        askedTurn = turn;
        askedAt = next;
    }

    /** Ends a question whose answer came to nothing: it is asked again, unless the partition was assigned anew. */
    void unasked() {
        asking = null;
        if (turn == askedTurn) {
            next = askedAt;
        }
    }
}
