package io.brokermeter.driver.amqp.direct;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

import io.brokermeter.driver.wire.WireEndpoint;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.UnsignedShort;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Begin;
import org.apache.qpid.proton.amqp.transport.Close;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.End;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.jspecify.annotations.Nullable;

/**
 * The links of a connection by their channels: opens and closes them, and handles the broker's frames about them. Guarded by the
 * connection's lock.
 */
final class Links {

    private static final int BEGIN = 0x11;
    private static final int ATTACH = 0x12;
    private static final int FLOW = 0x13;
    private static final int DETACH = 0x16;
    private static final int END = 0x17;
    private static final int CLOSE = 0x18;

    private final AmqpConnection connection;
    private final int channelMax;
    private final List<@Nullable Link> links = new ArrayList<>();
    private boolean peerClosed;

    /** @param channelMax the highest channel that the broker allows; null for no limit */
    Links(AmqpConnection connection, @Nullable UnsignedShort channelMax) {
        this.connection = connection;
        this.channelMax = channelMax == null ? 0xffff : channelMax.intValue();
    }

    // ---- frames of the broker

    /** Handles a frame other than a transfer or a disposition. Called by the reader, under the lock. */
    void control(int code, Object performative) throws IOException {
        switch (code) {
            case BEGIN -> begun((Begin) performative);
            case ATTACH -> {
                Link link = connection.byPeer();
                if (link.detaching) {
                    return; // the caller that opened the link has given up, and the session is over on our side
                }
                Attach attach = (Attach) performative;
                link.attached(attach);
                boolean refused = link instanceof AmqpProducer ? attach.getTarget() == null : attach.getSource() == null;
                link.attached = !refused;
                connection.changed.signalAll();
            }
            case FLOW -> flow((Flow) performative);
            case DETACH -> {
                Link link = connection.byPeer();
                Detach detach = (Detach) performative;
                if (!link.closed && !link.detaching) {
                    appendDetach(link);
                }
                end(link, detach.getError());
            }
            case END -> {
                Link link = connection.byPeer();
                if (!link.closed) {
                    // our end frame may have crossed it
                    if (!link.detaching) {
                        connection.append(link.channel, new End());
                    }
                    end(link, ((End) performative).getError());
                }
                connection.clearChannel();
                links.set(link.channel, null);
            }
            case CLOSE -> {
                peerClosed = true;
                connection.changed.signalAll();
                if (!connection.isClosing()) {
                    connection.append(0, new Close());
                }
                throw AmqpException.of("The broker closed the connection", ((Close) performative).getError());
            }
            default -> throw new IOException("the broker sent a frame of the unknown kind " + code);
        }
    }

    private void begun(Begin begin) throws IOException {
        int ours = begin.getRemoteChannel() == null ? -1 : begin.getRemoteChannel().intValue();
        Link link = ours >= 0 && ours < links.size() ? links.get(ours) : null;
        if (link == null) {
            throw new IOException("the broker began a session that nobody asked for");
        }
        connection.setChannel(link);
        link.begun(begin);
    }

    private void flow(Flow flow) throws IOException {
        Link link = connection.byPeer();
        if (link.isOver()) {
            return;
        }
        link.flow(flow);
        if (link instanceof AmqpProducer producer && (flow.getEcho() || flow.getDrain())) {
            producer.answer(flow.getDrain());
        }
    }

    private void end(Link link, @Nullable ErrorCondition error) {
        if (link.closed) {
            return;
        }
        link.closed = true;
        if (link.detaching && error == null) {
            // the answer to our detach: the thread that closes the link decides what becomes of its open messages
            connection.changed.signalAll();
            return;
        }
        AmqpException reason = AmqpException.of(
            link.attached ? "The broker closed the link to " + link.destination : "The broker refused " + link.destination,
            error);
        link.cause = reason;
        connection.changed.signalAll();
        link.ended(reason, true);
    }

    /** Returns whether the broker has closed the connection. */
    boolean isPeerClosed() {
        return peerClosed;
    }

    // ---- our side

    /**
     * Closes a link and waits for the broker's answer.
     *
     * @return false if the broker did not answer although the connection is alive
     */
    boolean detach(Link link) {
        boolean ask = connection.locked(() -> {
            boolean must = !link.closed && !link.detaching && connection.isAlive();
            link.detaching = true;
            if (must) {
                appendDetach(link);
            }
            return must;
        });
        if (ask) {
            connection.awaitClosing(() -> link.closed);
        }
        return connection.locked(() -> link.closed || !connection.isAlive());
    }

    private void appendDetach(Link link) {
        Detach detach = new Detach();
        detach.setHandle(UnsignedInteger.valueOf(Link.HANDLE));
        detach.setClosed(true);
        connection.append(link.channel, detach);
        connection.append(link.channel, new End());
    }

    /** Opens a link and waits for the answer of the broker, which may refuse it. */
    void open(Link link) throws IOException, InterruptedException {
        connection.locked(() -> {
            Begin begin = new Begin();
            begin.setNextOutgoingId(UnsignedInteger.ZERO);
            begin.setIncomingWindow(link.incomingWindow());
            begin.setOutgoingWindow(AmqpConnection.WINDOW);
            connection.append(link.channel, begin);
            connection.append(link.channel, link.attach());
        });
        connection.await(() -> link.attached || link.closed, connection.requestLimitNanos(),
            "The broker did not answer when asked for " + link.destination);
        Throwable reason = link.cause;
        if (reason instanceof AmqpException refused) {
            throw refused;
        }
        if (reason != null) {
            throw new IOException(reason.getMessage(), reason);
        }
    }

    /** Creates a link and registers it on a free channel. */
    <L extends Link> L register(IntFunction<L> making) throws IOException {
        return connection.locked(() -> {
            int number = newChannel();
            L made = making.apply(number);
            links.set(number, made);
            return made;
        });
    }

    private int newChannel() throws IOException {
        connection.check();
        int free = 0;
        while (free < links.size() && links.get(free) != null) {
            free++;
        }
        if (free > channelMax) {
            throw new IOException("The broker allows " + (channelMax + 1) + " producers and consumers on one connection only.");
        }
        if (free == links.size()) {
            links.add(null);
        }
        return free;
    }

    // ---- end of the connection

    /** Returns the links that have not ended. */
    List<? extends WireEndpoint> endpoints() {
        return links.stream().filter(link -> link != null && !link.closed).toList();
    }

    /** Notes that all links end with the connection. */
    void terminated(Throwable reason) {
        for (Link link : links) {
            if (link != null && !link.closed) {
                link.closed = true;
                link.cause = reason;
            }
        }
    }
}
