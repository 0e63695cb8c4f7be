package io.brokermeter.driver.mqtt;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
    private static final int LAST_ID = 65_535;
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
    /** The requests that wait for an answer, by packet id. */
    private final Map<Integer, AwaitedAnswer> requests = new HashMap<>();
    private int placesWanted;
    private int lastRequest = InFlight.IDS;
    private int aliasesGiven;

    private volatile InFlight inFlight = new InFlight(FEWEST_PLACES);
    /** Every consumer of the session; replaced, not changed. */
    private volatile MqttConsumer[] consumers = {};
    /** Whether a consumer was closed for which messages may still arrive. */
    private volatile boolean fewer;
    /** Whether a consumer was closed whose messages go to others, or to the next one of its kept session, unless they are acknowledged. */
    private volatile boolean leaves;
    private volatile boolean senderWaits;
    /** The {@link System#nanoTime()} of the first ping that the broker has not answered; 0 if it has answered all. */
    private volatile long asked;

    private Session(
            Wire wire, PacketReader incoming, ConnectionSettings settings, MqttOptions options, String clientId, Grant grant,
            AtomicBoolean mute, ConnectionListener listener) {
        super("mqtt", wire, incoming, listener, settings.connectTimeout(), mute);
        this.incoming = incoming;
        this.options = options;
        this.clientId = clientId;
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
        return Dialer.dial(options.url().servers(), settings.connectTimeout(), options.tls().orElse(null), TlsNames.OWN, hint,
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
            if (senderWaits) {
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
            case Packet.SUBACK, Packet.UNSUBACK -> answered(header & 0xf0, incoming.view(in.position(), end));
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

    private void answered(int type, ByteBuffer in) throws IOException {
        int id = in.getShort() & 0xffff;
        String reason = options.five() ? Properties.read(in).reason() : "";
        // version 3.1.1 has no codes for UNSUBSCRIBE
        int code = in.hasRemaining() ? in.get() & 0xff : type == Packet.SUBACK ? Reason.FAILURE : 0;
        locked(() -> {
            AwaitedAnswer request = requests.get(id);
            if (request != null) {
                request.code = code;
                request.reason = reason;
                request.answered = true;
                changed.signalAll();
            }
        });
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
        return Math.min(Math.min(grant.receiveMaximum(), options.receiveMaximum()), inFlight.capacity());
    }

    /** Waits until another message may be in flight; first writes the pending output. Call under the lock, which is released meanwhile. */
    void awaitRoom(long limitNanos, String what) throws IOException {
        long deadline = System.nanoTime() + limitNanos;
        while (inFlight.size() >= limit()) {
            check();
            // a thread that is writing now also writes what was appended meanwhile
            if (out.pending() > 0 && out.writingSince() == 0) {
                lock.unlock();
                try {
                    flush();
                } finally {
                    lock.lock();
                }
                continue;
            }
            senderWaits = true;
            try {
                if (inFlight.size() < limit()) {
                    break;
                }
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    throw new DriverException("The broker acknowledged no message on " + what + " for "
                        + TimeUnit.NANOSECONDS.toSeconds(limitNanos) + " s: receive maximum " + limit() + " reached.", null);
                }
                changed.awaitNanos(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new DriverException("Sending was interrupted.", e);
            } finally {
                senderWaits = lock.hasWaiters(changed);
            }
        }
    }

    /** Adds a producer, and makes room for its messages in flight. */
    void add(MqttProducer producer, int maxPending) throws IOException {
        locked(() -> {
            check();
            placesWanted = Math.min(placesWanted + (maxPending == 0 ? InFlight.IDS : maxPending), InFlight.IDS);
            int wanted = Math.min(placesWanted * 2, Math.min(grant.receiveMaximum(), options.receiveMaximum()));
            if (wanted > inFlight.capacity() && inFlight.capacity() < InFlight.IDS) {
                grow(wanted);
            }
            producers.add(producer);
            sends();
        });
    }

    /**
     * Replaces the ring by a larger one. The reader uses the old one while messages are in flight, so this waits until there are none, and
     * gives up after the request timeout. Call under the lock.
     */
    private void grow(int wanted) throws IOException {
        long deadline = System.nanoTime() + requestLimitNanos();
        while (inFlight.size() > 0 && System.nanoTime() < deadline) {
            check();
            if (out.pending() > 0) {
                help();
            }
            try {
                senderWaits = true;
                changed.await(50, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } finally {
                senderWaits = lock.hasWaiters(changed);
            }
        }
        if (inFlight.size() == 0) {
            inFlight = inFlight.larger(wanted);
        }
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

    /** Subscribes, and returns when the broker has confirmed the subscription. */
    void subscribe(MqttConsumer.Filter filter, int qos, boolean retained) throws IOException, InterruptedException {
        // retain handling, section 3.8.3.1: 2 requests no previously retained messages
        int subscription = qos | (options.five() && !retained ? 0x20 : 0);
        AwaitedAnswer answer = request(Packet.SUBSCRIBE, filter, subscription);
        try {
            await(() -> answer.answered, requestLimitNanos(), "The broker did not confirm the subscription to " + filter.text());
        } finally {
            forget(answer);
        }
        if (answer.code >= Reason.FAILURE) {
            throw new DriverException("The broker refused the subscription to " + filter.text() + " ("
                + Reason.text(answer.code, answer.reason) + ").", null);
        }
        if (answer.code != qos) {
            throw new DriverException("The broker granted QoS " + answer.code + " instead of " + qos + " on " + filter.text()
                + "; set consumer-qos to what it grants.", null);
        }
    }

    /** Ends a subscription. Returns when the broker has confirmed that, or after it did not answer in time. */
    void unsubscribe(MqttConsumer.Filter filter) {
        try {
            AwaitedAnswer answer = request(Packet.UNSUBSCRIBE, filter, -1);
            awaitClosing(() -> answer.answered);
            forget(answer);
        } catch (IOException e) {
            // a session that is over has no subscriptions
        }
    }

    /** Appends a request. */
    private AwaitedAnswer request(int type, MqttConsumer.Filter filter, int subscription) throws IOException {
        byte[] text = Packet.text(filter.text());
        return locked(() -> {
            check();
            lastRequest = lastRequest == LAST_ID ? InFlight.IDS + 1 : lastRequest + 1;
            AwaitedAnswer request = new AwaitedAnswer(lastRequest);
            requests.put(request.id, request);
            int length = 2 + (options.five() ? 1 : 0) + text.length + (subscription < 0 ? 0 : 1);
            ByteBuffer to = out.room(Packet.LONGEST_HEADER + length);
            to.put((byte) (type | Packet.RESERVED_FLAGS));
            Packet.putLength(to, length);
            to.putShort((short) request.id);
            if (options.five()) {
                to.put((byte) 0);
            }
            to.put(text);
            if (subscription >= 0) {
                to.put((byte) subscription);
            }
            out.appended();
            return request;
        });
    }

    private void forget(AwaitedAnswer request) {
        locked(() -> {
            requests.remove(request.id);
        });
    }
}
