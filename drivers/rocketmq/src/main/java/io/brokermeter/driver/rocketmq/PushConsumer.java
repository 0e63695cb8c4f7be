package io.brokermeter.driver.rocketmq;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;

import io.brokermeter.driver.rocketmq.library.CallerRunsExecutor;
import io.brokermeter.spi.AwakeDeadline;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Settlement;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.PropertyText;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.MessageSelector;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeOrderlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.impl.consumer.DefaultMQPushConsumerImpl;
import org.apache.rocketmq.client.impl.consumer.ProcessQueue;
import org.apache.rocketmq.common.MixAll;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.remoting.RPCHook;
import org.apache.rocketmq.remoting.exception.RemotingTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A push consumer of the client in a group. It acknowledges by its position in each queue, which is sent to the broker every few seconds
 * and at the end.
 */
final class PushConsumer implements Consumer, ConnectionLossListener {

    /** A selector of one or several tags. Any other selector is an SQL condition. */
    private static final Pattern TAGS = Pattern.compile("\\s*\\*\\s*|\\s*[\\w%.:-]+\\s*(?:\\|\\|\\s*[\\w%.:-]+\\s*)*");

    private static final Pattern LIKE = Pattern.compile("\\blike\\b", Pattern.CASE_INSENSITIVE);

    private static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int LONGEST_DELIVERY_SECONDS = 10;

    /** The first delay level, by default one second: the broker takes back no message without a delay. */
    private static final int SHORTEST_DELAY = 1;
    /** The value in place of a delay level with which a message goes to the dead letters of the group. */
    private static final int NEVER_AGAIN = -1;

    private final RocketMqSettings settings;
    private final AdminConnection admin;
    private final String topic;
    private final String group;
    private final boolean temporary;
    private final boolean settles;
    private final ConnectionListener connection;
    private final DeliveryListener listener;
    /** Whether a close waited for the broker in vain; shared by the producers and consumers of a connection. */
    private final AtomicBoolean mute;
    private final DefaultMQPushConsumer client;
    private final @Nullable RPCHook hook;
    private final QueueDistribution distribution;
    private final ReentrantLock delivering = new ReentrantLock();
    private final Object gate = new Object();
    private int waitingAtGate;
    private int waitingMessages;
    private boolean open;
    private volatile boolean ending;
    /** Whether the listener accepts no more messages; those that arrive wait at the gate for the end, and are not acknowledged. */
    private volatile boolean left;
    private volatile boolean isClosed;
    /** The names of the brokers whose messages were delivered, also of those whose queues this consumer has no longer. */
    private final Set<String> senders = ConcurrentHashMap.newKeySet();
    /** The last name that was added to {@link #senders}, or found there; used with {@link #delivering} held. */
    private @Nullable String lastSender;

    /** The most that waits of each queue, in MiB. The client's own limit is 100, and a topic has several queues. */
    private static final int MOST_WAITING = 8;

    /**
     * @param temporary whether the group is deleted with its last consumer
     * @param connection receives a notice for each broker that is not told what was received, because its master is absent
     */
    PushConsumer(RocketMqSettings settings, AdminConnection admin, String topic, String group, boolean temporary,
            ConsumerSettings consumer, AtomicBoolean mute, ConnectionListener connection, DeliveryListener listener) throws Exception {
        this.mute = mute;
        this.connection = connection;
        this.settings = settings;
        this.admin = admin;
        this.topic = topic;
        this.group = group;
        this.temporary = temporary;
        this.settles = consumer.settles();
        this.listener = listener;
        this.hook = Hooks.of(settings);
        this.client = new DefaultMQPushConsumer(group, hook);
        this.distribution = new QueueDistribution(settings, admin, topic, group, impl());
        client.setPullBatchSize(settings.pullBatch);
        client.setPullThresholdSizeForQueue(MOST_WAITING);
        client.setConsumeMessageBatchMaxSize(settings.consumeBatch);
        Clients.configure(client, settings);
        if (settles) {
            // whatever the user has set: a batch goes back, or to the dead letters, as a whole
            client.setConsumeMessageBatchMaxSize(1);
        }
        client.setConsumeThreadMin(settings.consumeThreads);
        client.setConsumeThreadMax(settings.consumeThreads);
        client.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
        client.setAwaitTerminationMillisWhenShutdown(0);
        if (consumer.prefetch() > 0) {
            client.setPullThresholdForTopic(consumer.prefetch());
            client.setPullBatchSize(Math.min(client.getPullBatchSize(), consumer.prefetch()));
        }
        if (settings.orderly) {
            client.registerMessageListener((MessageListenerOrderly) (messages, context) -> deliver(messages, null, context)
                ? ConsumeOrderlyStatus.SUCCESS : ConsumeOrderlyStatus.SUSPEND_CURRENT_QUEUE_A_MOMENT);
        } else {
            client.registerMessageListener((MessageListenerConcurrently) (messages, context) -> deliver(messages, context, null)
                ? ConsumeConcurrentlyStatus.CONSUME_SUCCESS : ConsumeConcurrentlyStatus.RECONSUME_LATER);
        }
        client.setMessageQueueListener((changed, all, own) -> distribution.report());
        String selector = consumer.selector();
        if (selector != null && LIKE.matcher(selector.replaceAll("'[^']*'", "''")).find()) {
            // The broker accepts it, and nothing ever matches.
            throw new DriverException("RocketMQ has no LIKE in the selector \"" + selector
                + "\"; use STARTSWITH, ENDSWITH or CONTAINS.", null);
        }
        if (selector == null) {
            client.subscribe(topic, "*");
        } else if (TAGS.matcher(selector).matches()) {
            client.subscribe(topic, MessageSelector.byTag(selector.strip()));
        } else {
            client.subscribe(topic, MessageSelector.bySql(selector));
        }
    }

    /** Starts the client, and waits until this consumer has its share of the queues, and no other consumer here has any of them. */
    void start() throws Exception {
        try {
            Clients.instance(client, hook, settings);
            client.start();
            impl().getmQClientFactory().getMQClientAPIImpl().getRemotingClient().setCallbackExecutor(new CallerRunsExecutor());
        } catch (MQClientException e) {
            throw Causes.of("start a consumer on " + topic, e);
        }
        distribution.join(settles);
    }

    @SuppressWarnings("deprecation") // the only way to it
    DefaultMQPushConsumerImpl impl() {
        return client.getDefaultMQPushConsumerImpl();
    }

    /**
     * Delivers a batch of messages. Returns whether they were accepted. If not, either their queues have been dropped, so that the result
     * does not matter, or it is a single message that goes back, with its delay level in the context.
     *
     * @param context null if the queues are locked
     * @param ordered null if they are not
     */
    private boolean deliver(
            List<MessageExt> messages, @Nullable ConsumeConcurrentlyContext context, @Nullable ConsumeOrderlyContext ordered) {
        delivering.lock();
        try {
            if (!ending && !left) {
                for (int i = 0; i < messages.size(); i++) {
                    MessageExt message = messages.get(i);
                    Settlement settlement = deliver(message);
                    if (settlement == Settlement.LEAVE) {
                        left = true;
                        if (i > 0 && context != null) {
                            // those before it are accepted; the rest of this batch can only go back through the retry topic
                            context.setAckIndex(i - 1);
                            context.setDelayLevelWhenNextConsume(SHORTEST_DELAY);
                            return true;
                        }
                        if (i > 0 && ordered != null && putBack(ordered.getMessageQueue(), messages.subList(i, messages.size()))) {
                            return true;
                        }
                        break;
                    }
                    if (settles && context != null && settlement != Settlement.ACCEPT) {
                        context.setDelayLevelWhenNextConsume(settlement == Settlement.REQUEUE ? SHORTEST_DELAY : NEVER_AGAIN);
                        return false;
                    }
                }
                if (!left) {
                    return true;
                }
            }
        } finally {
            delivering.unlock();
        }
        awaitGate(messages.size());
        return false;
    }

    /**
     * Puts messages of the current batch back at the front of their queue, so that the client records the end of those before them as the
     * position. Returns false if the queue, and with it the whole batch, is no longer ours.
     */
    private boolean putBack(MessageQueue of, List<MessageExt> messages) {
        ProcessQueue queue = impl().getRebalanceImpl().getProcessQueueTable().get(of);
        if (queue == null || queue.isDropped()) {
            return false;
        }
        queue.makeMessageToConsumeAgain(messages);
        return true;
    }

    private Settlement deliver(MessageExt message) {
        byte[] bytes = message.getBody();
        ByteBuffer body = bytes == null ? ByteBuffer.allocate(0) : ByteBuffer.wrap(bytes);
        boolean again = message.getReconsumeTimes() > 0;
        String property = message.getUserProperty(Payload.PROPERTY);
        ByteBuffer envelope = property == null ? null : PropertyText.decode(property);
        Settlement settlement = envelope == null ? listener.delivered(body, again) : listener.delivered(envelope, body, again);
        String sender = message.getBrokerName();
        if (settlement != Settlement.LEAVE && sender != null && !sender.equals(lastSender)) {
            lastSender = sender;
            if (!senders.contains(sender)) {
                senders.add(sender);
            }
        }
        return settlement;
    }

    /** Blocks messages that are not delivered any more while delivered ones are still being acknowledged. */
    private void awaitGate(int messages) {
        synchronized (gate) {
            waitingAtGate++;
            waitingMessages += messages;
            AwakeDeadline deadline = new AwakeDeadline(2 * SETTLE_NANOS);
            while (!open) {
                if (deadline.isOver() && !left) {
                    return;
                }
                try {
                    TimeUnit.NANOSECONDS.timedWait(gate, LOOK_NANOS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }
    }

    @Override
    public void abandon(Throwable cause) {
        distribution.abandon();
    }

    @Override
    public void close() throws Exception {
        if (isClosed) {
            return;
        }
        isClosed = true;
        distribution.leave();
        ending = true;
        // A listener that is working ends first; then the client records what it acknowledged.
        boolean idle = delivering.tryLock(LONGEST_DELIVERY_SECONDS, TimeUnit.SECONDS);
        if (idle) {
            delivering.unlock();
        }
        if (isStarted()) {
            if (idle) {
                settle();
            }
            acknowledge();
            if (!idle && !distribution.isAbandoned()) {
                listener.failed(new DriverException("The last delivery from " + topic + " did not end within " + LONGEST_DELIVERY_SECONDS
                    + " s, so it is not acknowledged.", null));
            }
            if (settings.orderly && !distribution.isAbandoned() && !mute.get()) {
                // The client would not unlock dropped queues, and the broker would keep them locked for a minute.
                impl().getRebalanceImpl().unlockAll(false);
            }
            impl().getRebalanceImpl().getProcessQueueTable().values().forEach(queue -> queue.setDropped(true));
        }
        synchronized (gate) {
            open = true;
            gate.notifyAll();
        }
        client.shutdown();
        if (temporary && (distribution.isAbandoned() || mute.get())) {
            QueueDistribution.keep(group);
        } else if (temporary && !admin.groups().hasConsumers(group)) {
            admin.groups().delete(group);
            QueueDistribution.forget(group);
        }
    }

    private boolean isStarted() {
        return impl().getmQClientFactory() != null && impl().getOffsetStore() != null;
    }

    /** Waits until the client has recorded the last delivery: no message is left, or all that are left wait at the gate. */
    private void settle() throws InterruptedException {
        AwakeDeadline deadline = new AwakeDeadline(SETTLE_NANOS);
        while (!deadline.isOver()) {
            long left = 0;
            for (ProcessQueue queue : impl().getRebalanceImpl().getProcessQueueTable().values()) {
                left += queue.getMsgCount().get();
            }
            synchronized (gate) {
                if (left <= waitingMessages || waitingAtGate == settings.consumeThreads) {
                    return;
                }
            }
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    /** Sends the position in each queue to its broker, unless that has no master at present, and waits until the broker has it. */
    private void acknowledge() {
        if (distribution.isAbandoned()) {
            return;
        }
        if (mute.get()) {
            listener.failed(new DriverException("The broker does not answer, so it was not told what was received from " + topic + ".",
                null));
            return;
        }
        var offsets = impl().getOffsetStore();
        Map<MessageQueue, Long> positions = new HashMap<>(offsets.cloneOffsetTable(topic));
        positions.putAll(offsets.cloneOffsetTable(MixAll.getRetryTopic(group)));
        // the client has forgotten its positions on a broker that the name server dropped
        Set<String> untold = new TreeSet<>(senders);
        untold.removeIf(broker -> !admin.isAbsent(broker));
        Exception failure = null;
        for (Map.Entry<MessageQueue, Long> offset : positions.entrySet()) {
            String broker = offset.getKey().getBrokerName();
            if (offset.getValue() < 0 || mute.get()) {
                continue;
            }
            if (admin.isAbsent(broker)) {
                untold.add(broker);
                continue;
            }
            try {
                offsets.updateConsumeOffsetToBroker(offset.getKey(), offset.getValue(), false);
            } catch (Exception e) {
                if (e instanceof RemotingTimeoutException) {
                    // whatever else is closed would wait for it, too
                    mute.set(true);
                }
                failure = failure == null ? e : failure;
            }
        }
        untold.forEach(broker -> connection.notice("Broker " + broker + " was not told at the end what was received from " + topic
            + ", because its master is away: some of it comes again when it is back."));
        if (failure != null && !distribution.isAbandoned()) {
            listener.failed(Causes.of("tell the broker what was received from " + topic, failure));
        }
    }
}
