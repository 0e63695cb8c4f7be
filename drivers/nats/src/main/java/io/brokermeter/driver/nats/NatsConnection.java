package io.brokermeter.driver.nats;

import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

import io.brokermeter.driver.wire.ClientConnection;
import io.brokermeter.driver.wire.ConsumerThread;
import io.brokermeter.driver.wire.FetchSize;
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
import io.brokermeter.spi.failure.Failure;
import io.brokermeter.spi.failure.Refusal;
import io.brokermeter.spi.parameter.Setting;
import io.nats.client.Dispatcher;
import io.nats.client.JetStreamApiException;
import io.nats.client.Statistics;
import io.nats.client.api.AckPolicy;
import io.nats.client.api.ConsumerConfiguration;
import io.nats.client.api.DeliverPolicy;
import org.jspecify.annotations.Nullable;

/**
 * A connection to NATS. With JetStream a destination is a stream of one subject: a queue is a work queue with one consumer that all
 * receivers share; a topic keeps a message as long as a subscription waits for it.
 */
final class NatsConnection extends ClientConnection {

    private static final Duration MOMENT = Duration.ofMillis(500);
    /** The bytes sent ahead from which on a server may end a connection that takes them too slowly; its own limit is 64 MiB by default. */
    private static final long MUCH = 32 << 20;
    private static final int DEFAULT_PREFETCH = 10_000;
    /** The most receivers that may each hold back all but one message of a batch before the server stops delivering. */
    private static final int RECEIVERS = 20;
    /** Messages ahead of a listener that may take long: what it reaches only after {@link #ackWait} is delivered again. */
    private static final int SLOW_PREFETCH = 10;
    /** The longest time that a polled consumer may be idle before the server removes it. */
    private static final Duration IDLE = Duration.ofSeconds(30);

    private final io.nats.client.Connection connection;
    private final Repetition repetition;
    private final ConnectionListener listener;
    private final @Nullable String clientId;
    private final boolean core;
    private final JetStreams streams;
    private final WrittenBytes written;
    private final Duration ackWait;
    /** The messages that the server may send ahead to all consumers of the connection. */
    private final AtomicLong sentAhead = new AtomicLong();
    /** The messages that the client dropped. */
    private final AtomicLong dropped = new AtomicLong();
    /** Whether anything counts as confirmed that no server has confirmed. */
    private volatile boolean unconfirmed;
    /** Whether a closing producer has waited for confirmations in vain, and none has come to another one since. */
    private volatile boolean silent;

    /** @param repetition what the client repeats for this connection alone */
    NatsConnection(
            io.nats.client.Connection connection, Repetition repetition, ConnectionSettings settings, NatsDriver.NatsSettings chosen,
            ConnectionListener listener) {
        super(settings.connectTimeout());
        this.connection = connection;
        this.repetition = repetition;
        this.listener = listener;
        this.clientId = settings.clientId();
        this.core = chosen.core();
        this.streams = new JetStreams(connection, limit(), chosen.file(), chosen.replicas());
        this.written = new WrittenBytes(connection);
        this.ackWait = chosen.ackWait();
    }

    /** Returns the cause of a loss, and what it may mean that the server said nothing: it gives no reason to a client that is too slow. */
    Throwable explained(Throwable cause) {
        Statistics statistics = connection.getStatistics();
        long size = statistics.getInBytes() / Math.max(1, statistics.getInMsgs());
        if (cause instanceof DriverException || sentAhead.get() * size < MUCH) {
            return cause;
        }
        return new DriverException(new Refusal(
            "The NATS server ended the connection (%s); it does that without a reason where more waits for a"
                + " client than its max_pending, 64 MiB by default, and up to %d messages of about %d bytes may come ahead here: lower %s.",
            Failure.words(cause), sentAhead.get(), size, Setting.PREFETCH));
    }

    /** Notes how many messages the client dropped of those that came for a consumer. */
    void dropped(long messages) {
        dropped.addAndGet(messages);
    }

    @Override
    public boolean declare(Destination destination) throws Exception {
        checkOpen();
        if (core) {
            return false;
        }
        Permissions.forget(connection);
        try {
            return streams.create(destination);
        } catch (JetStreamApiException e) {
            throw JetStreams.refused(destination, e);
        } catch (IOException e) {
            String violation = Permissions.last(connection);
            throw violation.isEmpty() ? new DriverException("The NATS server does not answer for " + destination + " (" + e.getMessage()
                + "); it may have no JetStream, then use mode=core.", e) : Permissions.refused(destination, violation, e);
        }
    }

    @Override
    public void delete(Destination destination) throws Exception {
        checkOpen();
        if (core) {
            return;
        }
        try {
            streams.delete(destination);
        } catch (JetStreamApiException e) {
            throw JetStreams.refused(destination, e);
        }
    }

    @Override
    public OptionalLong depth(Destination destination) throws Exception {
        checkOpen();
        if (core) {
            return OptionalLong.empty();
        }
        try {
            return OptionalLong.of(streams.waiting(JetStreams.stream(destination), destination.isTopic()));
        } catch (JetStreamApiException e) {
            if (e.getApiErrorCode() == JetStreams.NO_STREAM) {
                return OptionalLong.empty();
            }
            throw JetStreams.refused(destination, e);
        }
    }

    @Override
    public Producer producer(Destination destination, ProducerSettings settings, SendListener listener) throws Exception {
        declare(destination);
        unconfirmed = core;
        NatsProducer producer = core
            ? new NatsProducer(this, connection, destination, settings, listener, null)
            : new NatsProducer(this, connection, destination, settings, listener, connection.createInbox());
        return opened(producer);
    }

    @Override
    public Consumer consumer(Destination destination, ConsumerSettings settings, DeliveryListener listener) throws Exception {
        settings.requireSubscription(destination);
        if (core && (settings.settles() || settings.polling())) {
            throw new IllegalArgumentException("Plain subjects of NATS know neither acknowledgements nor requests for messages; use"
                + " mode=jetstream.");
        }
        declare(destination);
        Permissions.forget(connection);
        if (settings.polling()) {
            try {
                NatsConsumer polled = new NatsConsumer(this, connection, settings, listener, true, fetch(destination, settings));
                release(polled, destination, settings);
                return opened(polled);
            } catch (JetStreamApiException e) {
                throw JetStreams.refused(destination, e);
            } catch (IOException e) {
                throw Permissions.causeOf(connection, destination, e);
            }
        }
        NatsConsumer consumer = new NatsConsumer(this, connection, settings, listener, !core, null);
        String lasting = core ? null : lastingName(destination, settings);
        Remainder remainder = lasting == null ? null : Remainder.enter(connection, JetStreams.stream(destination), lasting);
        Dispatcher dispatcher = consumer.dispatcher();
        boolean subscribed = false;
        try {
            if (core) {
                subscribeCore(dispatcher, destination, settings);
                awaitServer(destination);
            } else {
                subscribe(dispatcher, destination, settings);
                release(consumer, destination, settings);
            }
            subscribed = true;
        } catch (JetStreamApiException e) {
            connection.closeDispatcher(dispatcher);
            throw JetStreams.refused(destination, e);
        } catch (IOException | RuntimeException | InterruptedException | TimeoutException e) {
            if (!isLost()) {
                connection.closeDispatcher(dispatcher);
            }
            throw Permissions.causeOf(connection, destination, e);
        } finally {
            if (remainder != null && !subscribed) {
                remainder.neverReceived();
            }
        }
        if (remainder != null) {
            consumer.leaves(remainder);
        }
        return opened(consumer);
    }

    /** Returns the name of the server's consumer if it remains when a receiver leaves, otherwise null. */
    private @Nullable String lastingName(Destination destination, ConsumerSettings settings) {
        String subscription = settings.subscription();
        if (!destination.isTopic()) {
            return JetStreams.QUEUE_CONSUMER;
        }
        return subscription != null && (settings.durable() || settings.shared()) ? subscriptionName(subscription, settings.shared()) : null;
    }

    private static void subscribeCore(Dispatcher dispatcher, Destination destination, ConsumerSettings settings) {
        if (!destination.isTopic()) {
            dispatcher.subscribe(destination.name(), JetStreams.QUEUE_CONSUMER);
        } else if (settings.shared() && settings.subscription() != null) {
            dispatcher.subscribe(destination.name(), settings.subscription());
        } else {
            dispatcher.subscribe(destination.name());
        }
    }

    /** Waits until the server has processed everything written. The client would also return normally without a connection. */
    private void awaitServer(Destination destination) throws IOException, InterruptedException, TimeoutException {
        connection.flush(limit());
        if (connection.getStatus() != io.nats.client.Connection.Status.CONNECTED) {
            throw new IOException("The connection was lost before the server had the subscription.");
        }
        Permissions.requireSubscription(connection, destination);
    }

    /** Subscribes before the server is asked to deliver, so that no message needs a second delivery. */
    private void subscribe(Dispatcher dispatcher, Destination destination,
            ConsumerSettings settings) throws IOException, JetStreamApiException, InterruptedException, TimeoutException {
        String stream = JetStreams.stream(destination);
        String name = lastingName(destination, settings);
        ConsumerConfiguration.Builder configuration = configuration(settings);
        if (!destination.isTopic()) {
            String subject = "_brokermeter." + stream + "." + JetStreams.QUEUE_CONSUMER;
            dispatcher.subscribe(subject, JetStreams.QUEUE_CONSUMER);
            configuration.durable(JetStreams.QUEUE_CONSUMER).deliverSubject(subject).deliverGroup(JetStreams.QUEUE_CONSUMER)
                .deliverPolicy(DeliverPolicy.All);
        } else if (name != null) {
            String subject = "_brokermeter." + stream + "." + name;
            configuration.durable(name).deliverSubject(subject).deliverPolicy(DeliverPolicy.New);
            if (settings.shared()) {
                dispatcher.subscribe(subject, name);
                configuration.deliverGroup(name);
            } else {
                dispatcher.subscribe(subject);
            }
            if (!settings.durable()) {
                configuration.inactiveThreshold(Duration.ofSeconds(10));
            }
        } else {
            String subject = connection.createInbox();
            dispatcher.subscribe(subject);
            configuration.deliverSubject(subject).deliverPolicy(DeliverPolicy.New);
        }
        awaitServer(destination);
        streams.update(destination, configuration.build());
    }

    /**
     * Returns the configuration of a consumer. Without a limit a message could wait here longer than the server waits for its
     * acknowledgement. All receivers of a consumer share the limit, so its default has room for several of them: where the limit is met
     * by incomplete batches alone, the server delivers nothing until the receivers find that out.
     */
    private ConsumerConfiguration.Builder configuration(ConsumerSettings settings) {
        long batch = settings.batch();
        long ahead = settings.mayBlock() ? Math.min(RECEIVERS * SLOW_PREFETCH * batch, DEFAULT_PREFETCH) : DEFAULT_PREFETCH;
        // What receivers who share the limit hold back in batches must not be all of it.
        long least = settings.batch() > 1 && (settings.competing() || settings.shared()) ? RECEIVERS * batch : batch;
        int fit = settings.fit((int) Math.max(ahead, RECEIVERS * batch));
        long pending = settings.prefetch() < 0 ? Math.max(fit, least) : Math.max(1, settings.prefetch());
        sentAhead.addAndGet(pending);
        return ConsumerConfiguration.builder().ackPolicy(AckPolicy.Explicit).ackWait(ackWait).maxAckPending(pending);
    }

    /** Lets a consumer with batches release an incomplete one, if other consumers that share its limit may hold back messages as well. */
    private void release(NatsConsumer consumer, Destination destination, ConsumerSettings settings) {
        String subscription = settings.subscription();
        if (settings.batch() > 1 && !destination.isTopic()) {
            consumer.releaseWhen(() -> streams.isFull(JetStreams.stream(destination), JetStreams.QUEUE_CONSUMER));
        } else if (settings.batch() > 1 && settings.shared() && subscription != null) {
            consumer.releaseWhen(() -> streams.isFull(JetStreams.stream(destination), subscriptionName(subscription, true)));
        }
    }

    /** Creates or updates a pull consumer, and returns the requests to it. */
    private Fetch fetch(Destination destination, ConsumerSettings settings) throws IOException, JetStreamApiException {
        ConsumerConfiguration.Builder configuration = configuration(settings);
        String subscription = settings.subscription();
        boolean leaves = false;
        if (!destination.isTopic()) {
            configuration.durable(JetStreams.QUEUE_CONSUMER).deliverPolicy(DeliverPolicy.All);
        } else {
            configuration.deliverPolicy(DeliverPolicy.New);
            boolean named = subscription != null && (settings.durable() || settings.shared());
            if (named) {
                configuration.durable(subscriptionName(Objects.requireNonNull(subscription), settings.shared()));
            }
            if (!settings.durable()) {
                configuration.inactiveThreshold(IDLE);
            }
            leaves = !named;
        }
        String stream = JetStreams.stream(destination);
        String name = streams.update(destination, configuration.build()).getName();
        boolean mine = leaves;
        FetchSize size = FetchSize.of(settings, settings.mayBlock(), ackWait);
        return new Fetch(connection, "$JS.API.CONSUMER.MSG.NEXT." + stream + "." + name, size, limit(), () -> {
            if (mine) {
                streams.remove(stream, name);
            }
        });
    }

    private String subscriptionName(String subscription, boolean shared) {
        return shared || clientId == null ? JetStreams.name(subscription) : JetStreams.name(clientId + "-" + subscription);
    }

    @Override
    public void unsubscribe(Destination destination, String subscription) throws Exception {
        checkOpen();
        for (boolean shared : new boolean[] {false, true}) {
            try {
                streams.deleteConsumer(JetStreams.stream(destination), subscriptionName(subscription, shared));
                return;
            } catch (JetStreamApiException e) {
                if (e.getApiErrorCode() != JetStreams.NO_CONSUMER && e.getApiErrorCode() != JetStreams.NO_STREAM) {
                    throw JetStreams.refused(destination, e);
                }
            }
        }
    }

    @Override
    public String broker() {
        String version = connection.getServerInfo().getVersion();
        return version == null ? "NATS" : "NATS " + version;
    }

    /** Returns whether a closing producer has waited for confirmations in vain, so that the next producers wait only briefly. */
    boolean isSilent() {
        return silent;
    }

    /** Notes that a closing producer got confirmations. */
    void heard() {
        silent = false;
    }

    /**
     * Notes that a closing producer has waited for confirmations in vain.
     *
     * @param whole whether it has waited as long as a close may, so that consumers need not wait either
     */
    void unheard(boolean whole) {
        silent = true;
        if (whole) {
            foundMute();
        }
    }

    @Override
    protected void end() {
        // With three pings unanswered the client would end the connection, though they may only wait behind much that is to be written.
        repetition.shutdownNow();
        long lost = dropped.get();
        if (lost > 0) {
            listener.notice("The NATS client here dropped " + lost + " messages, since they came faster than they were taken, and 64 MiB or"
                + " half a million of them waited already; nobody has them any more, however long is waited: send less, or take faster.");
        }
        if (unconfirmed && !isLost() && !written.areAllTaken(closeLimit())) {
            foundMute();
            listener
                .notice("The NATS server did not say that it has the last messages; some that count as sent may not have been written.");
        }
        Thread closing = Thread.ofPlatform().daemon().name("nats-close").start(() -> {
            try {
                connection.close();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        ConsumerThread.join(closing, (isMute() ? MOMENT : LONGEST_CLOSE).toNanos());
    }

    /** Waits until the server has everything written so far; returns whether it said so. */
    boolean hasAll(Duration limit) throws InterruptedException, TimeoutException {
        return written.areAnswered(limit);
    }
}
