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
 * One sender or receiver with a session of its own, so that its deliveries are numbered without gaps. Methods are called
 * by the connection's reader unless they say otherwise.
 */
abstract class Link extends WireEndpoint {

    /** Our handle in every session: each has one link. */
    static final int HANDLE = 0;

    final AmqpConnection connection;
    final int channel;
    final Destination destination;

    // the four below: under the connection's lock
    boolean attached;
    boolean detaching;
    boolean closed;
    @Nullable Throwable cause;

    Link(AmqpConnection connection, int channel, Destination destination) {
        this.connection = connection;
        this.channel = channel;
        this.destination = destination;
    }

    /** Whether this side or the other one has ended the session, in which no frame may follow. Under the connection's lock. */
    final boolean isOver() {
        return closed || detaching;
    }

    /** Frames that the broker may send in this session before they are acknowledged to have come. */
    UnsignedInteger incomingWindow() {
        return AmqpConnection.WINDOW;
    }

    /** The frame that opens this link. */
    abstract Attach attach();

    /**
     * That frame without what sender and receiver differ in.
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

    /** Appends where this side of the link is. Under the connection's lock. */
    final void appendFlow(int nextIncoming, int nextOutgoing, int deliveryCount, int credit, boolean drain) {
        Flow flow = sessionFlow(nextIncoming, nextOutgoing);
        flow.setHandle(UnsignedInteger.valueOf(HANDLE));
        flow.setDeliveryCount(UnsignedInteger.valueOf(deliveryCount));
        flow.setLinkCredit(UnsignedInteger.valueOf(credit));
        flow.setDrain(drain);
        connection.append(channel, flow);
    }

    /** Appends where this side of the session is, and nothing of the link. Under the connection's lock. */
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
