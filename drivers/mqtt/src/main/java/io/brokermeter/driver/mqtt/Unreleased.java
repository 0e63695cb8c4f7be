package io.brokermeter.driver.mqtt;

import java.util.BitSet;

/**
 * The ids of the QoS 2 messages of a session that this side has received and the broker has not released (section 4.3.3). A session that
 * the broker resumes takes the ids of its last connection over: the broker sends such messages again, and they have been delivered.
 */
final class Unreleased {

    // used by the reader thread until the session has ended
    private final BitSet received = new BitSet();
    /** Ids from earlier connections of the session. */
    private final BitSet earlier = new BitSet();
    /** Whether the session has ended, and only messages that were delivered are left. */
    private volatile boolean complete;

    /**
     * Notes the id of a message that arrives; returns true if the message was received before. An id of an earlier connection counts only
     * for a message that is sent again: a broker that forgot its own half of the exchange gives the id to another message.
     */
    boolean knows(int id, boolean redelivered) {
        if (received.get(id) || redelivered && earlier.get(id)) {
            return true;
        }
        received.set(id);
        earlier.clear(id);
        return false;
    }

    /** Removes an id that the broker has released. */
    void release(int id) {
        received.clear(id);
        earlier.clear(id);
    }

    /** Removes the id of a message that is not delivered. */
    void drop(int id) {
        received.clear(id);
    }

    /** Notes that the session has ended, and that the ids of undelivered messages have been removed. */
    void complete() {
        complete = true;
    }

    /** Takes over the ids of the session's last connection; does nothing if not all of its messages have a known fate. */
    void resume(Unreleased last) {
        if (last.complete) {
            earlier.or(last.received);
            earlier.or(last.earlier);
        }
    }
}
