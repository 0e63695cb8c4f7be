package io.brokermeter.driver.amqp.direct;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;

import io.brokermeter.driver.amqp.library.QpidConnection;
import io.brokermeter.driver.wire.WireConnection;
import io.brokermeter.driver.wire.WireEndpoint;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Refusal;
import io.brokermeter.spi.parameter.Setting;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Begin;
import org.apache.qpid.proton.amqp.transport.Close;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.End;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Open;
import org.apache.qpid.proton.amqp.transport.Role;
import org.jspecify.annotations.Nullable;

/**
 * A connection on brokermeter's own AMQP path. It dispatches frames to its links. Whatever this path does not support goes to a second
 * connection, over qpid-jms, that is created when it is first needed.
 */
final class AmqpConnection extends WireConnection implements Connection {

    /** A session window so large that link credit is always the limit, unless the user sets a window. */
    static final UnsignedInteger WINDOW = UnsignedInteger.valueOf(Integer.MAX_VALUE);

    /** The capability of connections and links whose messages may carry a delivery time. */
    static final Symbol DELAYED_DELIVERY = Symbol.valueOf("DELAYED_DELIVERY");

    private static final int SMALLEST_MAX_FRAME = 512;
    private static final int LARGEST_SENT_FRAME = 64 * 1024;
    private static final int EMPTY_FRAME = 8;
    /** The largest credit with which the reader writes acceptances itself; with more, unread acceptances might fill the socket. */
    private static final int INLINE_CREDIT = 4096;

    private static final int BEGIN = 0x11;
    private static final int ATTACH = 0x12;
    private static final int FLOW = 0x13;
    private static final int TRANSFER = 0x14;
    private static final int DISPOSITION = 0x15;
    private static final int DETACH = 0x16;
    private static final int END = 0x17;
    private static final int CLOSE = 0x18;
    private static final int ACCEPTED = 0x24;

    private final AmqpHandshake greeting;
    private final DirectUrl url;
    private final AmqpFrames incoming;
    private final Open peer;
    /** Size of the largest frame that we send, in bytes. */
    final int maxFrame;
    private final long idleNanos;
    private final Beside beside;

    // used by the reader thread
    private final Performatives decoder = new Performatives();
    private @Nullable Link[] byPeerChannel = new Link[4];

    // guarded by the lock
    private final Performatives encoder = new Performatives();
    private ByteBuffer scratch = ByteBuffer.allocate(1024);
    private final List<@Nullable Link> links = new ArrayList<>();
    private boolean peerClosed;
    private volatile boolean direct;

    private AmqpConnection(ConnectionSettings settings, DirectUrl url, ConnectionListener listener, AmqpHandshake greeting) {
        super("amqp", greeting.wire(), greeting.reader(), listener, settings.connectTimeout(), new AtomicBoolean());
        this.greeting = greeting;
        this.url = url;
        this.incoming = greeting.reader();
        this.peer = greeting.open();
        this.maxFrame = peer.getMaxFrameSize() == null ? LARGEST_SENT_FRAME
            : (int) Math.clamp(peer.getMaxFrameSize().longValue(), SMALLEST_MAX_FRAME, LARGEST_SENT_FRAME);
        this.idleNanos = url.idleTimeout().toNanos();
        this.beside = new Beside(settings, listener, this::tellLost);
    }

    /** Connects, authenticates and opens the connection; bounded by the connect timeout of {@code settings}. */
    static AmqpConnection connect(ConnectionSettings settings, DirectUrl url, ConnectionListener listener) throws DriverException {
        AmqpConnection connection = new AmqpConnection(settings, url, listener, AmqpHandshake.dial(settings, url));
        UnsignedInteger peerIdle = connection.peer.getIdleTimeOut();
        connection.start(peerIdle == null ? 0 : TimeUnit.MILLISECONDS.toNanos(peerIdle.longValue()), connection.idleNanos);
        return connection;
    }

    // ---- frames

    @Override
    protected void frame() throws IOException {
        ByteBuffer in = incoming.buffer();
        int end = incoming.frameEnd();
        if (in.position() == end || incoming.type() != 0) {
            return; // an empty frame is a heartbeat of the peer
        }
        int start = in.position();
        in.get();
        int code = Encoded.descriptor(in);
        if (code == TRANSFER) {
            transfer(in, end);
        } else if (code == DISPOSITION) {
            disposition(in, end);
        } else {
            Object performative = decoder.decode(incoming.view(start, end).slice());
            locked(() -> control(code, performative));
        }
    }

    private void transfer(ByteBuffer in, int end) throws IOException {
        Link link = byPeer();
        int payload = Encoded.listEnd(in);
        int fields = Encoded.list(in);
        int id = 0;
        boolean settled = false;
        boolean more = false;
        boolean aborted = false;
        for (int i = 0; i < fields && i < 10; i++) {
            switch (i) {
                case 1 -> id = Encoded.uint(in, 0);
                case 4 -> settled = Encoded.bool(in);
                case 5 -> more = Encoded.bool(in);
                case 9 -> aborted = Encoded.bool(in);
                default -> Encoded.skip(in);
            }
        }
        if (payload > end) {
            throw new IOException("the broker sent a transfer that is longer than its frame");
        }
        link.transfer(id, settled, more, aborted, payload, end);
    }

    private void disposition(ByteBuffer in, int end) throws IOException {
        Link link = byPeer();
        int start = in.position();
        int fields = Encoded.list(in);
        boolean fromReceiver = fields > 0 && Encoded.bool(in);
        if (!fromReceiver) {
            return; // a sender that settles on its own changes nothing for us
        }
        int first = Encoded.uint(in, 0);
        int last = fields > 2 ? Encoded.uint(in, first) : first;
        boolean settled = fields > 3 && Encoded.bool(in);
        int outcome = 0;
        if (fields > 4 && in.get() == 0) {
            outcome = Encoded.descriptor(in);
        }
        Throwable refusal = null;
        if (outcome != ACCEPTED) {
            // rare: let the codec read the frame again from the start, descriptor included
            Disposition whole = (Disposition) decoder.decode(described(start, end));
            // a descriptor may be a symbol as well
            boolean accepted = whole.getState() instanceof Accepted;
            if (!settled && !accepted && !AmqpException.isTerminal(whole.getState())) {
                return;
            }
            refusal = accepted ? null : AmqpException.refusal(whole.getState(), link.destination);
        }
        link.disposition(first, last, refusal);
        if (!settled) {
            Disposition answer = new Disposition();
            answer.setRole(Role.SENDER);
            answer.setFirst(UnsignedInteger.valueOf(first));
            answer.setLast(UnsignedInteger.valueOf(last));
            answer.setSettled(true);
            locked(() -> {
                if (!link.isOver()) {
                    append(link.channel, answer);
                }
            });
        }
    }

    private ByteBuffer described(int start, int end) {
        ByteBuffer list = incoming.view(start, end);
        return ByteBuffer.allocate(3 + list.remaining()).put((byte) 0).put((byte) 0x53).put((byte) DISPOSITION).put(list)
            .flip();
    }

    private Link byPeer() throws IOException {
        int number = incoming.channel();
        Link link = number < byPeerChannel.length ? byPeerChannel[number] : null;
        if (link == null) {
            throw new IOException("the broker used channel " + number + ", which has no session");
        }
        return link;
    }

    private void control(int code, Object performative) throws IOException {
        switch (code) {
            case BEGIN -> begun((Begin) performative);
            case ATTACH -> {
                Link link = byPeer();
                if (link.detaching) {
                    return; // the caller that opened the link has given up, and the session is over on our side
                }
                Attach attach = (Attach) performative;
                link.attached(attach);
                boolean refused = link instanceof AmqpProducer ? attach.getTarget() == null : attach.getSource() == null;
                link.attached = !refused;
                changed.signalAll();
            }
            case FLOW -> flow((Flow) performative);
            case DETACH -> {
                Link link = byPeer();
                Detach detach = (Detach) performative;
                if (!link.closed && !link.detaching) {
                    appendDetach(link);
                }
                end(link, detach.getError());
            }
            case END -> {
                Link link = byPeer();
                if (!link.closed) {
                    // our end frame may have crossed it
                    if (!link.detaching) {
                        append(link.channel, new End());
                    }
                    end(link, ((End) performative).getError());
                }
                byPeerChannel[incoming.channel()] = null;
                links.set(link.channel, null);
            }
            case CLOSE -> {
                peerClosed = true;
                changed.signalAll();
                if (!isClosing()) {
                    append(0, new Close());
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
        int number = incoming.channel();
        if (number >= byPeerChannel.length) {
            byPeerChannel = Arrays.copyOf(byPeerChannel, Math.max(number + 1, byPeerChannel.length * 2));
        }
        byPeerChannel[number] = link;
        link.begun(begin);
    }

    private void flow(Flow flow) throws IOException {
        Link link = byPeer();
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
            changed.signalAll();
            return;
        }
        AmqpException reason = AmqpException.of(
            link.attached ? "The broker closed the link to " + link.destination : "The broker refused " + link.destination,
            error);
        link.cause = reason;
        changed.signalAll();
        link.ended(reason, true);
    }

    // ---- lifecycle of the connection

    @Override
    protected long longestSilence() {
        return idleNanos;
    }

    @Override
    protected long longestWrite() {
        return idleNanos > 0 ? idleNanos : super.longestWrite();
    }

    @Override
    protected void beat() {
        out.room(EMPTY_FRAME).putInt(EMPTY_FRAME).put((byte) 2).put((byte) 0).putShort((short) 0);
        out.appended();
    }

    @Override
    protected boolean isAnswered(Throwable end) {
        return end instanceof AmqpException;
    }

    @Override
    protected List<? extends WireEndpoint> endpoints() {
        return links.stream().filter(link -> link != null && !link.closed).toList();
    }

    @Override
    protected void terminated(Throwable reason) {
        for (Link link : links) {
            if (link != null && !link.closed) {
                link.closed = true;
                link.cause = reason;
            }
        }
    }

    @Override
    protected void goodbye() {
        append(0, new Close());
    }

    @Override
    protected boolean isReleased() {
        return peerClosed;
    }

    @Override
    public void close() {
        closeAll();
        beside.close();
    }

    // ---- used by the links

    int defaultPrefetch(ConsumerSettings wanted) {
        return url.prefetch() < 0 ? wanted.fit(AmqpConsumer.PREFETCH) : url.prefetch();
    }

    int sessionWindow() {
        return url.sessionWindow();
    }

    String linkName(String kind, int number) {
        return greeting.container() + ":" + kind + ":" + number;
    }

    /** Returns the address of a destination on the wire, in the broker's form and with the prefix that it requires. */
    String address(Destination destination) {
        Object prefix = property(destination.isTopic() ? "topic-prefix" : "queue-prefix");
        String name = QpidConnection.address(broker(), destination.name());
        return prefix instanceof String text && !name.startsWith(text) ? text + name : name;
    }

    private @Nullable Object property(String name) {
        return peer.getProperties() == null ? null : peer.getProperties().get(Symbol.valueOf(name));
    }

    /** Returns the bytes between two positions of the current frame; the same buffer at each call. Reader thread only. */
    ByteBuffer view(int from, int to) {
        return incoming.view(from, to);
    }

    /** Appends a frame on channel {@code number}. Call under the lock. */
    void append(int number, Object performative) {
        while (true) {
            try {
                encoder.encode(performative, scratch.clear());
                break;
            } catch (java.nio.BufferOverflowException | IndexOutOfBoundsException e) {
                scratch = ByteBuffer.allocate(scratch.capacity() * 2);
            }
        }
        scratch.flip();
        int size = 8 + scratch.remaining();
        out.room(size).putInt(size).put((byte) 2).put((byte) 0).putShort((short) number).put(scratch);
        out.appended();
        if (isReader()) {
            owe();
        }
    }

    /**
     * Closes a link and waits for the broker's answer.
     *
     * @return false if the broker did not answer although the connection is alive
     */
    boolean detach(Link link) {
        boolean ask = locked(() -> {
            boolean must = !link.closed && !link.detaching && isAlive();
            link.detaching = true;
            if (must) {
                appendDetach(link);
            }
            return must;
        });
        if (ask) {
            awaitClosing(() -> link.closed);
        }
        return locked(() -> link.closed || !isAlive());
    }

    private void appendDetach(Link link) {
        Detach detach = new Detach();
        detach.setHandle(UnsignedInteger.valueOf(Link.HANDLE));
        detach.setClosed(true);
        append(link.channel, detach);
        append(link.channel, new End());
    }

    private void open(Link link) throws IOException, InterruptedException {
        locked(() -> {
            Begin begin = new Begin();
            begin.setNextOutgoingId(UnsignedInteger.ZERO);
            begin.setIncomingWindow(link.incomingWindow());
            begin.setOutgoingWindow(WINDOW);
            append(link.channel, begin);
            append(link.channel, link.attach());
        });
        await(() -> link.attached || link.closed, requestLimitNanos(), "The broker did not answer when asked for " + link.destination);
        Throwable reason = link.cause;
        if (reason instanceof AmqpException refused) {
            throw refused;
        }
        if (reason != null) {
            throw new IOException(reason.getMessage(), reason);
        }
    }

    /** Creates a link and registers it on a free channel. */
    private <L extends Link> L register(IntFunction<L> making) throws IOException {
        return locked(() -> {
            int number = newChannel();
            L made = making.apply(number);
            links.set(number, made);
            return made;
        });
    }

    private int newChannel() throws IOException {
        check();
        int free = 0;
        while (free < links.size() && links.get(free) != null) {
            free++;
        }
        int max = peer.getChannelMax() == null ? 0xffff : peer.getChannelMax().intValue();
        if (free > max) {
            throw new IOException("The broker allows " + (max + 1) + " producers and consumers on one connection only.");
        }
        if (free == links.size()) {
            links.add(null);
        }
        return free;
    }

    // ---- SPI

    @Override
    public Producer producer(Destination destination, ProducerSettings wanted, SendListener sendListener) throws Exception {
        if (wanted.transacted() || (wanted.delayMillis() > 0 && QpidConnection.mayIgnoreDelays(broker()))) {
            return beside.connection().producer(destination, wanted, sendListener);
        }
        AmqpProducer producer = register(number -> new AmqpProducer(this, number, destination, wanted, sendListener));
        sends();
        direct = true;
        try {
            open(producer);
        } catch (Exception e) {
            producer.close();
            throw e;
        }
        if (wanted.delayMillis() > 0 && !keepsBack(producer)) {
            producer.close();
            throw new DriverException(new Refusal("The broker does not offer to keep messages back over AMQP, so it would deliver at once "
                + "on %s; leave %s out.", destination, Setting.MESSAGE_DELIVERY_DELAY));
        }
        return producer;
    }

    private boolean keepsBack(AmqpProducer producer) {
        return locked(() -> producer.isDelayed() || holds(peer.getOfferedCapabilities(), DELAYED_DELIVERY));
    }

    static boolean holds(Symbol @Nullable [] capabilities, Symbol wanted) {
        return capabilities != null && List.of(capabilities).contains(wanted);
    }

    @Override
    public Consumer consumer(Destination destination, ConsumerSettings wanted, DeliveryListener deliveryListener) throws Exception {
        if (wanted.ackMode() == AckMode.TRANSACTED || wanted.durable() || wanted.shared()) {
            if (sessionWindow() > 0) {
                throw new DriverException(
                    "Transactions, durable and shared subscriptions go over qpid-jms, and " + DirectPath.SESSION_WINDOW
                        + " needs brokermeter's own AMQP path; leave one of them out.",
                    null);
            }
            return beside.connection().consumer(destination, wanted, deliveryListener);
        }
        AmqpConsumer consumer = register(number -> new AmqpConsumer(this, number, destination, wanted, deliveryListener));
        if (wanted.prefetch() > INLINE_CREDIT || defaultPrefetch(wanted) > INLINE_CREDIT) {
            sends();
        }
        direct = true;
        try {
            open(consumer);
        } catch (Exception e) {
            // the broker may still answer, and then send messages that nobody waits for
            consumer.close();
            throw e;
        }
        if (consumer.isUnfiltered()) {
            consumer.close();
            throw new DriverException(new Refusal("The broker does not filter messages over AMQP, so it ignores the selector '%s' on %s; "
                + "leave %s out.", wanted.selector(), destination, Setting.SELECTOR));
        }
        return consumer;
    }

    /**
     * Attaches a link, which makes the broker create the destination if it is configured to.
     *
     * @return false: the protocol does not tell whether the destination existed before
     */
    @Override
    public boolean declare(Destination destination) throws Exception {
        boolean before = direct;
        producer(destination, ProducerSettings.of(its -> its.maxPending = 1), SendListener.NONE).close();
        direct = before;
        return false;
    }

    /** Does nothing: AMQP 1.0 cannot delete destinations. */
    @Override
    public void delete(Destination destination) throws Exception {}

    @Override
    public void unsubscribe(Destination destination, String subscription) throws Exception {
        beside.connection().unsubscribe(destination, subscription);
    }

    @Override
    public String broker() {
        Object product = property("product");
        Object version = property("version");
        return product == null ? "" : version == null ? product.toString() : product + " " + version;
    }

    /** Returns the clients that producers and consumers have used so far: this path, qpid-jms beside it, or both. */
    @Override
    public String client() {
        return beside.client(direct);
    }
}
