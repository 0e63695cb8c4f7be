package io.brokermeter.driver.mqtt;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import io.brokermeter.driver.tls.TlsNames;
import io.brokermeter.driver.wire.Dialer;
import io.brokermeter.driver.wire.Wire;
import io.brokermeter.driver.wire.WireConnection;
import io.brokermeter.driver.wire.WireEndpoint;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.PropertyText;
import org.jspecify.annotations.Nullable;

/** A session with a broker: processes its packets and tracks the messages in flight. */
final class Session extends WireConnection {

    private static final long SHORTEST_PATIENCE = TimeUnit.SECONDS.toNanos(5);
    private static final int FEWEST_PLACES = 256;
    /** The most answers of four bytes that fit into any socket, whether the broker reads or not. */
    private static final int INLINE_ANSWERS = 16 * 1024;
    private static final byte[] PROPERTY = Payload.PROPERTY.getBytes(StandardCharsets.US_ASCII);

    final MqttOptions options;
    final Grant grant;

    private final String clientId;
    private final PacketReader incoming;
    private final long keepAliveNanos;

    // used by the reader thread
    private byte[] answers = new byte[1024];
    private int answered;
    private boolean acknowledged;
    private final Unreleased unreleased = new Unreleased();
    private ByteBuffer envelope = ByteBuffer.allocate(64);
    private final @Nullable MqttConsumer[] aliases;

    // guarded by the lock
    private final List<MqttProducer> producers = new ArrayList<>();
    final SubscribeRequests requests;
    final SendQuota quota;
    private int aliasesGiven;

    /** Replaced when it is empty. */
    private volatile InFlight inFlight = new InFlight(FEWEST_PLACES);
    /** Every consumer of the session; replaced, not changed. */
    private volatile MqttConsumer[] consumers = {};
    /** Whether a consumer was closed for which messages may still arrive. */
    private volatile boolean fewer;
    /** Whether a consumer was closed whose messages go to others, or to the next one of its kept session, unless they are acknowledged. */
    private volatile boolean leaves;
    /** The {@link System#nanoTime()} of the first ping that the broker has not answered; 0 if it has answered all. */
    private volatile long asked;

    private Session(
            Wire wire, PacketReader incoming, ConnectionSettings settings, MqttOptions options, String clientId, Grant grant,
            AtomicBoolean mute, ConnectionListener listener) {
        super("mqtt", wire, incoming, listener, settings.connectTimeout(), mute);
        this.incoming = incoming;
        this.options = options;
        this.clientId = clientId;
        this.requests = new SubscribeRequests(this);
        this.quota = new SendQuota(this);
        this.grant = grant;
        this.keepAliveNanos = TimeUnit.SECONDS.toNanos(grant.keepAlive());
        this.aliases = new MqttConsumer[options.topicAlias() == 0 ? 0 : options.topicAlias() + 1];
    }

    /**
     * Connects to the first of the servers that accepts; bounded by the connect timeout. Nothing is read before {@link #start()}.
     *
     * @param mute whether the broker left a request unanswered, so that closing does not wait again; set by sessions
     * @param listener notified of the loss of the session once it is started
     */
    static Session connect(
            ConnectionSettings settings, MqttOptions options, Handshake handshake, AtomicBoolean mute,
            ConnectionListener listener) throws DriverException {
        String hint = options.five() ? "if it does not speak MQTT 5, set the parameter version=3.1.1." : "does that port speak MQTT?";
        return Dialer.dial(options.url().servers(), settings.source(), settings.connectTimeout(), options.tls().orElse(null), TlsNames.OWN,
            hint,
            (wire, server) -> {
                PacketReader incoming = new PacketReader(options.maximumPacketSize());
                wire.write(handshake.request(settings, options));
                // Artemis 2.55.0 may deliver messages that wait in a session before it has answered the client that returns to it.
                incoming.awaitBehind(Packet.PUBLISH, wire);
                Grant grant = handshake.answer(incoming, settings, options);
                incoming.unread();
                return new Session(wire, incoming, settings, options, handshake.clientId(), grant, mute, listener);
            });
    }

    /** Starts to read, and to supervise the connection. */
    void start() {
        start(keepAliveNanos / 2, 0);
    }

    String clientId() {
        return clientId;
    }

    /** Returns the ids of the received QoS 2 messages. Used by the reader thread until the session has ended. */
    Unreleased unreleased() {
        return unreleased;
    }

    // ---- packets

    @Override
    protected void frame() throws IOException {
        packet(incoming.header(), incoming.buffer(), incoming.end());
    }

    @Override
    protected void endOfBatch() {
        if (acknowledged) {
            acknowledged = false;
            inFlight.publish();
            if (quota.isAwaited()) {
                signal();
            }
        }
        if (answered > 0) {
            lock.lock();
            out.append(answers, answered);
            lock.unlock();
            answered = 0;
            owe();
        }
    }

    @Override
    protected boolean writesInline() {
        return super.writesInline() || (consumers.length == 0 && inFlight.capacity() <= INLINE_ANSWERS);
    }

    private void packet(int header, ByteBuffer in, int end) throws IOException {
        switch (header & 0xf0) {
            case Packet.PUBLISH -> published(header, in, end);
            case Packet.PUBACK, Packet.PUBREC, Packet.PUBCOMP -> acknowledged(header & 0xf0, in, end);
            case Packet.PUBREL -> {
                int id = in.getShort() & 0xffff;
                unreleased.release(id);
                answer(Packet.PUBCOMP, id);
            }
            case Packet.SUBACK, Packet.UNSUBACK -> requests.answered(header & 0xf0, incoming.view(in.position(), end));
            case Packet.PINGRESP -> asked = 0;
            case Packet.DISCONNECT -> {
                ByteBuffer rest = incoming.view(in.position(), end);
                int code = rest.hasRemaining() ? rest.get() & 0xff : 0;
                String added = rest.hasRemaining() ? Properties.read(rest).reason() : "";
                throw new DriverException("The broker ended the connection (" + Reason.text(code, added) + ").", null);
            }
            default -> throw new DriverException("The broker sent a packet of the unexpected type " + (header >> 4) + ".", null);
        }
    }

    private void published(int header, ByteBuffer in, int end) throws IOException {
        int qos = header >> 1 & 3;
        int topic = in.position();
        int at = topic + 2 + (in.getShort(topic) & 0xffff);
        int id = 0;
        if (qos > 0) {
            id = in.getShort(at) & 0xffff;
            at += 2;
        }
        int alias = 0;
        ByteBuffer beside = null;
        if (options.five()) {
            beside = envelope(in, at, end);
            if (aliases.length > 0) {
                ByteBuffer properties = incoming.view(at, end);
                alias = (int) Properties.read(properties).number(Properties.TOPIC_ALIAS, 0);
                at = properties.position();
            } else {
                in.position(at);
                at = Packet.length(in) + in.position();
            }
        }
        if (at > end || qos > 2) {
            throw new DriverException("The broker sent a message that cannot be read.", null);
        }
        if (qos == 2 && unreleased.knows(id, (header & 0x08) != 0)) {
            answer(Packet.PUBREC, id);
            return;
        }
        MqttConsumer consumer = consumer(in, topic, alias);
        if (consumer == null) {
            if (!leaves) {
                acknowledge(qos, id);
            } else if (qos == 2) {
                unreleased.drop(id);
            }
            return;
        }
        consumer.arrived(qos, id, (header & 0x08) != 0, (header & 0x01) != 0, beside, incoming.view(at, end));
    }

    /** Returns the envelope among the properties that begin at {@code at} with their length, or null; the same buffer at each call. */
    private @Nullable ByteBuffer envelope(ByteBuffer in, int at, int end) throws IOException {
        if (at >= end || in.get(at) == 0) {
            return null;
        }
        int position = in.position();
        in.position(at);
        int length = Packet.length(in);
        int from = in.position();
        in.position(position);
        if (length > end - from) {
            return null;
        }
        int value = Properties.user(in, from, from + length, PROPERTY);
        if (value < 0) {
            return null;
        }
        int size = in.getShort(value) & 0xffff;
        if (envelope.capacity() < size / 2) {
            envelope = ByteBuffer.allocate(size / 2);
        }
        return value + 2 + size <= from + length && PropertyText.decode(in, value + 2, value + 2 + size, envelope) ? envelope : null;
    }

    /** Returns the consumer of a message; null if none subscribes to its topic any more. */
    private @Nullable MqttConsumer consumer(ByteBuffer in, int topic, int alias) throws IOException {
        MqttConsumer[] all = consumers;
        boolean only = all.length == 1 && (!fewer || !all[0].filter().isOneTopic());
        if (only && alias == 0) {
            return all[0];
        }
        int length = in.getShort(topic) & 0xffff;
        boolean known = alias > 0 && alias < aliases.length;
        if (length == 0 && known) {
            return aliases[alias];
        }
        MqttConsumer found = only ? all[0] : subscriber(all, in, topic + 2, length);
        if (known) {
            aliases[alias] = found;
        }
        return found;
    }

    private static @Nullable MqttConsumer subscriber(MqttConsumer[] all, ByteBuffer in, int at, int length) {
        for (MqttConsumer each : all) {
            if (each.subscribesTo(in, at, length)) {
                return each;
            }
        }
        return null;
    }

    private void acknowledged(int type, ByteBuffer in, int end) throws IOException {
        int at = in.position();
        int id = in.getShort(at) & 0xffff;
        int code = end - at > 2 ? in.get(at + 2) & 0xff : 0;
        InFlight flying = inFlight;
        long place = flying.place(id);
        acknowledged = true;
        if (code >= Reason.FAILURE) {
            if (place >= 0) {
                String added = end - at > 3 ? Properties.read(incoming.view(at + 3, end)).reason() : "";
                String reason = Reason.text(code, added);
                if (type == Packet.PUBCOMP) {
                    flying.owner(place).forgotten(flying, place, reason);
                } else {
                    flying.owner(place).refused(flying, place, reason);
                }
            }
        } else if (type == Packet.PUBREC) {
            answer(Packet.PUBREL | Packet.RESERVED_FLAGS, id);
        } else if (place >= 0) {
            flying.owner(place).acknowledged(flying, place);
        }
    }

    /** Acknowledges a message that was delivered, or will not be. Called by the reader thread. */
    void acknowledge(int qos, int id) {
        if (qos > 0) {
            answer(qos == 1 ? Packet.PUBACK : Packet.PUBREC, id);
        }
    }

    private void answer(int header, int id) {
        if (answers.length - answered < 4) {
            answers = Arrays.copyOf(answers, answers.length * 2);
        }
        byte[] to = answers;
        int at = answered;
        to[at] = (byte) header;
        to[at + 1] = 2;
        to[at + 2] = (byte) (id >> 8);
        to[at + 3] = (byte) id;
        answered = at + 4;
    }

    /** Acknowledges a message from a thread other than the reader. Does not write. */
    void acknowledgeAside(int qos, int id) {
        if (qos == 0) {
            return;
        }
        lock.lock();
        out.room(4).put((byte) (qos == 1 ? Packet.PUBACK : Packet.PUBREC)).put((byte) 2).putShort((short) id);
        out.appended();
        lock.unlock();
    }

    // ---- lifecycle of the session

    @Override
    protected long longestSilence() {
        long patience = Math.max(keepAliveNanos / 2, SHORTEST_PATIENCE);
        long since = asked;
        return since != 0 && System.nanoTime() - since > patience ? patience : 0;
    }

    @Override
    protected String silence() {
        return ", not even the answer to a ping";
    }

    @Override
    protected boolean beatDue(long unwritten, long unread) {
        long longest = keepAliveNanos * 3 / 4;
        // the broker counts from our last write, even while a slow consumer keeps its answer from being read
        return longest > 0 && (unwritten > longest || asked == 0 && unread > longest);
    }

    @Override
    protected void beat() {
        out.room(2).put((byte) Packet.PINGREQ).put((byte) 0);
        out.appended();
        if (asked == 0) {
            asked = System.nanoTime() | 1;
        }
    }

    @Override
    protected List<? extends WireEndpoint> endpoints() {
        return Stream.<WireEndpoint>concat(producers.stream(), Stream.of(consumers)).toList();
    }

    @Override
    protected void goodbye() {
        out.room(2).put((byte) Packet.DISCONNECT).put((byte) 0);
        out.appended();
    }

    @Override
    protected void saidGoodbye(Wire written) {
        written.end();
    }

    /** Returns whether the broker has ended the connection. */
    @Override
    protected boolean isReleased() {
        return !isAlive();
    }

    /** Closes the producers and consumers of the session, and ends it. */
    void close() {
        closeAll();
    }

    // ---- sending

    /** Returns the messages in flight. Senders use them under the lock. */
    InFlight inFlight() {
        return inFlight;
    }

    /** Returns the most messages that may be in flight at present. */
    int limit() {
        return Math.min(receiveMaximum(), inFlight.capacity());
    }

    /** Returns the receive maximum: that of the broker, or a smaller one of the user. */
    int receiveMaximum() {
        return Math.min(grant.receiveMaximum(), options.receiveMaximum());
    }

    /** Replaces the ring of messages in flight by a larger one, when there are none. Call under the lock. */
    void replaceInFlight(int wanted) {
        inFlight = inFlight.larger(wanted);
    }

    /** Adds a producer, and makes room for its messages in flight. */
    void add(MqttProducer producer, int maxPending) throws IOException {
        locked(() -> {
            check();
            quota.add(maxPending);
            producers.add(producer);
            sends();
        });
    }

    void remove(MqttProducer producer) {
        locked(() -> producers.remove(producer));
    }

    /** Returns a new topic alias; 0 if none is left. */
    int newAlias() {
        return locked(() -> aliasesGiven < Math.min(options.topicAlias(), grant.topicAliasMaximum()) ? ++aliasesGiven : 0);
    }

    // ---- receiving

    /** Adds a consumer, which receives the messages of its topic from now on. */
    void add(MqttConsumer consumer) {
        locked(() -> {
            consumers = Stream.concat(Stream.of(consumers), Stream.of(consumer)).toArray(MqttConsumer[]::new);
        });
        consumer.start();
    }

    void remove(MqttConsumer consumer) {
        locked(() -> {
            fewer = true;
            if (consumer.filter().isShared() || consumer.isKept()) {
                leaves = true;
            }
            consumers = Stream.of(consumers).filter(each -> each != consumer).toArray(MqttConsumer[]::new);
        });
    }

    /** Returns whether messages of a consumer with this filter could be told apart from those of the session's other consumers. */
    boolean hasRoomFor(MqttConsumer.Filter filter) {
        return Stream.of(consumers).map(MqttConsumer::filter)
            .allMatch(each -> filter.isOneTopic() && each.isOneTopic() && !each.sameTopic(filter));
    }
}
