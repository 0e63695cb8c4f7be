package io.brokermeter.driver.mqtt;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.DriverException;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.PropertyText;
import io.brokermeter.spi.ServerUrl;
import org.jspecify.annotations.Nullable;

/**
 * One session with a broker: a socket, its writing side that all threads share, and the one thread that reads. The reader
 * takes no lock for messages and acknowledgements; what it has to answer goes out once for all that a read brought. On a
 * session that both sends and receives a helper writes that, so that reading never waits for a full socket.
 */
final class Session {

    private static final long LONGEST_CLOSE = TimeUnit.SECONDS.toNanos(5);
    private static final long LONGEST_WRITE = TimeUnit.SECONDS.toNanos(60);
    private static final long SHORTEST_PATIENCE = TimeUnit.SECONDS.toNanos(5);
    private static final int FEWEST_PLACES = 256;
    /** So many answers of four bytes fit into any socket, whether the broker reads or not. */
    private static final int INLINE_ANSWERS = 16 * 1024;
    private static final int LAST_ID = 65_535;
    private static final byte[] PROPERTY = Payload.PROPERTY.getBytes(StandardCharsets.US_ASCII);

    private static final ScheduledThreadPoolExecutor TIMER = timer();

    final ReentrantLock lock = new ReentrantLock();
    final Condition changed = lock.newCondition();
    final Outgoing out;
    final MqttOptions options;
    final Grant grant;

    private final String clientId;
    private final ConnectionSettings settings;
    private final ConnectionListener listener;
    /** Whether the broker was found mute; other sessions with it share that. */
    private final AtomicBoolean mute;
    private final Wire wire;
    private final Incoming incoming;
    private final Thread reader;

    // reader
    private final List<Touched> touched = new ArrayList<>();
    private byte[] answers = new byte[1024];
    private int answered;
    private boolean acknowledged;
    private final BitSet unreleased = new BitSet();
    private ByteBuffer envelope = ByteBuffer.allocate(64);
    private final @Nullable MqttConsumer[] aliases;

    // under the lock
    private final List<MqttProducer> producers = new ArrayList<>();
    private final List<Request> requests = new ArrayList<>();
    private int placesWanted;
    private int lastRequest = InFlight.IDS;
    private int aliasesGiven;
    private @Nullable Throwable dead;

    private volatile InFlight inFlight = new InFlight(FEWEST_PLACES);
    /** Every consumer of the session; replaced, not changed. */
    private volatile MqttConsumer[] consumers = {};
    private volatile boolean sends;
    private volatile boolean senderWaits;
    private volatile boolean closing;
    private volatile boolean over;
    private volatile @Nullable Throwable failure;
    /** When the reader began to wait, which it does after each batch; counts only while it reads. */
    private volatile long lastRead = System.nanoTime();
    private volatile boolean reading;
    /** When the broker was asked whether it lives; 0 when it has answered. */
    private volatile long asked;
    private volatile @Nullable Thread helper;
    private @Nullable ScheduledFuture<?> ticks;

    /** A SUBSCRIBE or UNSUBSCRIBE that waits for its answer; under the lock. */
    private static final class Request {

        private final int id;
        private boolean answered;
        private int code;
        private String reason = "";

        private Request(int id) {
            this.id = id;
        }
    }

    private Session(
            Wire wire, Incoming incoming, ConnectionSettings settings, MqttOptions options, String clientId, Grant grant,
            AtomicBoolean mute, ConnectionListener listener) {
        this.mute = mute;
        this.wire = wire;
        this.incoming = incoming;
        this.settings = settings;
        this.options = options;
        this.clientId = clientId;
        this.grant = grant;
        this.listener = listener;
        this.out = new Outgoing(wire, lock);
        this.aliases = new MqttConsumer[options.topicAlias() == 0 ? 0 : options.topicAlias() + 1];
        this.reader = Thread.ofPlatform().daemon().name("brokermeter-mqtt-reader").unstarted(this::read);
    }

    private static ScheduledThreadPoolExecutor timer() {
        var timer = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("brokermeter-mqtt-timer").factory());
        timer.setRemoveOnCancelPolicy(true);
        timer.setKeepAliveTime(1, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        return timer;
    }

    /**
     * Connects to the first of the servers that accepts; bounded by the connect timeout. Nothing is read before {@link
     * #start()}.
     *
     * @param mute whether the broker did not answer in time, which closing then does not wait for again; sessions set it
     * @param listener hears the loss of the session once it is started
     */
    static Session connect(
            ConnectionSettings settings, MqttOptions options, Handshake handshake, AtomicBoolean mute, ConnectionListener listener)
            throws IOException {
        long deadline = System.nanoTime() + settings.connectTimeout().toNanos();
        IOException last = null;
        for (ServerUrl.Server server : options.url().servers()) {
            try {
                return connect(server, settings, options, handshake, mute, listener, deadline);
            } catch (IOException e) {
                if (last != null) {
                    e.addSuppressed(last);
                }
                last = e;
            }
        }
        throw last == null ? new IOException("There is no server in the URL.") : last;
    }

    private static Session connect(
            ServerUrl.Server server, ConnectionSettings settings, MqttOptions options, Handshake handshake,
            AtomicBoolean mute, ConnectionListener listener, long deadline) throws IOException {
        Wire wire = Dialer.open(server, options, settings.connectTimeout(), deadline);
        ScheduledFuture<?> guard =
            TIMER.schedule(wire::close, Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        boolean connected = false;
        try {
            Incoming incoming = new Incoming(wire, options.maximumPacketSize());
            wire.write(handshake.request(settings, options));
            incoming.awaitPacket();
            Grant grant = handshake.answer(incoming, settings, options);
            if (!guard.cancel(false)) {
                throw new ClosedChannelException();
            }
            connected = true;
            return new Session(wire, incoming, settings, options, handshake.clientId(), grant, mute, listener);
        } catch (DriverException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            if (deadline - System.nanoTime() <= 0) {
                throw new DriverException("Something accepts connections there but did not answer within "
                    + settings.connectTimeout().toMillis() / 1e3 + " s.", e);
            }
            if (e instanceof IOException failure) {
                IOException explained = Dialer.explained(server, options, settings.connectTimeout(), failure);
                if (explained != failure) {
                    throw explained;
                }
            }
            if (e instanceof EOFException || e instanceof SocketException) {
                throw new DriverException("The broker closed the connection without an answer; " + (options.five()
                    ? "if it does not speak MQTT 5, set the parameter version=3.1.1."
                    : "perhaps that port does not speak MQTT."), e);
            }
            throw new DriverException("The broker's answer cannot be read: " + e.getMessage() + ".", e);
        } finally {
            guard.cancel(false);
            if (!connected) {
                wire.close();
            }
        }
    }

    /** Begins to read, and to watch over the connection. */
    void start() {
        reader.start();
        long period = grant.keepAlive() == 0 ? TimeUnit.SECONDS.toNanos(5)
            : TimeUnit.SECONDS.toNanos(grant.keepAlive()) / 8;
        period = Math.clamp(period, TimeUnit.MILLISECONDS.toNanos(50), TimeUnit.SECONDS.toNanos(5));
        ScheduledFuture<?> started = TIMER.scheduleWithFixedDelay(this::tick, period, period, TimeUnit.NANOSECONDS);
        boolean over;
        lock.lock();
        try {
            ticks = started;
            over = dead != null;
        } finally {
            lock.unlock();
        }
        if (over) {
            started.cancel(false);
        }
    }

    String clientId() {
        return clientId;
    }

    // ---- the reader

    private void read() {
        Throwable end;
        try {
            // what came behind the answer to CONNECT may be here already
            packets();
            while (true) {
                lastRead = System.nanoTime();
                reading = true;
                incoming.fill();
                reading = false;
                packets();
            }
        } catch (Throwable e) {
            end = e;
        }
        terminate(end);
    }

    private void packets() throws IOException {
        while (incoming.nextPacket()) {
            packet(incoming.header(), incoming.buffer(), incoming.end());
        }
        if (acknowledged) {
            acknowledged = false;
            inFlight.publish();
            if (senderWaits) {
                signal();
            }
        }
        boolean answer = answered > 0;
        if (answer) {
            lock.lock();
            try {
                out.room(answered).put(answers, 0, answered);
                out.appended();
            } finally {
                lock.unlock();
            }
            answered = 0;
        }
        for (int i = 0; i < touched.size(); i++) {
            Touched each = touched.get(i);
            each.touched = false;
            each.endOfBatch();
        }
        touched.clear();
        if (answer) {
            if (answersInline()) {
                out.flush();
            } else {
                help();
            }
        }
    }

    private boolean answersInline() {
        return !sends || (consumers.length == 0 && inFlight.capacity() <= INLINE_ANSWERS);
    }

    /** Asks for {@link Touched#endOfBatch()}. Reader only. */
    void touch(Touched each) {
        if (!each.touched) {
            each.touched = true;
            touched.add(each);
        }
    }

    private void packet(int header, ByteBuffer in, int end) throws IOException {
        switch (header & 0xf0) {
            case Packet.PUBLISH -> published(header, in, end);
            case Packet.PUBACK, Packet.PUBREC, Packet.PUBCOMP -> acknowledged(header & 0xf0, in, end);
            case Packet.PUBREL -> {
                int id = in.getShort() & 0xffff;
                unreleased.clear(id);
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
        if (qos == 2) {
            if (unreleased.get(id)) {
                answer(Packet.PUBREC, id);
                return;
            }
            unreleased.set(id);
        }
        MqttConsumer consumer = consumer(in, topic, alias);
        if (consumer == null) {
            acknowledge(qos, id);
            return;
        }
        consumer.arrived(qos, id, (header & 0x08) != 0, (header & 0x01) != 0, beside, incoming.view(at, end));
    }

    /** The envelope among the properties that begin at a position with their length, or null; the same buffer at each call. */
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

    /** Whose message it is; null when nobody subscribes to that topic any more. */
    private @Nullable MqttConsumer consumer(ByteBuffer in, int topic, int alias) throws IOException {
        MqttConsumer[] all = consumers;
        if (all.length == 1) {
            return all[0];
        }
        int length = in.getShort(topic) & 0xffff;
        if (length == 0 && alias > 0 && alias < aliases.length) {
            return aliases[alias];
        }
        MqttConsumer found = null;
        for (MqttConsumer each : all) {
            if (each.subscribesTo(in, topic + 2, length)) {
                found = each;
                break;
            }
        }
        if (alias > 0 && alias < aliases.length) {
            aliases[alias] = found;
        }
        return found;
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
                flying.owner(place).refused(flying, place, Reason.text(code, added));
            }
        } else if (type == Packet.PUBREC) {
            if (place >= 0) {
                flying.received(place);
            }
            answer(Packet.PUBREL | Packet.RESERVED_FLAGS, id);
        } else if (place >= 0) {
            flying.owner(place).acknowledged(flying, place);
        }
    }

    private void answered(int type, ByteBuffer in) throws IOException {
        int id = in.getShort() & 0xffff;
        String reason = options.five() ? Properties.read(in).reason() : "";
        lock.lock();
        try {
            for (Request request : requests) {
                if (request.id == id) {
                    // version 3.1.1 has no codes for UNSUBSCRIBE
                    request.code = in.hasRemaining() ? in.get() & 0xff : type == Packet.SUBACK ? Reason.FAILURE : 0;
                    request.reason = reason;
                    request.answered = true;
                }
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Acknowledges a message that was delivered, or will not be. Reader only. */
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

    /** Acknowledges a message from another thread than the reader. Does not write. */
    void acknowledgeAside(int qos, int id) {
        if (qos == 0) {
            return;
        }
        lock.lock();
        try {
            out.room(4).put((byte) (qos == 1 ? Packet.PUBACK : Packet.PUBREC)).put((byte) 2).putShort((short) id);
            out.appended();
        } finally {
            lock.unlock();
        }
    }

    private void terminate(Throwable end) {
        Throwable known = failure;
        Throwable reason = known != null ? known : readable(end);
        List<MqttProducer> open;
        boolean tell;
        lock.lock();
        try {
            dead = reason;
            tell = !closing;
            open = List.copyOf(producers);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        shut();
        for (Touched each : touched) {
            each.touched = false;
            each.endOfBatch();
        }
        touched.clear();
        for (MqttProducer producer : open) {
            producer.finish(reason);
        }
        for (MqttConsumer consumer : consumers) {
            consumer.ended();
        }
        if (tell) {
            listener.lost(reason);
        }
    }

    private static Throwable readable(Throwable end) {
        return switch (end) {
            case DriverException said -> said;
            case ClosedChannelException closed -> new DriverException("The connection was closed.", closed);
            case EOFException gone -> new DriverException("The broker closed the connection.", gone);
            case IOException broken -> new DriverException("The connection to the broker broke: " + broken.getMessage() + ".", broken);
            default -> new DriverException("The broker sent something that cannot be read (" + end + ").", end);
        };
    }

    private void shut() {
        over = true;
        wire.close();
        lock.lock();
        try {
            if (ticks != null) {
                ticks.cancel(false);
            }
        } finally {
            lock.unlock();
        }
        Thread thread = helper;
        if (thread != null) {
            LockSupport.unpark(thread);
        }
    }

    // ---- writing

    /** Writes what was appended, or leaves it to the thread that is writing now; a failure ends the session. */
    void flush() throws IOException {
        try {
            out.flush();
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** Writes what was appended, and returns when it is written; a failure ends the session. */
    void flushFully() throws IOException {
        try {
            out.flushFully();
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private IOException failed(IOException e) {
        Throwable known = failure;
        if (known == null) {
            lock.lock();
            try {
                known = dead;
            } finally {
                lock.unlock();
            }
        }
        if (known == null) {
            known = readable(e);
        }
        fail(known);
        return new DriverException(String.valueOf(known.getMessage()), e);
    }

    /** Gives the session up; the reader notices and tells everyone. */
    private void fail(Throwable cause) {
        if (failure == null) {
            failure = cause;
        }
        wire.close();
    }

    /** Wakes the thread that writes for those who must not wait for a full socket. */
    void help() {
        Thread thread = helper;
        if (thread == null) {
            lock.lock();
            try {
                if (over) {
                    return;
                }
                thread = helper;
                if (thread == null) {
                    thread = Thread.ofPlatform().daemon().name("brokermeter-mqtt-writer").unstarted(this::helperLoop);
                    helper = thread;
                    thread.start();
                }
            } finally {
                lock.unlock();
            }
        }
        LockSupport.unpark(thread);
    }

    private void helperLoop() {
        while (!over) {
            try {
                out.flush();
                signal();
            } catch (IOException e) {
                fail(readable(e));
                return;
            }
            LockSupport.parkNanos(this, TimeUnit.SECONDS.toNanos(60));
        }
    }

    private void tick() {
        long now = System.nanoTime();
        if (writingFor() > LONGEST_WRITE) {
            fail(new DriverException("The broker has read nothing from its socket for "
                + TimeUnit.NANOSECONDS.toSeconds(writingFor()) + " s.", null));
            return;
        }
        long keepAlive = TimeUnit.SECONDS.toNanos(grant.keepAlive());
        if (keepAlive == 0) {
            return;
        }
        long since = asked;
        if (since != 0) {
            long patience = Math.max(keepAlive / 2, SHORTEST_PATIENCE);
            if (reading && now - since > patience && now - lastRead > patience) {
                fail(new DriverException("The broker sent nothing for " + Duration.ofNanos(now - lastRead).toSeconds()
                    + " s, not even the answer to a ping.", null));
            }
            return;
        }
        long silence = keepAlive * 3 / 4;
        if (now - out.lastWrite() > silence || (reading && now - lastRead > silence)) {
            lock.lock();
            try {
                out.room(2).put((byte) Packet.PINGREQ).put((byte) 0);
                out.appended();
            } finally {
                lock.unlock();
            }
            asked = now | 1;
            help();
        }
    }

    /** Nanoseconds since the write began that is under way; 0 when there is none. */
    long writingFor() {
        long since = out.writingSince();
        return since == 0 ? 0 : System.nanoTime() - since;
    }

    // ---- sending

    /** The messages in flight. Senders use it under the lock. */
    InFlight inFlight() {
        return inFlight;
    }

    /** The most messages that may be in flight now. */
    int limit() {
        return Math.min(Math.min(grant.receiveMaximum(), options.receiveMaximum()), inFlight.capacity());
    }

    /** Throws when the session is over. Under the lock. */
    void check() throws IOException {
        Throwable reason = dead != null ? dead : failure;
        if (reason != null) {
            throw new DriverException(String.valueOf(reason.getMessage()), reason);
        }
    }

    /** Waits until a message more may be in flight; writes first what is held back. Under the lock, which it gives up. */
    void awaitRoom(long limitNanos, String what) throws IOException {
        long deadline = System.nanoTime() + limitNanos;
        while (inFlight.size() >= limit()) {
            check();
            if (out.pending() > 0) {
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

    /** Adds a producer, and makes room for what it will have in flight. */
    void add(MqttProducer producer, int maxPending) throws IOException {
        lock.lock();
        try {
            check();
            placesWanted += maxPending == 0 ? InFlight.IDS : maxPending;
            placesWanted = Math.min(placesWanted, InFlight.IDS);
            int wanted = Math.min(placesWanted * 2, Math.min(grant.receiveMaximum(), options.receiveMaximum()));
            if (wanted > inFlight.capacity() && inFlight.capacity() < InFlight.IDS) {
                grow(wanted);
            }
            producers.add(producer);
            sends = true;
        } finally {
            lock.unlock();
        }
    }

    /** The reader looks into the old ring while something is in flight; with patience for that, or not at all. */
    private void grow(int wanted) throws IOException {
        long left = settings.connectTimeout().toNanos();
        while (inFlight.size() > 0 && left > 0) {
            check();
            if (out.pending() > 0) {
                help();
            }
            try {
                senderWaits = true;
                left = changed.awaitNanos(Math.min(left, TimeUnit.MILLISECONDS.toNanos(50))) + left
                    - TimeUnit.MILLISECONDS.toNanos(50);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } finally {
                senderWaits = lock.hasWaiters(changed);
            }
        }
        if (inFlight.size() == 0) {
            inFlight = new InFlight(wanted);
        }
    }

    void remove(MqttProducer producer) {
        lock.lock();
        try {
            producers.remove(producer);
        } finally {
            lock.unlock();
        }
    }

    /** A number that may stand for a topic from now on; 0 when there is none left. */
    int newAlias() {
        lock.lock();
        try {
            return aliasesGiven < Math.min(options.topicAlias(), grant.topicAliasMaximum()) ? ++aliasesGiven : 0;
        } finally {
            lock.unlock();
        }
    }

    // ---- receiving

    /** Lets a consumer have what arrives for its topic. */
    void add(MqttConsumer consumer) {
        lock.lock();
        try {
            MqttConsumer[] more = Arrays.copyOf(consumers, consumers.length + 1);
            more[consumers.length] = consumer;
            consumers = more;
        } finally {
            lock.unlock();
        }
    }

    void remove(MqttConsumer consumer) {
        lock.lock();
        try {
            consumers = Arrays.stream(consumers).filter(each -> each != consumer).toArray(MqttConsumer[]::new);
        } finally {
            lock.unlock();
        }
    }

    /** Whether messages of this consumer could be told from those of the others of this session. */
    boolean hasRoomFor(MqttConsumer.Filter filter) {
        MqttConsumer[] all = consumers;
        if (all.length == 0) {
            return true;
        }
        for (MqttConsumer each : all) {
            if (!filter.isOneTopic() || !each.filter().isOneTopic() || each.filter().topic().equals(filter.topic())) {
                return false;
            }
        }
        return true;
    }

    /** Subscribes, and returns when the broker has confirmed that. */
    void subscribe(MqttConsumer.Filter filter, int qos, boolean retained) throws IOException {
        byte[] text = Packet.text(filter.text());
        // retain handling, section 3.8.3.1: 2 asks for nothing that was retained before
        int subscription = qos | (options.five() && !retained ? 0x20 : 0);
        Request answer = request(Packet.SUBSCRIBE, text, subscription, settings.connectTimeout().toNanos());
        if (!answer.answered) {
            throw new DriverException("The broker did not confirm the subscription to " + filter.text() + " within "
                + settings.connectTimeout().toMillis() / 1e3 + " s.", null);
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

    /** Ends a subscription. Returns when the broker has confirmed that, or does not answer in time. */
    void unsubscribe(MqttConsumer.Filter filter) {
        try {
            request(Packet.UNSUBSCRIBE, Packet.text(filter.text()), -1, closeLimitNanos());
        } catch (IOException e) {
            // a session that is over has no subscriptions
        }
    }

    private Request request(int type, byte[] filter, int subscription, long limitNanos) throws IOException {
        Request request;
        lock.lock();
        try {
            check();
            lastRequest = lastRequest == LAST_ID ? InFlight.IDS + 1 : lastRequest + 1;
            request = new Request(lastRequest);
            requests.add(request);
            int length = 2 + (options.five() ? 1 : 0) + filter.length + (subscription < 0 ? 0 : 1);
            ByteBuffer to = out.room(Packet.LONGEST_HEADER + length);
            to.put((byte) (type | Packet.RESERVED_FLAGS));
            Packet.putLength(to, length);
            to.putShort((short) request.id);
            if (options.five()) {
                to.put((byte) 0);
            }
            to.put(filter);
            if (subscription >= 0) {
                to.put((byte) subscription);
            }
            out.appended();
        } finally {
            lock.unlock();
        }
        if (sends) {
            help();
        } else {
            flush(); // of so little that no socket is full of it
        }
        boolean closes = type == Packet.UNSUBSCRIBE;
        await(() -> request.answered, limitNanos, closes);
        lock.lock();
        try {
            requests.remove(request);
            if (!request.answered && !closes) {
                check();
            }
            return request;
        } finally {
            lock.unlock();
        }
    }

    // ---- the end

    /** Lets those look again who wait for something that changed without the lock. */
    void signal() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    long closeLimitNanos() {
        return Math.min(LONGEST_CLOSE, settings.connectTimeout().toNanos());
    }

    /** Waits for a condition while closing: not longer than a close may take, and only a moment once the broker is mute. */
    boolean await(BooleanSupplier done) {
        return await(done, closeLimitNanos(), true);
    }

    private boolean await(BooleanSupplier done, long limitNanos, boolean closes) {
        lock.lock();
        try {
            long deadline = System.nanoTime() + (closes && mute.get() ? TimeUnit.MILLISECONDS.toNanos(1) : limitNanos);
            while (!done.getAsBoolean()) {
                if (dead != null) {
                    return false;
                }
                long left = deadline - System.nanoTime();
                if (left <= 0 || Thread.currentThread() == reader) {
                    if (left <= 0) {
                        mute.set(true);
                    }
                    return false;
                }
                // not everything that ends a wait is signalled
                changed.awaitNanos(Math.min(left, TimeUnit.MILLISECONDS.toNanos(20)));
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Closes every producer and consumer, and then the session. */
    void closeAll() {
        List<AutoCloseable> open = new ArrayList<>();
        lock.lock();
        try {
            open.addAll(producers);
        } finally {
            lock.unlock();
        }
        open.addAll(Arrays.asList(consumers));
        for (AutoCloseable each : open) {
            try {
                each.close();
            } catch (Exception e) {
                // the next ones must be closed as well
            }
        }
        close();
    }

    /** Ends the session properly, in bounded time. Returns after the last callback. */
    void close() {
        lock.lock();
        try {
            if (closing) {
                return;
            }
            closing = true;
            if (dead == null) {
                out.room(2).put((byte) Packet.DISCONNECT).put((byte) 0);
                out.appended();
            }
        } finally {
            lock.unlock();
        }
        long limit = mute.get() ? TimeUnit.MILLISECONDS.toNanos(50) : closeLimitNanos();
        ScheduledFuture<?> guard = TIMER.schedule(wire::close, limit, TimeUnit.NANOSECONDS);
        try {
            out.flush();
            wire.end();
        } catch (IOException e) {
            // it is over already
        }
        if (Thread.currentThread() != reader) {
            try {
                reader.join(Duration.ofNanos(limit + TimeUnit.SECONDS.toNanos(1)));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        guard.cancel(false);
        shut();
    }
}
