package io.brokermeter.driver.rocketmq;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.brokermeter.driver.wire.ConsumerThread;
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
import org.apache.rocketmq.remoting.exception.RemotingTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a cluster: producers and consumers of the client, and an {@link AdminConnection} that detects the loss of the connection.
 */
final class RocketMqConnection implements Connection {

    /** Interval of requests to each broker. Brokers close a connection that was idle, by default for two minutes. */
    private static final Duration TOUCH = Duration.ofSeconds(30);
    /** The least number of requests in the time after which a broker closes an idle connection. */
    private static final int TOUCHES = 4;
    private static final Duration TOUCH_LIMIT = Duration.ofSeconds(3);
    /** The number of requests in a row that a broker leaves unanswered before its connection counts as lost. */
    private static final int MOST_UNANSWERED = 3;
    private static final Duration RETRY = Duration.ofMillis(200);
    private static final long STOP_NANOS = TimeUnit.SECONDS.toNanos(4);

    private final RocketMqSettings settings;
    private final QueueGroups groups;
    private final ConnectionListener listener;
    private final BlockingQueue<String> closures = new LinkedBlockingQueue<>();
    private final Set<ConnectionLossListener> users = ConcurrentHashMap.newKeySet();
    private final List<AutoCloseable> made = new ArrayList<>();
    private final Map<String, String> masters = new HashMap<>();
    /** The number of requests in a row that each master left unanswered; used by the watch thread only. */
    private final Map<String, Integer> unanswered = new HashMap<>();
    private final Duration touch;
    /** Addresses of masters whose connection broke and is not restored; changed by the watch thread, under the monitor of {@code forms}. */
    private final Set<String> absent = ConcurrentHashMap.newKeySet();
    /** The forms of all producers that were created; guarded by its own monitor. */
    private final List<MessageForm> forms = new ArrayList<>();
    /** The network connections of all clients of this connection. */
    private final List<RemotingClient> networks = new CopyOnWriteArrayList<>();
    private final Thread watch;
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
        this.admin = AdminConnection.open(settings, brokers, absent, closures::add);
        Duration idle = admin.idleLimit();
        this.touch = idle.dividedBy(TOUCHES).compareTo(touch) < 0 ? idle.dividedBy(TOUCHES) : touch;
        for (String master : admin.masters()) {
            masters.put(resolved(master), master);
        }
        this.watch = Thread.ofPlatform().name("rocketmq-watch").daemon().unstarted(this::watch);
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

    /** Returns an address in the form in which the client names the other end of a connection. */
    private static String resolved(String address) {
        int colon = address.lastIndexOf(':');
        try {
            return InetAddress.getByName(address.substring(0, colon)).getHostAddress() + address.substring(colon);
        } catch (UnknownHostException e) {
            return address;
        }
    }

    // ---- loss of the connection

    private void watch() {
        long next = System.nanoTime() + touch.toNanos();
        while (!closing && lost == null) {
            try {
                long wait = next - System.nanoTime();
                String closed = closures.poll(Math.max(0, absent.isEmpty() ? wait : Math.min(wait, RETRY.toNanos())), TimeUnit.NANOSECONDS);
                String master = closed == null ? null : masters.get(closed);
                if (closing) {
                    return;
                }
                if (master != null && !absent.contains(master)) {
                    broken(master);
                }
                if (closed == null) {
                    lookForAbsent();
                }
                if (System.nanoTime() - next >= 0) {
                    next = System.nanoTime() + touch.toNanos();
                    touchAll();
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void touchAll() throws InterruptedException {
        for (String master : masters.values()) {
            if (absent.contains(master)) {
                continue;
            }
            try {
                admin.touch(master, TOUCH_LIMIT);
                unanswered.remove(master);
            } catch (InterruptedException e) {
                throw e;
            } catch (RemotingTimeoutException e) {
                // A broker that stands still for some seconds is not lost, but nothing else reports one whose host is gone.
                if (unanswered.merge(master, 1, Integer::sum) >= MOST_UNANSWERED) {
                    unanswered.remove(master);
                    hangUp(master);
                }
            } catch (Exception e) {
                // an answer of any kind, or a closed connection, which is reported by its closure
                unanswered.remove(master);
            }
        }
    }

    /** Closes all connections to a broker that does not answer, which the clients themselves do not. */
    private void hangUp(String master) {
        admin.hangUp(master);
        networks.forEach(network -> network.closeChannels(List.of(master)));
    }

    private void broken(String master) {
        String sentence = "The connection to the RocketMQ broker at " + master + " broke.";
        if (!settings.reconnect) {
            lose(new DriverException(sentence, null));
            return;
        }
        synchronized (forms) {
            absent.add(master);
            forms.forEach(form -> form.leave(admin.nameOf(master)));
        }
        listener.interrupted(sentence);
        if (absent.size() < masters.size()) {
            // Messages are sent to the other masters, and consumers get the rest from slaves.
            listener.resumed();
        }
    }

    /** Tries the masters whose connection broke, each for a short time. */
    private void lookForAbsent() throws InterruptedException {
        for (String master : List.copyOf(absent)) {
            try {
                admin.touch(master, TOUCH_LIMIT);
            } catch (InterruptedException e) {
                throw e;
            } catch (RemotingTimeoutException e) {
                // a connection on which nothing comes may stay so after the master is back
                hangUp(master);
                continue;
            } catch (Exception e) {
                continue;
            }
            // Further closures while the master was absent were queued, too.
            closures.removeIf(closed -> master.equals(masters.get(closed)));
            boolean wereAllAbsent = absent.size() == masters.size();
            synchronized (forms) {
                absent.remove(master);
                forms.forEach(form -> form.comeBackTo(admin.nameOf(master)));
            }
            if (wereAllAbsent) {
                listener.resumed();
            }
        }
    }

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
                admin.deleteGroup(group);
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
        return group.isEmpty() ? OptionalLong.empty() : admin.waiting(topic, group.get());
    }

    @Override
    public void unsubscribe(Destination destination, String subscription) throws Exception {
        alive();
        if (settings.group.isEmpty()) {
            admin.deleteGroup(Names.subscriptionGroup(destination, subscription, settings.clientId, settings));
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
        synchronized (forms) {
            forms.add(form);
            absent.forEach(master -> form.leave(admin.nameOf(master)));
        }
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
            networks.add(network(producer));
            plain = producer;
        }
        return producer;
    }

    private TransactionMQProducer transactional() throws MQClientException {
        TransactionMQProducer producer = transactional;
        if (producer == null) {
            producer = Clients.transactional(settings);
            networks.add(network(producer));
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
            admin.createGroup(group);
            admin.beginAtTheEnd(topic, group, anew);
            if (anew) {
                admin.beginAtTheEnd(MixAll.getRetryTopic(group), group, true);
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
        networks.add(made.impl().getmQClientFactory().getMQClientAPIImpl().getRemotingClient());
        return added(made, made);
    }

    /**
     * Returns whether the group of a temporary subscription can only be left over from a run that was killed; a new consumer would get the
     * messages that arrived since. If a connection of this process was lost, its own subscription continues.
     */
    private boolean isLeftOver(String group) throws InterruptedException {
        if (!PushConsumer.isStrange(group) || !absent.isEmpty()) {
            // a master that is absent may know of consumers
            return false;
        }
        try {
            return !admin.hasConsumers(group);
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
        watch.interrupt();
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
        ConsumerThread.join(watch, STOP_NANOS);
    }
}
