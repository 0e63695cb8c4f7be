package io.brokermeter.driver.rocketmq;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;

import io.brokermeter.driver.rocketmq.route.TopicBrokers;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.failure.DriverException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.TransactionMQProducer;
import org.apache.rocketmq.common.MixAll;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.remoting.RemotingClient;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a cluster: producers and consumers of the client, and an {@link AdminConnection} that detects the loss of the connection.
 */
final class RocketMqConnection implements Connection {

    /** Interval of requests to each broker. Brokers close a connection that was idle, by default for two minutes. */
    private static final Duration TOUCH = Duration.ofSeconds(30);

    private final RocketMqSettings settings;
    private final QueueGroups groups;
    private final ConnectionListener listener;
    private final Set<ConnectionLossListener> users = ConcurrentHashMap.newKeySet();
    private final List<AutoCloseable> made = new ArrayList<>();
    private final MasterWatch watch;
    private final AdminConnection admin;
    private @Nullable DefaultMQProducer plain;
    private @Nullable TransactionMQProducer transactional;
    private volatile @Nullable Throwable lost;
    private volatile boolean closing;
    /** Whether the close of a producer or consumer waited for the broker in vain. */
    private final AtomicBoolean mute = new AtomicBoolean();

    private RocketMqConnection(RocketMqSettings settings, TopicBrokers brokers, QueueGroups groups,
            ConnectionListener listener, Duration touch) throws Exception {
        this.settings = settings;
        this.groups = groups;
        this.listener = listener;
        Set<String> absent = ConcurrentHashMap.newKeySet();
        BlockingQueue<String> closures = new LinkedBlockingQueue<>();
        this.admin = AdminConnection.open(settings, brokers, absent, closures::add);
        this.watch = new MasterWatch(settings, admin, absent, closures, touch, listener, this::lose);
    }

    static RocketMqConnection open(RocketMqSettings settings, TopicBrokers brokers, QueueGroups groups,
            ConnectionListener listener) throws Exception {
        return open(settings, brokers, groups, listener, TOUCH);
    }

    /** @param touch interval of requests to each broker */
    static RocketMqConnection open(RocketMqSettings settings, TopicBrokers brokers, QueueGroups groups,
            ConnectionListener listener, Duration touch) throws Exception {
        RocketMqConnection connection = new RocketMqConnection(settings, brokers, groups, listener, touch);
        connection.watch.start();
        return connection;
    }

    // ---- loss of the connection

    private void lose(Throwable cause) {
        lost = cause;
        users.forEach(user -> user.abandon(cause));
        listener.lost(cause);
    }

    private void alive() throws DriverException {
        Throwable cause = lost;
        if (cause != null) {
            throw Causes.again(cause);
        }
        if (closing) {
            throw new DriverException("The connection is closed.", null);
        }
    }

    // ---- destinations

    @Override
    public boolean declare(Destination destination) throws Exception {
        alive();
        return admin.create(Names.topic(destination));
    }

    @Override
    public void delete(Destination destination) throws Exception {
        alive();
        String topic = Names.topic(destination);
        if (!destination.isTopic()) {
            Set<String> all = new HashSet<>(groups.forget(settings.nameServers, topic));
            if (settings.group.isEmpty()) {
                all.add(Names.queueGroup(destination, settings));
            }
            for (String group : all) {
                admin.groups().delete(group);
            }
        }
        admin.deleteTopic(topic);
        admin.absentBrokers().forEach(broker -> listener.notice(
            "Topic " + topic + " remains on broker " + broker + ", because its master is away: it is there again with what waits in it when"
                + " the master is back."));
    }

    @Override
    public OptionalLong depth(Destination destination) throws Exception {
        alive();
        if (destination.isTopic()) {
            return OptionalLong.empty();
        }
        String topic = Names.topic(destination);
        Optional<String> group = groups.only(settings.nameServers, topic, Names.queueGroup(destination, settings));
        return group.isEmpty() ? OptionalLong.empty() : admin.groups().waiting(topic, group.get());
    }

    @Override
    public void unsubscribe(Destination destination, String subscription) throws Exception {
        alive();
        if (settings.group.isEmpty()) {
            admin.groups().delete(Names.subscriptionGroup(destination, subscription, settings.clientId, settings));
        }
    }

    @Override
    public String broker() {
        return admin.broker();
    }

    // ---- producers and consumers

    @Override
    public synchronized Producer producer(Destination destination, ProducerSettings producer, SendListener sends) throws Exception {
        alive();
        if (producer.transacted() && (producer.delayMillis() > 0 || settings.delayLevel > 0 || settings.delayMillis > 0)) {
            throw new DriverException("RocketMQ has no delayed messages in transactions: it does not deliver them; leave out the delay "
                + "or the transactions.", null);
        }
        requireTimers(producer, settings, admin.broker());
        String topic = Names.topic(destination);
        admin.create(topic);
        List<MessageQueue> queues = admin.queues(topic, true);
        if (queues.isEmpty()) {
            throw new DriverException("Topic " + topic + " has no queue that can be written to.", null);
        }
        MessageForm form = new MessageForm(topic, queues, producer, settings, sends);
        watch.add(form);
        try {
            if (producer.transacted()) {
                TransactionMQProducer client = transactional();
                know(client, queues);
                HalfMessageProducer made = new HalfMessageProducer(client, form,
                    settings.send == RocketMqSettings.Send.SYNC, mute, settings.timeout, sends);
                return added(made, made);
            }
            DefaultMQProducer client = plain();
            know(client, queues);
            AnsweredProducer made = new AnsweredProducer(client, form, settings.send, mute, producer.maxPending(), settings.timeout, sends);
            return added(made, made);
        } catch (MQClientException e) {
            throw Causes.of("start a producer on " + topic, e);
        }
    }

    /**
     * Checks that the broker can delay messages by a time, and not only by a level. An older broker ignores the property that delays a
     * message, and delivers it at once.
     *
     * @param broker name and version of the broker
     */
    static void requireTimers(ProducerSettings producer, RocketMqSettings settings, String broker) throws DriverException {
        if ((producer.delayMillis() > 0 || settings.delayMillis > 0) && broker.matches("Apache RocketMQ [34]\\..*")) {
            throw new DriverException(broker + " delays messages by levels only; use the parameter delay-level.", null);
        }
    }

    private <T extends AutoCloseable> T added(T one, ConnectionLossListener user) throws DriverException {
        made.add(one);
        users.add(user);
        Throwable cause = lost;
        if (cause != null) {
            user.abandon(cause);
            throw Causes.again(cause);
        }
        return one;
    }

    private DefaultMQProducer plain() throws MQClientException {
        DefaultMQProducer producer = plain;
        if (producer == null) {
            producer = Clients.producer(settings);
            watch.add(network(producer));
            plain = producer;
        }
        return producer;
    }

    private TransactionMQProducer transactional() throws MQClientException {
        TransactionMQProducer producer = transactional;
        if (producer == null) {
            producer = Clients.transactional(settings);
            watch.add(network(producer));
            transactional = producer;
        }
        return producer;
    }

    @SuppressWarnings("deprecation") // the way to the instance
    private static RemotingClient network(DefaultMQProducer producer) {
        return producer.getDefaultMQProducerImpl().getMqClientFactory().getMQClientAPIImpl().getRemotingClient();
    }

    /** Fetches the route and connects, so that the first send does not have to. */
    @SuppressWarnings("deprecation") // the way to the instance
    private static void know(DefaultMQProducer producer, List<MessageQueue> queues) {
        var instance = producer.getDefaultMQProducerImpl().getMqClientFactory();
        instance.updateTopicRouteInfoFromNameServer(queues.getFirst().getTopic());
        for (String broker : queues.stream().map(MessageQueue::getBrokerName).distinct().toList()) {
            String address = instance.findBrokerAddressInPublish(broker);
            if (address != null) {
                instance.getMQClientAPIImpl().getRemotingClient().isAddressReachable(address);
            }
        }
    }

    @Override
    public synchronized Consumer consumer(Destination destination, ConsumerSettings consumer,
            DeliveryListener deliveries) throws Exception {
        alive();
        if (consumer.ackMode() != AckMode.AUTO) {
            throw new DriverException("ROCKETMQ acknowledges what the listener has taken, and has no other mode.", null);
        }
        if (consumer.prefetch() == 0) {
            throw new DriverException("RocketMQ consumers take at least one message ahead; prefetch must be 1 or more.", null);
        }
        String topic = Names.topic(destination);
        admin.create(topic);
        String group;
        boolean temporary = false;
        if (!destination.isTopic()) {
            group = Names.queueGroup(destination, consumer.selector(), settings);
            groups.saw(settings.nameServers, topic, group, !settings.group.isEmpty());
        } else if (consumer.subscription() == null) {
            group = settings.group.isEmpty() ? "brokermeter_" + UUID.randomUUID() : Names.queueGroup(destination, settings);
            temporary = settings.group.isEmpty();
        } else {
            group = Names.subscriptionGroup(destination, consumer.subscription(), Names.owner(consumer, settings.clientId),
                settings);
            temporary = !consumer.durable() && settings.group.isEmpty();
        }
        if (destination.isTopic()) {
            boolean anew = temporary && consumer.subscription() != null && isLeftOver(group);
            admin.groups().create(group);
            admin.groups().beginAtTheEnd(topic, group, anew);
            if (anew) {
                admin.groups().beginAtTheEnd(MixAll.getRetryTopic(group), group, true);
            }
        }
        PushConsumer made = new PushConsumer(settings, admin, topic, group, temporary, consumer, mute, listener, deliveries);
        try {
            made.start();
        } catch (Exception e) {
            try {
                made.close();
            } catch (Exception second) {
                e.addSuppressed(second);
            }
            throw e instanceof DriverException || e instanceof InterruptedException ? e : Causes.of("start a consumer on " + topic, e);
        }
        watch.add(made.impl().getmQClientFactory().getMQClientAPIImpl().getRemotingClient());
        return added(made, made);
    }

    /**
     * Returns whether the group of a temporary subscription can only be left over from a run that was killed; a new consumer would get the
     * messages that arrived since. If a connection of this process was lost, its own subscription continues.
     */
    private boolean isLeftOver(String group) throws InterruptedException {
        if (!QueueDistribution.isUnknown(group) || watch.isAnyAbsent()) {
            // a master that is absent may know of consumers
            return false;
        }
        try {
            return !admin.groups().hasConsumers(group);
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            // a master that does not answer may know of consumers, too
            return false;
        }
    }

    @Override
    public void close() {
        if (closing) {
            return;
        }
        closing = true;
        watch.end();
        List<AutoCloseable> all;
        synchronized (this) {
            all = List.copyOf(made);
        }
        for (AutoCloseable one : all) {
            try {
                one.close();
            } catch (Exception e) {
                // it reported its own failure, and the others must be closed, too
            }
        }
        if (plain != null) {
            Clients.end(plain, settings);
        }
        if (transactional != null) {
            transactional.shutdown();
        }
        admin.close();
        watch.join();
    }
}
