package io.brokermeter.driver.kafka;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import io.brokermeter.driver.kafka.direct.DirectProducer;
import io.brokermeter.driver.kafka.direct.Routes;
import io.brokermeter.driver.kafka.fetch.Fetcher;
import io.brokermeter.driver.kafka.link.UnsuitedBroker;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerNumbers;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Failure;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.jspecify.annotations.Nullable;

/** The clients of one connection, and the watch that detects the loss of their brokers. */
final class KafkaConnection implements Connection {

    private final KafkaSettings settings;
    private final Function<String, ProducerNumbers> numbers;
    private final ConnectionListener listener;
    private final KafkaAdmin broker;
    private final BrokerLossWatch watch;
    private final String version;
    /** The producers, and what tells each of them that the connection is lost. */
    private final Map<Producer, java.util.function.Consumer<DriverException>> producers = new ConcurrentHashMap<>();
    private final Set<PollingConsumer> consumers = ConcurrentHashMap.newKeySet();
    private final ClosePatience patience;
    private volatile @Nullable DriverException lost;
    private volatile boolean direct;
    private volatile boolean client;

    private KafkaConnection(KafkaSettings settings, Function<String, ProducerNumbers> numbers, ConnectionListener listener,
            KafkaAdmin broker, String version) {
        this.settings = settings;
        this.numbers = numbers;
        this.listener = listener;
        this.broker = broker;
        this.version = version;
        this.patience = new ClosePatience(settings.timeout());
        this.watch = new BrokerLossWatch(settings, listener, this::lose);
    }

    /**
     * @param numbers the numbers of producers, by topic, shared by all connections
     * @throws DriverException if no broker answers
     */
    static KafkaConnection open(KafkaSettings settings, Function<String, ProducerNumbers> numbers,
            ConnectionListener listener) throws DriverException {
        KafkaAdmin broker = KafkaAdmin.open(settings);
        KafkaConnection connection = new KafkaConnection(settings, numbers, listener, broker, broker.version());
        try {
            connection.watch.know(broker.servers());
        } catch (DriverException e) {
            broker.close();
            throw e;
        }
        connection.watch.add(broker.metrics(), true);
        connection.watch.start();
        return connection;
    }

    // ---- used by its producers and consumers

    KafkaSettings settings() {
        return settings;
    }

    KafkaAdmin brokers() {
        return broker;
    }

    ConnectionListener listener() {
        return listener;
    }

    /** Returns why the connection is lost, or null if it is not. */
    @Nullable DriverException lost() {
        return lost;
    }

    String stallReason() {
        String trouble = watch.trouble();
        return trouble == null ? "" : trouble;
    }

    BrokerLossWatch.Client watch(Map<MetricName, ? extends Metric> metrics) {
        return watch.add(metrics, false);
    }

    void watch(BrokerLossWatch.Watched connections) {
        watch.add(connections);
    }

    /** Stops watching a client; to be called before the client is closed, so that this does not look like a broken connection. */
    void unwatch(BrokerLossWatch.Watched watched) {
        watch.forget(watched);
    }

    /** Closes a producer. */
    void close(Producer producer, BrokerLossWatch.Watched watched, java.util.function.Consumer<Duration> closing) {
        unwatch(watched);
        closeWithin(lost != null ? Duration.ZERO : patience.leftForProducer(), closing);
        producers.remove(producer);
    }

    void forget(PollingConsumer consumer) {
        consumers.remove(consumer);
    }

    /** Returns the exception for a failed send: the loss of the connection if that is the reason. */
    DriverException sendFailure(Throwable failure) {
        DriverException gone = lost;
        if (gone != null) {
            return gone;
        }
        return failure instanceof DriverException known ? known : leavesUnknown(failure)
            ? new DriverException("Whether the message is stored is not known: " + Failure.words(failure) + ".", failure)
            : notStored(failure);
    }

    /** Returns the exception for a send that the client rejected at once, for lack of room in its buffer for example. */
    DriverException notTaken(Exception failure) {
        DriverException gone = lost;
        return gone != null ? gone : notStored(failure);
    }

    private static DriverException notStored(Throwable failure) {
        return new DriverException("The message was not stored: " + Failure.words(failure) + ".", failure);
    }

    /** Returns whether a message whose send failed in this way may nevertheless be stored. */
    boolean leavesUnknown(Throwable failure) {
        return FailureWords.leavesUnknown(failure, settings.retries());
    }

    /** Returns whether a client of this connection waited in vain for an answer while it was closed. */
    boolean isSlow() {
        return patience.isUsedUp();
    }

    /** Notes that a closing client waited in vain for an answer. */
    void foundSlow() {
        patience.useUp();
    }

    /** Returns how long a close may wait for an answer. */
    Duration closeLimit() {
        return lost != null ? Duration.ZERO : patience.left();
    }

    /** Closes a client; the limit is shorter if another client waited in vain for an answer. */
    void closeWithin(java.util.function.Consumer<Duration> closing) {
        closeWithin(closeLimit(), closing);
    }

    private void closeWithin(Duration limit, java.util.function.Consumer<Duration> closing) {
        long begin = System.nanoTime();
        try {
            closing.accept(limit);
        } catch (KafkaException e) {
            // closed all the same, and unsent messages were reported
        }
        patience.waited(limit, System.nanoTime() - begin);
    }

    private void lose(DriverException cause) {
        lost = cause;
        for (PollingConsumer consumer : consumers) {
            consumer.stop();
        }
        producers.values().forEach(telling -> telling.accept(cause));
        listener.lost(cause);
    }

    private void needOpen() throws DriverException {
        DriverException gone = lost;
        if (gone != null) {
            throw new DriverException("The connection is lost: " + gone.getMessage(), gone);
        }
    }

    // ---- destinations

    @Override
    public boolean declare(Destination destination) throws DriverException {
        needOpen();
        return broker.declare(destination.name());
    }

    @Override
    public void delete(Destination destination) throws DriverException {
        needOpen();
        // A group that the user named may have positions on other topics, which would be lost with it.
        List<String> groups = destination.isTopic() || settings.group().isPresent() ? List.of() : List.of(group(destination));
        broker.delete(destination.name(), groups, settings.shareGroup() ? groups : List.of());
    }

    @Override
    public OptionalLong depth(Destination destination) throws DriverException {
        needOpen();
        if (destination.isTopic()) {
            return OptionalLong.empty();
        }
        return settings.shareGroup() ? broker.shareLag(destination.name(), group(destination))
            : broker.lag(destination.name(), group(destination));
    }

    /** Returns the group of a queue's consumers. */
    private String group(Destination queue) {
        return settings.group().orElse("brokermeter-" + (settings.shareGroup() ? "share-" : "") + queue.name());
    }

    /** Returns the group of a named subscription. */
    private String group(String subscription) {
        return settings.clientId().map(id -> id + "." + subscription).orElse(subscription);
    }

    @Override
    public void unsubscribe(Destination destination, String subscription) throws DriverException {
        needOpen();
        broker.deleteGroup(group(subscription));
    }

    @Override
    public String broker() {
        return version;
    }

    // ---- producers

    @Override
    public Producer producer(Destination destination, ProducerSettings how, SendListener listener) throws DriverException {
        needOpen();
        int partitions = broker.partitions(destination.name());
        try {
            int number = numbers.apply(destination.name()).of(listener, this);
            OwnPath own = settings.own();
            if (own.isUsed(OwnPath.SENDS, how.transacted() ? "transactions" : own.sendObstacle(), this.listener)) {
                try {
                    Routes routes = Routing.of(settings, destination.name(), how, partitions, number).direct(partitions, how);
                    return directProducer(destination.name(), routes, how.maxPending(), listener);
                } catch (UnsuitedBroker e) {
                    own.leave(OwnPath.SENDS, e, this.listener);
                }
            }
            client = true;
            RecordFactory records = RecordFactory.of(settings, destination.name(), how, partitions, number);
            if (how.transacted()) {
                Map<String, Object> config = settings.clients().transactional(settings.transactionalId() + "-" + UUID.randomUUID());
                return keep(new TransactedProducer(this, () -> new KafkaProducer<>(config), records, listener));
            }
            KafkaProducer<byte[], byte[]> client = new KafkaProducer<>(settings.clients().producer());
            awaitMetadata(client, destination.name());
            return keep(new AsyncProducer(this, client, watch(client.metrics()), records, how.maxPending(), listener));
        } catch (KafkaException e) {
            throw new DriverException("A producer of " + destination + " cannot be made: " + Failure.words(Failure.deepest(e)) + ".", e);
        } catch (IllegalArgumentException e) {
            throw new DriverException(Failure.words(e) + ".", e);
        }
    }

    private Producer directProducer(String topic, Routes routes, int maxPending, SendListener listener) throws DriverException {
        DirectOwner owner = new DirectOwner(this);
        DirectProducer producer = DirectProducer.open(owner, settings.direct(), topic, routes, maxPending, listener);
        direct = true;
        producers.put(producer, producer::lost);
        watch.add(owner.watched(producer));
        DriverException gone = lost;
        if (gone != null) {
            producer.lost(gone);
        }
        return producer;
    }

    /** Waits for the metadata of a topic, for which the first send would otherwise wait up to max.block.ms. */
    private void awaitMetadata(KafkaProducer<byte[], byte[]> client, String topic) throws DriverException {
        FutureTask<?> task = new FutureTask<>(() -> client.partitionsFor(topic));
        Thread.ofVirtual().name("brokermeter-kafka-metadata").start(task);
        try {
            task.get(settings.timeout().toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            client.close(Duration.ZERO);
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new DriverException(FailureWords.sentence("asking where topic " + topic + " is", cause), cause);
        } catch (TimeoutException e) {
            client.close(Duration.ZERO);
            throw new DriverException("The broker did not tell where topic " + topic + " is within "
                + settings.timeout().toMillis() / 1e3 + " s.", e);
        } catch (InterruptedException e) {
            client.close(Duration.ZERO);
            Thread.currentThread().interrupt();
            throw new DriverException("The wait for topic " + topic + " was interrupted.", e);
        }
    }

    private Producer keep(ClientProducer producer) {
        producers.put(producer, _ -> producer.abort());
        return producer;
    }

    // ---- consumers

    @Override
    public Consumer consumer(Destination destination, ConsumerSettings how, DeliveryListener listener) throws DriverException {
        needOpen();
        if (how.ackMode() == AckMode.TRANSACTED) {
            throw new DriverException("Protocol KAFKA has no transactions for receiving alone; leave them out.", null);
        }
        String topic = destination.name();
        int partitions = broker.partitions(topic);
        if (how.settles() && (destination.isTopic() || !settings.shareGroup())) {
            throw new DriverException("A consumer of " + destination + " acknowledges by position and can give no message back or "
                + "refuse it; use queue:// with the parameter share-group=true.", null);
        }
        client = true;
        PollingConsumer consumer;
        try {
            if (!destination.isTopic()) {
                consumer = settings.shareGroup() ? shareConsumer(topic, group(destination), how, listener)
                    : GroupConsumer.ofQueue(this, topic, group(destination), how, listener);
            } else if (how.subscription() == null) {
                if (settings.group().isPresent()) {
                    throw new DriverException("The parameter group names the group of a queue's consumers; give " + topic
                        + " as queue://" + topic + ", or leave the parameter out.", null);
                }
                consumer = new AssignedConsumer(this, topic, partitions, how, listener);
            } else {
                String group = group(how.subscription());
                if (!how.durable()) {
                    // Positions that an earlier run left must not apply to a subscription that begins now.
                    broker.deleteEmptyGroup(group, settings.timeout());
                }
                consumer = GroupConsumer.ofSubscription(this, topic, group, how, listener);
            }
        } catch (KafkaException e) {
            throw new DriverException("A consumer of " + destination + " cannot be made: " + Failure.words(Failure.deepest(e)) + ".", e);
        }
        consumers.add(consumer);
        consumer.begin();
        return consumer;
    }

    /** Connects a consumer to the leaders of a topic over brokermeter's own path; returns null if Kafka's client fetches. Blocks. */
    @Nullable Fetcher fetcher(String topic, ConsumerConfig config) throws DriverException {
        OwnPath own = settings.own();
        if (!own.isUsed(OwnPath.RECEIVES, own.receiveObstacle(), listener)) {
            return null;
        }
        try {
            Fetcher fetcher = Fetcher.open(broker::leaders, settings.fetches(config), topic, broker.partitions(topic));
            direct = true;
            return fetcher;
        } catch (UnsuitedBroker e) {
            own.leave(OwnPath.RECEIVES, e, listener);
            return null;
        }
    }

    private PollingConsumer shareConsumer(String topic, String group, ConsumerSettings how,
            DeliveryListener listener) throws DriverException {
        settings.own().isUsed(OwnPath.RECEIVES, "share-group=true", this.listener);
        broker.prepareShareGroup(group, settings.isolation());
        return new ShareGroupConsumer(this, topic, group, how, listener);
    }

    @Override
    public String client() {
        return !direct ? OwnPath.LIBRARY : "brokermeter Kafka path" + (client ? " and " + OwnPath.LIBRARY : "");
    }

    @Override
    public void close() {
        watch.stop();
        for (Producer producer : List.copyOf(producers.keySet())) {
            producer.close();
        }
        // all at once, so that they wait together for a broker that does not answer
        consumers.forEach(PollingConsumer::stop);
        for (PollingConsumer consumer : List.copyOf(consumers)) {
            consumer.close();
        }
        broker.close();
    }
}
