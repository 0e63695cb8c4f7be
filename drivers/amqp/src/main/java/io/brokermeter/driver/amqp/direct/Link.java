package io.brokermeter.driver.amqp.direct;

import io.brokermeter.driver.wire.WireEndpoint;
import io.brokermeter.spi.Destination;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.Modified;
import org.apache.qpid.proton.amqp.messaging.Rejected;
import org.apache.qpid.proton.amqp.messaging.Released;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Begin;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.ReceiverSettleMode;
import org.apache.qpid.proton.amqp.transport.Role;
import org.apache.qpid.proton.amqp.transport.SenderSettleMode;
import org.jspecify.annotations.Nullable;

/**
 * A sender or receiver with a session of its own, so that its deliveries are numbered without gaps. Methods are called by the connection's
 * reader thread unless stated otherwise.
 */
abstract class Link extends WireEndpoint {

    /** Our link handle in every session, since each session has one link. */
    static final int HANDLE = 0;

    final AmqpConnection connection;
    final int channel;
    final Destination destination;

    // the four below are guarded by the connection's lock
    boolean attached;
    boolean detaching;
    boolean closed;
    @Nullable Throwable cause;

    Link(AmqpConnection connection, int channel, Destination destination) {
        this.connection = connection;
        this.channel = channel;
        this.destination = destination;
    }

    /** Returns whether either side has ended the session, in which no frame may follow. Call under the connection's lock. */
    final boolean isOver() {
        return closed || detaching;
    }

    /** Returns the incoming window of this session: the number of frames that the broker may send before we announce a new window. */
    UnsignedInteger incomingWindow() {
        return AmqpConnection.WINDOW;
    }

    /** Returns the frame that opens this link. */
    abstract Attach attach();

    /**
     * Returns the attach frame with the parts that senders and receivers have in common.
     *
     * @param kind a word for the link's name
     */
    final Attach attach(String kind, Role role, String address, Source source, Target target) {
        source.setOutcomes(
            Accepted.DESCRIPTOR_SYMBOL, Rejected.DESCRIPTOR_SYMBOL, Released.DESCRIPTOR_SYMBOL, Modified.DESCRIPTOR_SYMBOL);
        Attach attach = new Attach();
        attach.setName(connection.linkName(kind, channel) + ":" + address);
        attach.setHandle(UnsignedInteger.valueOf(HANDLE));
        attach.setRole(role);
        attach.setSndSettleMode(SenderSettleMode.UNSETTLED);
        attach.setRcvSettleMode(ReceiverSettleMode.FIRST);
        attach.setSource(source);
        attach.setTarget(target);
        return attach;
    }

    /** Appends the flow state of this side of the link. Call under the connection's lock. */
    final void appendFlow(int nextIncoming, int nextOutgoing, int deliveryCount, int credit, boolean drain) {
        Flow flow = sessionFlow(nextIncoming, nextOutgoing);
        flow.setHandle(UnsignedInteger.valueOf(HANDLE));
        flow.setDeliveryCount(UnsignedInteger.valueOf(deliveryCount));
        flow.setLinkCredit(UnsignedInteger.valueOf(credit));
        flow.setDrain(drain);
        connection.append(channel, flow);
    }

    /** Appends the flow state of this side of the session, without that of the link. Call under the connection's lock. */
    final void appendSessionFlow(int nextIncoming, int nextOutgoing) {
        connection.append(channel, sessionFlow(nextIncoming, nextOutgoing));
    }

    private Flow sessionFlow(int nextIncoming, int nextOutgoing) {
        Flow flow = new Flow();
        flow.setNextIncomingId(UnsignedInteger.valueOf(nextIncoming));
        flow.setIncomingWindow(incomingWindow());
        flow.setNextOutgoingId(UnsignedInteger.valueOf(nextOutgoing));
        flow.setOutgoingWindow(AmqpConnection.WINDOW);
        return flow;
    }

    /** Handles the broker's begin frame, which opens the session. Called under the connection's lock. */
    void begun(Begin begin) {}

    /** Handles the broker's attach frame, which opens the link. Called under the connection's lock. */
    void attached(Attach attach) {}

    /** Handles a flow frame, which grants credit or session window. Called under the connection's lock. */
    void flow(Flow flow) {}

    /**
     * Handles a transfer frame with a message or a part of one; the payload is between {@code from} and {@code to} of the connection's
     * buffer.
     */
    void transfer(int deliveryId, boolean settled, boolean more, boolean aborted, int from, int to) {}

    /** Handles the peer's settlement of the deliveries {@code first} to {@code last}; {@code refusal} is null if it accepted them. */
    void disposition(int first, int last, @Nullable Throwable refusal) {}

    @Override
    protected void ended(Throwable reason) {
        ended(reason, false);
    }

    /**
     * Handles the end of the link, its session or the connection. Called once.
     *
     * @param byPeer whether the broker ended the link or its session; false if the connection is gone
     */
    abstract void ended(Throwable reason, boolean byPeer);
}
