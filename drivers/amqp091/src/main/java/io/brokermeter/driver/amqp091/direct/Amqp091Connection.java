package io.brokermeter.driver.amqp091.direct;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import io.brokermeter.driver.amqp091.model.Options;
import io.brokermeter.driver.amqp091.model.Prefetch;
import io.brokermeter.driver.amqp091.model.ReplyException;
import io.brokermeter.driver.amqp091.model.Topology;
import io.brokermeter.driver.amqp091.model.TopologyConnection;
import io.brokermeter.driver.wire.WireConnection;
import io.brokermeter.driver.wire.WireEndpoint;
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
import org.jspecify.annotations.Nullable;

/**
 * A connection on brokermeter's own path, which dispatches frames to its channels. Each producer and each consumer has a channel of its
 * own.
 */
public final class Amqp091Connection extends WireConnection implements TopologyConnection {

    private static final long LONGEST_BLOCKED = TimeUnit.MINUTES.toNanos(5);

    final Options options;

    private final ConnectionListener listener;
    private final Amqp091Frames incoming;
    private final Topology topology;
    final Amqp091Handshake greeting;
    private final long heartbeatNanos;

    // written under the lock
    private volatile @Nullable Channel[] channels = new Channel[16];
    private volatile boolean peerClosed;
    /** The reason why the broker accepts no messages at present; empty if it accepts them. */
    volatile String blocked = "";

    private Amqp091Connection(
            Options options, ConnectionSettings settings, ConnectionListener listener, Amqp091Handshake greeting) {
        super("amqp091", greeting.wire(), greeting.reader(), listener, settings.connectTimeout(), new AtomicBoolean());
        this.options = options;
        this.listener = listener;
        this.incoming = greeting.reader();
        this.topology = new Topology(options, new ChannelRequests(this), settings.clientId(), listener);
        this.greeting = greeting;
        this.heartbeatNanos = TimeUnit.SECONDS.toNanos(greeting.heartbeatSeconds());
    }

    /** Connects, logs in and opens the virtual host; bounded by the connect timeout of {@code settings}. */
    public static Amqp091Connection connect(Options options, ConnectionSettings settings,
            ConnectionListener listener) throws DriverException {
        Amqp091Connection connection = new Amqp091Connection(options, settings, listener, Amqp091Handshake.dial(options, settings));
        connection.start(connection.heartbeatNanos, connection.heartbeatNanos);
        return connection;
    }

    // ---- frames

    @Override
    protected void frame() throws IOException {
        ByteBuffer in = incoming.buffer();
        int end = incoming.frameEnd();
        int type = incoming.type();
        if (type == Amqp091Frames.HEARTBEAT) {
            return;
        }
        int number = incoming.channel();
        if (type == Amqp091Frames.BODY) {
            byNumber(number).body(incoming.view(in.position(), end));
        } else if (type == Amqp091Frames.HEADER) {
            byNumber(number).header(in);
        } else if (type == Amqp091Frames.METHOD) {
            int code = in.getInt();
            if (number == 0) {
                connectionMethod(code, in);
            } else if (code >>> 16 == 60 && isUnasked(code)) {
                byNumber(number).method(code, in, end);
            } else {
                channelMethod(number, code, in, end);
            }
        } else {
            throw new IOException("the broker sent a frame of the unknown type " + type);
        }
    }

    private static boolean isUnasked(int code) {
        return switch (code) {
            case Method.BASIC_DELIVER, Method.BASIC_ACK, Method.BASIC_NACK, Method.BASIC_RETURN, Method.BASIC_CANCEL,
                Method.BASIC_GET_OK, Method.BASIC_GET_EMPTY -> true;
            default -> false;
        };
    }

    private Channel byNumber(int number) throws IOException {
        @Nullable Channel[] all = channels;
        Channel found = number < all.length ? all[number] : null;
        if (found == null) {
            throw new IOException("the broker used channel " + number + ", which is not open");
        }
        return found;
    }

    private void connectionMethod(int code, ByteBuffer in) throws IOException {
        switch (code) {
            case Method.CONNECTION_CLOSE -> {
                int reply = in.getShort() & 0xffff;
                String text = Fields.shortText(in);
                locked(() -> method(0, Method.CONNECTION_CLOSE_OK, to -> {}));
                throw ReplyException.of("The broker closed the connection", reply, text);
            }
            case Method.CONNECTION_CLOSE_OK -> {
                peerClosed = true;
                signal();
            }
            case Method.CONNECTION_BLOCKED -> {
                String reason = Fields.shortText(in);
                blocked = reason.isBlank() ? "no reason given" : reason;
                listener.notice("The broker blocks the connection and takes no messages: " + blocked + ".");
            }
            case Method.CONNECTION_UNBLOCKED -> {
                blocked = "";
                signal();
                listener.notice("The broker takes messages again.");
            }
            default -> throw new IOException("the broker sent method " + (code >> 16) + "." + (code & 0xffff)
                + " on the connection");
        }
    }

    private void channelMethod(int number, int code, ByteBuffer in, int end) throws IOException {
        Channel found = byNumber(number);
        Optional<Throwable> reason = locked(() -> {
            // any other method answers a request whose caller gave up
            changed.signalAll();
            if (found.answered(code, in, end)) {
                if (found.closed) {
                    forget(found);
                }
            } else if (code == Method.CHANNEL_CLOSE) {
                int reply = in.getShort() & 0xffff;
                String text = Fields.shortText(in);
                method(number, Method.CHANNEL_CLOSE_OK, to -> {});
                owe();
                Throwable refusal = ReplyException.of("The broker refuses " + found.describe(), reply, text);
                found.closed(refusal);
                // after our own close an answer is still to come, and until then the number belongs to this channel
                if (!found.isClosing()) {
                    forget(found);
                }
                return Optional.of(refusal);
            } else if (code == Method.CHANNEL_FLOW) {
                byte active = in.get();
                if (found instanceof Amqp091Producer producer) {
                    producer.flow(active != 0);
                }
                method(number, Method.CHANNEL_FLOW_OK, to -> to.put(active));
                owe();
            }
            return Optional.empty();
        });
        if (reason.isPresent()) {
            found.endOfBatch();
            found.ended(reason.get());
        }
    }

    private void forget(Channel gone) {
        @Nullable Channel[] fewer = channels.clone();
        fewer[gone.number] = null;
        channels = fewer;
    }

    // ---- lifecycle of the connection

    @Override
    protected long longestSilence() {
        return 2 * heartbeatNanos;
    }

    @Override
    protected long longestWrite() {
        // a broker that is short of memory reads nothing, and announces that
        return !blocked.isEmpty() ? LONGEST_BLOCKED : heartbeatNanos > 0 ? 2 * heartbeatNanos : super.longestWrite();
    }

    @Override
    protected void beat() {
        out.room(Amqp091Frames.OVERHEAD).put((byte) Amqp091Frames.HEARTBEAT).putShort((short) 0).putInt(0).put(Amqp091Frames.END);
        out.appended();
    }

    @Override
    protected boolean isAnswered(Throwable end) {
        return end instanceof ReplyException;
    }

    @Override
    protected List<? extends WireEndpoint> endpoints() {
        return Stream.of(channels).filter(Objects::nonNull).toList();
    }

    @Override
    protected void terminated(Throwable reason) {
        for (Channel each : channels) {
            if (each != null) {
                each.closed(reason);
            }
        }
    }

    @Override
    protected void goodbye() {
        method(0, Method.CONNECTION_CLOSE, Method::regularEnd);
    }

    @Override
    protected boolean isReleased() {
        return peerClosed;
    }

    @Override
    public void close() {
        closeAll();
    }

    /** Appends the frame of a method. Call under the lock. */
    void method(int number, int code, java.util.function.Consumer<ByteBuffer> arguments) {
        Method.put(out.room(Method.LARGEST), number, code, arguments);
        out.appended();
    }

    // ---- used by the channels

    <C extends Channel> C register(java.util.function.IntFunction<C> making) throws IOException {
        return locked(() -> {
            check();
            @Nullable Channel[] all = channels;
            int free = 1;
            while (free < all.length && all[free] != null) {
                free++;
            }
            if (free > greeting.channelMax()) {
                throw new DriverException("One connection to " + options.address() + " allows " + greeting.channelMax()
                    + " producers, consumers and requests at a time; use more connections or raise channel-max.", null);
            }
            @Nullable Channel[] more = Arrays.copyOf(all, free == all.length ? all.length * 2 : all.length);
            C made = making.apply(free);
            more[free] = made;
            channels = more;
            return made;
        });
    }

    // ---- SPI

    @Override
    public Producer producer(Destination destination, ProducerSettings wanted, SendListener sendListener) throws Exception {
        topology.declare(destination);
        Topology.Route route = topology.route(destination);
        sends();
        Amqp091Producer made = register(
            number -> new Amqp091Producer(this, number, destination, route, wanted, sendListener));
        try {
            made.begin();
            return made;
        } catch (Exception e) {
            made.shut();
            throw e;
        }
    }

    @Override
    public Consumer consumer(Destination destination, ConsumerSettings wanted, DeliveryListener deliveryListener) throws Exception {
        int prefetch = Prefetch.of(wanted);
        String queue = topology.source(destination, wanted);
        Amqp091Consumer made = register(
            number -> new Amqp091Consumer(this, number, destination, queue, wanted, prefetch, deliveryListener));
        try {
            made.begin(topology.consumerArguments(destination));
            return made;
        } catch (Exception e) {
            made.shut();
            throw e;
        }
    }

    @Override
    public String client() {
        return "brokermeter AMQP 0.9.1 path";
    }

    @Override
    public Topology topology() {
        return topology;
    }

    @Override
    public Map<String, Object> serverProperties() {
        return greeting.serverProperties();
    }
}
