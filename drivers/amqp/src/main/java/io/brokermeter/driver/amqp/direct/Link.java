package io.brokermeter.driver.amqp.direct;

import io.brokermeter.driver.wire.Endpoint;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Begin;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.jspecify.annotations.Nullable;

/**
 * One sender or receiver with a session of its own, so that its deliveries are numbered without gaps. Methods are called
 * by the connection's reader unless they say otherwise.
 */
abstract class Link extends Endpoint {

    /** Our handle in every session: each has one link. */
    static final int HANDLE = 0;

    final AmqpConnection connection;
    final int channel;

    // the four below: under the connection's lock
    boolean attached;
    boolean detaching;
    boolean closed;
    @Nullable Throwable cause;

    Link(AmqpConnection connection, int channel) {
        this.connection = connection;
        this.channel = channel;
    }

    /** What this link is, for messages: {@code queue://TEST}. */
    abstract String describe();

    /** The frame that opens this link. */
    abstract Attach attach();

    /** The broker opened the session. Under the connection's lock. */
    void begun(Begin begin) {}

    /** The broker opened the link. Under the connection's lock. */
    void attached(Attach attach) {}

    /** The broker granted credit or window. Under the connection's lock. */
    void flow(Flow flow) {}

    /** A part of a message; its payload is between {@code from} and {@code to} of the connection's buffer. */
    void transfer(int deliveryId, boolean settled, boolean more, boolean aborted, int from, int to) {}

    /** The peer settled the deliveries {@code first} to {@code last}; {@code refusal} is null when it accepted them. */
    void disposition(int first, int last, @Nullable Throwable refusal) {}

    @Override
    protected void ended(Throwable reason) {
        ended(reason, false);
    }

    /** The link, its session or the connection is gone. Called once; {@code byPeer} false when this side asked for it. */
    abstract void ended(Throwable reason, boolean byPeer);
}
