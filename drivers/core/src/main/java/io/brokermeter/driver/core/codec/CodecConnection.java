package io.brokermeter.driver.core.codec;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

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
import org.apache.activemq.artemis.utils.CompositeAddress;
import org.apache.activemq.artemis.utils.SelectorTranslator;
import org.jspecify.annotations.Nullable;

/**
 * A connection on brokermeter's own CORE path. It dispatches packets to sessions; each producer and consumer has one of its own. Whatever this
 * path does not do goes to a second connection, over Artemis' client, which is made when it is first needed.
 */
public final class CodecConnection extends WireConnection implements Connection {

    /** Name of this package's client. */
    public static final String CLIENT = "brokermeter's own CORE path (protocol of Artemis 2.37)";

    private final ConnectionSettings settings;
    private final CodecUrl url;
    private final CoreFrames frames;
    private final ClientBeside beside;
    private final CoreChannel sessions;
    private final CoreChannel control;
    private final BrokerObjects objects;
    /** The connection's id in each of its messages, as clients of Jakarta Messaging have it. */
    private final String id = UUID.randomUUID().toString();

    /** Sessions by channel; written under the lock. */
    private volatile @Nullable CoreChannel[] channels = new CoreChannel[2 * CorePackets.FIRST_SESSION];
    private int nextChannel = CorePackets.FIRST_SESSION;
    private volatile boolean direct;

    private CodecConnection(
            ConnectionSettings settings, CodecUrl url, ConnectionListener listener, ClientBeside.Opening client, CoreHandshake greeting) {
        super("core", greeting.wire(), greeting.frames(), listener, settings.connectTimeout(), new AtomicBoolean());
        this.settings = settings;
        this.url = url;
        this.frames = greeting.frames();
        this.beside = new ClientBeside(client, greeting.server(), listener, this::tellLost);
        this.sessions = new CoreChannel(this, CorePackets.SESSIONS, -1);
        this.control = new CoreChannel(this, nextChannel++, -1);
        this.objects = new BrokerObjects(this, control);
        channels[(int) sessions.id] = sessions;
        channels[(int) control.id] = control;
    }

    /**
     * Connects and authenticates; bounded by the connect timeout of {@code settings}.
     *
     * @param client opens the connection over Artemis' client that stands beside this one
     * @throws DriverException with one sentence for the user
     */
    public static CodecConnection connect(
            ConnectionSettings settings, CodecUrl url, ConnectionListener listener, ClientBeside.Opening client) throws DriverException {
        var connection = new CodecConnection(settings, url, listener, client, CoreHandshake.dial(settings, url));
        long silence = connection.longestSilence();
        connection.start(TimeUnit.MILLISECONDS.toNanos(url.checkPeriod()), silence);
        return connection;
    }

    // ---- packets

    @Override
    protected void frame() throws IOException {
        byte type = frames.type();
        long number = frames.channel();
        if (number == CorePackets.CONNECTION) {
            if (type == CorePackets.DISCONNECT || type == CorePackets.DISCONNECT_2 || type == CorePackets.DISCONNECT_3) {
                throw new DriverException("The broker shuts down and has ended the connection.", null);
            }
            return; // the echo of a keep-alive
        }
        CoreChannel[] known = channels;
        CoreChannel channel = number > 0 && number < known.length ? known[(int) number] : null;
        if (channel == null) {
            return; // the session is closed on our side
        }
        if (type != CorePackets.PACKETS_CONFIRMED) {
            channel.count(frames.size());
        }
        channel.packet(type, frames.buffer(), frames.end());
    }

    /** Returns the bytes between two positions of the current packet; the same buffer at each call. Reader thread only. */
    ByteBuffer view(int from, int to) {
        return frames.view(from, to);
    }

    // ---- lifecycle of the connection

    @Override
    protected long longestSilence() {
        return url.connectionTtl() < 0 ? 0 : TimeUnit.MILLISECONDS.toNanos(url.connectionTtl() + url.checkPeriod());
    }

    @Override
    protected long longestWrite() {
        return url.connectionTtl() < 0 ? super.longestWrite()
            : Math.min(super.longestWrite(), TimeUnit.MILLISECONDS.toNanos(url.connectionTtl()));
    }

    /** Keep-alives are due in both directions: the broker answers each, which shows that it is there. */
    @Override
    protected boolean beatDue(long unwritten, long unread) {
        return Math.max(unwritten, unread) > TimeUnit.MILLISECONDS.toNanos(url.checkPeriod());
    }

    @Override
    protected void beat() {
        CoreHandshake.ping(url).appendTo(out);
    }

    @Override
    protected List<? extends WireEndpoint> endpoints() {
        List<CoreChannel> open = new ArrayList<>();
        for (CoreChannel each : channels) {
            if (each != null && each != sessions && each != control) {
                open.add(each);
            }
        }
        return open;
    }

    @Override
    protected void terminated(Throwable reason) {
        for (CoreChannel each : channels) {
            if (each != null) {
                each.terminated(reason);
            }
        }
    }

    @Override
    protected void goodbye() {
        control.askToClose();
    }

    @Override
    protected boolean isReleased() {
        return control.isReleased();
    }

    @Override
    public void close() {
        closeAll();
        beside.close();
    }

    // ---- sessions

    String id() {
        return id;
    }

    CodecUrl url() {
        return url;
    }

    interface Making<C extends CoreChannel> {

        C make(long channel);
    }

    /** Creates a session, such as that of a producer or consumer. */
    <C extends CoreChannel> C open(Making<C> making, String what) throws IOException, InterruptedException {
        C made = locked(() -> {
            check();
            int number = nextChannel++;
            C channel = making.make(number);
            if (number >= channels.length) {
                channels = Arrays.copyOf(channels, 2 * channels.length);
            }
            channels[number] = channel;
            return channel;
        });
        try {
            sessions.request(CoreHandshake.createSession(settings, url, made.id, made.window()), "a session for " + what);
        } catch (IOException | InterruptedException e) {
            forget(made);
            throw e;
        }
        return made;
    }

    void forget(CoreChannel channel) {
        locked(() -> {
            channels[(int) channel.id] = null;
        });
    }

    // ---- SPI

    @Override
    public Producer producer(Destination destination, ProducerSettings wanted, SendListener listener) throws Exception {
        if (!isOwn(destination, wanted)) {
            return beside.carrying().producer(destination, wanted, listener);
        }
        objects.ensure(destination);
        CodecProducer producer = open(channel -> new CodecProducer(this, channel, destination, wanted, listener), destination.toString());
        sends();
        direct = true;
        producer.begin();
        return producer;
    }

    @Override
    public Consumer consumer(Destination destination, ConsumerSettings wanted, DeliveryListener listener) throws Exception {
        if (!isOwn(destination, wanted)) {
            return beside.carrying().consumer(destination, wanted, listener);
        }
        wanted.requireSubscription(destination);
        CodecConsumer consumer = open(channel -> new CodecConsumer(this, channel, destination, wanted, listener), destination.toString());
        direct = true;
        try {
            consumer.begin(objects.source(destination, wanted, SelectorTranslator.convertToActiveMQFilterString(wanted.selector())));
        } catch (CoreRefusal e) {
            consumer.leave();
            throw e.code() == CorePackets.INVALID_FILTER ? new DriverException("The selector '" + wanted.selector() + "' on " + destination
                + " cannot be read (" + e.getMessage() + "); change the selector.", e) : e;
        } catch (Exception e) {
            consumer.leave();
            throw e;
        }
        return consumer;
    }

    /** Returns whether such a producer does without Artemis' client. */
    public static boolean isOwn(Destination destination, ProducerSettings wanted) {
        return !wanted.transacted() && !isQueueOfTopic(destination);
    }

    /** Returns whether such a consumer does without Artemis' client. */
    public static boolean isOwn(Destination destination, ConsumerSettings wanted) {
        return wanted.ackMode() != AckMode.TRANSACTED && !wanted.settles() && !wanted.polling() && !isQueueOfTopic(destination)
            && (!wanted.durable() || wanted.shared());
    }

    /** Returns whether a destination names an address and one of its queues, but is called a topic. */
    private static boolean isQueueOfTopic(Destination destination) {
        return destination.isTopic() && CompositeAddress.isFullyQualified(destination.name());
    }

    @Override
    public boolean declare(Destination destination) throws Exception {
        return objects.ensure(destination);
    }

    @Override
    public void delete(Destination destination) throws Exception {
        objects.delete(destination);
    }

    @Override
    public OptionalLong depth(Destination destination) throws Exception {
        if (destination.isTopic()) {
            return OptionalLong.empty();
        }
        QueueFacts facts = objects.facts(destination);
        return facts.exists() ? OptionalLong.of(facts.messages()) : OptionalLong.empty();
    }

    @Override
    public void unsubscribe(Destination destination, String subscription) throws Exception {
        objects.unsubscribe(destination, subscription);
    }

    @Override
    public String broker() {
        return objects.broker();
    }

    /** Returns the clients that producers and consumers have used so far: this path, Artemis' client beside it, or both. */
    @Override
    public String client() {
        return beside.client(direct);
    }
}
