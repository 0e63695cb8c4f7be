package io.brokermeter.driver.nats;

import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;

import io.brokermeter.driver.wire.FetchSize;
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
import org.jspecify.annotations.Nullable;

/**
 * A connection to NATS. With JetStream a destination is a stream of one subject: a queue is a work queue with one consumer that all
 * receivers share; a topic keeps a message as long as a subscription waits for it.
 */
final class NatsConnection implements Connection {

    private static final int DEFAULT_PREFETCH = 10_000;
    /** The most receivers that may each hold back all but one message of a batch before the server stops delivering. */
    private static final int RECEIVERS = 20;
    /** Messages ahead of a listener that may take long: what it reaches only after {@link #ackWait} is delivered again. */
    private static final int SLOW_PREFETCH = 10;
    /** The longest time that a polled consumer may be idle before the server removes it. */
    private static final long IDLE_SECONDS = 30;
    /** The same for one to which messages are pushed. */
    private static final long UNUSED_SECONDS = 10;

    private final NatsLink link;
    private final ConnectionListener listener;
    private final @Nullable String clientId;
    private final boolean core;
    private final JetStreams streams;
    private final Duration ackWait;
    /** The messages that were dropped here. */
    private final AtomicLong dropped = new AtomicLong();
    /** Whether a closing producer has waited for confirmations in vain, and none has come to another one since. */
    volatile boolean silent;
    private boolean closed;

    NatsConnection(NatsGreeting.Met met, ConnectionSettings settings, NatsDriver.NatsSettings chosen, ConnectionListener listener) {
        this.link = new NatsLink(met, listener, settings.connectTimeout());
        this.listener = listener;
        this.clientId = settings.clientId();
        this.core = chosen.core();
        this.streams = new JetStreams(link, chosen.file(), chosen.replicas());
        this.ackWait = chosen.ackWait();
        link.begin();
    }

    /** Notes that a message was dropped. Called by the reader thread. */
    void dropped() {
        dropped.incrementAndGet();
    }

    /** Words what went wrong with a destination. */
    private static DriverException refused(Destination destination, IOException e) {
        return switch (e) {
            case DriverException said -> said;
            case ApiError refusal -> new DriverException("JetStream refuses " + destination + " (" + refusal.getMessage() + ").", e);
            case Forbidden violation -> new DriverException("The NATS server does not allow this user what " + destination + " needs ("
                + violation.getMessage() + ").", e);
            default -> new DriverException("The NATS server does not answer for " + destination + " (" + e.getMessage()
                + "); it may have no JetStream, then use mode=core.", e);
        };
    }

    @Override
    public boolean declare(Destination destination) throws Exception {
        link.check();
        try {
            return !core && streams.create(destination);
        } catch (IOException e) {
            throw refused(destination, e);
        }
    }

    @Override
    public void delete(Destination destination) throws Exception {
        link.check();
        try {
            if (!core) {
                streams.delete(destination);
            }
        } catch (IOException e) {
            throw refused(destination, e);
        }
    }

    @Override
    public OptionalLong depth(Destination destination) throws Exception {
        link.check();
        if (core) {
            return OptionalLong.empty();
        }
        try {
            return OptionalLong.of(streams.waiting(JetStreams.stream(destination), destination.isTopic()));
        } catch (ApiError e) {
            if (e.code() == JetStreams.NO_STREAM) {
                return OptionalLong.empty();
            }
            throw refused(destination, e);
        }
    }

    @Override
    public Producer producer(Destination destination, ProducerSettings settings, SendListener listener) throws Exception {
        declare(destination);
        if (core) {
            link.confirmsNothing();
        }
        return link.add(index -> new NatsProducer(this, link, index, destination, settings, listener, core));
    }

    @Override
    public Consumer consumer(Destination destination, ConsumerSettings settings, DeliveryListener listener) throws Exception {
        settings.requireSubscription(destination);
        if (core && (settings.settles() || settings.polling())) {
            throw new IllegalArgumentException("Plain subjects of NATS know neither acknowledgements nor requests for messages; use"
                + " mode=jetstream.");
        }
        declare(destination);
        String lasting = core || settings.polling() ? null : lastingName(destination, settings);
        Remainder remainder = lasting == null ? null : Remainder.enter(link, streams, JetStreams.stream(destination), lasting);
        NatsConsumer consumer = null;
        try {
            Fetch fetch = settings.polling() ? fetch(destination, settings) : null;
            consumer = new NatsConsumer(this, link, destination, settings, listener, !core, fetch);
            if (fetch != null) {
                link.subscribe(consumer, fetch.inbox(), "");
            } else if (core) {
                subscribeCore(consumer, destination, settings);
            } else {
                subscribe(consumer, destination, settings);
            }
            if (!core) {
                release(consumer, destination, settings);
            }
        } catch (IOException | InterruptedException | RuntimeException e) {
            if (remainder != null) {
                remainder.neverReceived();
            }
            if (consumer != null) {
                consumer.ended(e);
                link.unsubscribe(consumer);
                link.remove(consumer);
                link.flush();
            }
            throw e instanceof IOException failure ? refused(destination, failure) : e;
        }
        if (remainder != null) {
            consumer.leaves(remainder);
        }
        return consumer;
    }

    /** Returns the name of the server's consumer if it remains when a receiver leaves, otherwise null. */
    private @Nullable String lastingName(Destination destination, ConsumerSettings settings) {
        String subscription = settings.subscription();
        if (!destination.isTopic()) {
            return JetStreams.QUEUE_CONSUMER;
        }
        return subscription != null && (settings.durable() || settings.shared()) ? subscriptionName(subscription, settings.shared()) : null;
    }

    private void subscribeCore(NatsConsumer consumer, Destination destination,
            ConsumerSettings settings) throws IOException, InterruptedException {
        String group = !destination.isTopic() ? JetStreams.QUEUE_CONSUMER : settings.shared() ? settings.subscription() : null;
        link.subscribe(consumer, destination.name(), Objects.requireNonNullElse(group, ""));
    }

    /** Subscribes before the server is asked to deliver, so that no message needs a second delivery. */
    private void subscribe(NatsConsumer consumer, Destination destination,
            ConsumerSettings settings) throws IOException, InterruptedException {
        String name = Objects.requireNonNullElse(lastingName(destination, settings), "");
        String group = !destination.isTopic() || settings.shared() ? name : "";
        String subject = name.isEmpty() ? link.newInbox() : "_brokermeter." + JetStreams.stream(destination) + "." + name;
        link.subscribe(consumer, subject, group);
        boolean idle = destination.isTopic() && !name.isEmpty() && !settings.durable();
        streams.update(destination, new JetStreams.Wanted(name, subject, group, !destination.isTopic(), ackWait.toNanos(),
            pending(settings), idle ? UNUSED_SECONDS : 0));
    }

    /**
     * Returns how many messages of a consumer may be unacknowledged. Without a limit a message could wait here longer than the server waits
     * for its acknowledgement. All receivers of a consumer share the limit, so its default has room for several of them: where the limit is
     * met by incomplete batches alone, the server delivers nothing until the receivers find that out.
     */
    private long pending(ConsumerSettings settings) {
        long batch = settings.batch();
        long ahead = settings.mayBlock() ? Math.min(RECEIVERS * SLOW_PREFETCH * batch, DEFAULT_PREFETCH) : DEFAULT_PREFETCH;
        // What receivers who share the limit hold back in batches must not be all of it.
        long least = settings.batch() > 1 && (settings.competing() || settings.shared()) ? RECEIVERS * batch : batch;
        int fit = settings.fit((int) Math.max(ahead, RECEIVERS * batch));
        long pending = settings.prefetch() < 0 ? Math.max(fit, least) : Math.max(1, settings.prefetch());
        link.aheadBy(pending);
        return pending;
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
    private Fetch fetch(Destination destination, ConsumerSettings settings) throws IOException, InterruptedException {
        String lasting = lastingName(destination, settings);
        String stream = JetStreams.stream(destination);
        String name = streams.update(destination, new JetStreams.Wanted(Objects.requireNonNullElse(lasting, ""), "", "",
            !destination.isTopic(), ackWait.toNanos(), pending(settings), destination.isTopic() && !settings.durable() ? IDLE_SECONDS : 0));
        FetchSize size = FetchSize.of(settings, settings.mayBlock(), ackWait);
        return new Fetch(link, "$JS.API.CONSUMER.MSG.NEXT." + stream + "." + name, size, Duration.ofNanos(link.requestLimitNanos()), () -> {
            if (lasting == null) {
                streams.remove(stream, name);
            }
        });
    }

    private String subscriptionName(String subscription, boolean shared) {
        return shared || clientId == null ? JetStreams.name(subscription) : JetStreams.name(clientId + "-" + subscription);
    }

    @Override
    public void unsubscribe(Destination destination, String subscription) throws Exception {
        link.check();
        for (boolean shared : new boolean[] {false, true}) {
            try {
                streams.deleteConsumer(JetStreams.stream(destination), subscriptionName(subscription, shared));
                return;
            } catch (ApiError e) {
                if (e.code() != JetStreams.NO_CONSUMER && e.code() != JetStreams.NO_STREAM) {
                    throw refused(destination, e);
                }
            }
        }
    }

    @Override
    public String broker() {
        return ("NATS " + link.info.text("version")).strip();
    }

    @Override
    public String client() {
        return "brokermeter path for " + broker();
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        boolean all = link.close();
        long lost = dropped.get();
        if (lost > 0) {
            listener.notice("This NATS client dropped " + lost + " messages, since they came faster than they were taken, and 64 MiB or"
                + " half a million of them waited already; nobody has them any more, however long is waited: send less, or take faster.");
        }
        if (!all) {
            listener
                .notice("The NATS server did not say that it has the last messages; some that count as sent may not have been written.");
        }
    }
}
