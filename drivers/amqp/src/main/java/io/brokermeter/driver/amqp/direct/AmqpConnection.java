package io.brokermeter.driver.amqp.direct;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

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
import org.apache.qpid.proton.amqp.transport.Close;
import org.apache.qpid.proton.amqp.transport.Disposition;
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

    private static final int TRANSFER = 0x14;
    private static final int DISPOSITION = 0x15;
    private static final int ACCEPTED = 0x24;

    private final AmqpHandshake greeting;
    private final DirectUrl url;
    private final AmqpFrames incoming;
    private final Open peer;
    /** Size of the largest frame that we send, in bytes. */
    final int maxFrame;
    private final long idleNanos;
    private final LibraryConnection library;
    final Links links;

    // used by the reader thread
    private final Performatives decoder = new Performatives();
    private @Nullable Link[] byPeerChannel = new Link[4];

    // guarded by the lock
    private final Performatives encoder = new Performatives();
    private ByteBuffer scratch = ByteBuffer.allocate(1024);
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
        this.library = new LibraryConnection(settings, listener, this::tellLost);
        this.links = new Links(this, peer.getChannelMax());
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
            locked(() -> links.control(code, performative));
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

    /** Returns the link of the broker's channel on which the current frame came. Called by the reader. */
    Link byPeer() throws IOException {
        int number = incoming.channel();
        Link link = number < byPeerChannel.length ? byPeerChannel[number] : null;
        if (link == null) {
            throw new IOException("the broker used channel " + number + ", which has no session");
        }
        return link;
    }

    /** Records the link of the broker's channel on which the current frame came. Called by the reader. */
    void setChannel(Link link) {
        int number = incoming.channel();
        if (number >= byPeerChannel.length) {
            byPeerChannel = Arrays.copyOf(byPeerChannel, Math.max(number + 1, byPeerChannel.length * 2));
        }
        byPeerChannel[number] = link;
    }

    /** Forgets the link of the broker's channel on which the current frame came. Called by the reader. */
    void clearChannel() {
        byPeerChannel[incoming.channel()] = null;
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
        return links.endpoints();
    }

    @Override
    protected void terminated(Throwable reason) {
        links.terminated(reason);
    }

    @Override
    protected void goodbye() {
        append(0, new Close());
    }

    @Override
    protected boolean isReleased() {
        return links.isPeerClosed();
    }

    @Override
    public void close() {
        closeAll();
        library.close();
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

    // ---- SPI

    @Override
    public Producer producer(Destination destination, ProducerSettings wanted, SendListener sendListener) throws Exception {
        if (wanted.transacted() || (wanted.delayMillis() > 0 && QpidConnection.mayIgnoreDelays(broker()))) {
            return library.connection().producer(destination, wanted, sendListener);
        }
        AmqpProducer producer = links.register(number -> new AmqpProducer(this, number, destination, wanted, sendListener));
        sends();
        direct = true;
        try {
            links.open(producer);
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
        if (DirectPath.needsLibrary(wanted)) {
            if (sessionWindow() > 0) {
                throw new DriverException(
                    "Transactions, durable and shared subscriptions go over qpid-jms, and " + DirectPath.SESSION_WINDOW
                        + " needs brokermeter's own AMQP path; leave one of them out.",
                    null);
            }
            return library.connection().consumer(destination, wanted, deliveryListener);
        }
        AmqpConsumer consumer = links.register(number -> new AmqpConsumer(this, number, destination, wanted, deliveryListener));
        if (wanted.prefetch() > INLINE_CREDIT || defaultPrefetch(wanted) > INLINE_CREDIT) {
            sends();
        }
        direct = true;
        try {
            links.open(consumer);
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
        library.connection().unsubscribe(destination, subscription);
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
        return library.client(direct);
    }
}
