package io.brokermeter.driver.rocketmq;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;

import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.DriverException;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.PropertyText;
import io.brokermeter.spi.Settlement;
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
import org.jspecify.annotations.Nullable;

/**
 * A push consumer of the client in a group. Its position in each queue is what it acknowledges; the broker is sent it every
 * few seconds and at the end.
 */
final class PushConsumer implements Consumer, ConnectionLossListener {

    /** Tags, one or several. Anything else is a condition in SQL. */
    private static final Pattern TAGS = Pattern.compile("\\s*\\*\\s*|\\s*[\\w%.:-]+\\s*(?:\\|\\|\\s*[\\w%.:-]+\\s*)*");

    private static final Pattern LIKE = Pattern.compile("\\blike\\b", Pattern.CASE_INSENSITIVE);

    /** The consumers of this process by their groups: queues go from one to the other without overlap. */
    private static final Map<String, Set<PushConsumer>> GROUPS = new ConcurrentHashMap<>();

    /** Groups of subscriptions that would have gone with the last of these consumers, if its connection had not been lost. */
    private static final Set<String> LOST = ConcurrentHashMap.newKeySet();

    private static final long PAUSE_MILLIS = 10;
    private static final long SETTLE_MILLIS = 2000;
    private static final int LONGEST_DELIVERY_SECONDS = 10;

    /** The broker's first level, one second as it comes: it takes nothing back without a delay. */
    private static final int SHORTEST_DELAY = 1;
    /** Instead of a delay: the message goes to the dead letters of the group. */
    private static final int NEVER_AGAIN = -1;

    private final RocketMqSettings settings;
    private final AdminConnection admin;
    private final String topic;
    private final String group;
    private final boolean temporary;
    private final boolean settles;
    private final DeliveryListener listener;
    /** Whether a close waited for the broker in vain; shared by a connection. */
    private final AtomicBoolean mute;
    private final DefaultMQPushConsumer client;
    private final @Nullable RPCHook hook;
    private final ReentrantLock delivering = new ReentrantLock();
    private final Object gate = new Object();
    private int waitingAtGate;
    private int waitingMessages;
    private boolean open;
    private volatile boolean ending;
    /** Whether the listener takes no more: what comes waits at the gate for the end, and is not acknowledged. */
    private volatile boolean left;
    private volatile boolean abandoned;
    private volatile boolean isClosed;

    /** @param temporary whether the group goes with its last consumer */
    PushConsumer(RocketMqSettings settings, AdminConnection admin, String topic, String group, boolean temporary,
            ConsumerSettings consumer, AtomicBoolean mute, DeliveryListener listener) throws Exception {
        this.mute = mute;
        this.settings = settings;
        this.admin = admin;
        this.topic = topic;
        this.group = group;
        this.temporary = temporary;
        this.settles = consumer.settles();
        this.listener = listener;
        this.hook = Hooks.of(settings);
        this.client = new DefaultMQPushConsumer(group, hook);
        client.setPullBatchSize(settings.pullBatch);
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
        String selector = consumer.selector();
        if (selector != null && LIKE.matcher(selector.replaceAll("'[^']*'", "''")).find()) {
            // The broker takes it, and nothing ever matches.
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

    /** Whether no consumer of this process is in a group, or left it because its connection was lost. */
    static boolean isStrange(String group) {
        return !GROUPS.containsKey(group) && !LOST.contains(group);
    }

    /** Starts it, and waits until it has its share of the queues, and no other consumer here has any of them. */
    void start() throws Exception {
        try {
            Clients.instance(client, hook, settings);
            client.start();
            impl().getmQClientFactory().getMQClientAPIImpl().getRemotingClient().setCallbackExecutor(new InlineExecutor());
        } catch (MQClientException e) {
            throw Causes.of("start a consumer on " + topic, e);
        }
        GROUPS.computeIfAbsent(group, name -> ConcurrentHashMap.newKeySet()).add(this);
        long deadline = System.nanoTime() + settings.timeout.toNanos();
        while (!settled()) {
            if (System.nanoTime() - deadline > 0) {
                throw new DriverException("Consumer group " + group + " has not distributed the queues of " + topic + " after "
                    + settings.timeout.toSeconds() + " s.", null);
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
        for (PushConsumer consumer : GROUPS.getOrDefault(group, Set.of())) {
            consumer.report(deadline);
        }
        if (settles) {
            awaitRetries(deadline);
        }
    }

    /**
     * What goes back comes again through a topic of the group, which the broker makes when it knows the group; the client
     * would look for it only twice a minute. Its one queue may be that of another consumer.
     */
    private void awaitRetries(long deadline) throws Exception {
        String retries = MixAll.getRetryTopic(group);
        while (GROUPS.getOrDefault(group, Set.of()).stream().allMatch(consumer -> consumer.assigned(retries).isEmpty())) {
            if (System.nanoTime() - deadline > 0) {
                throw new DriverException("The broker has no topic for what consumer group " + group + " gives back after "
                    + settings.timeout.toSeconds() + " s.", null);
            }
            for (PushConsumer consumer : GROUPS.getOrDefault(group, Set.of())) {
                consumer.impl().getmQClientFactory().updateTopicRouteInfoFromNameServer(retries);
                consumer.impl().getmQClientFactory().rebalanceImmediately();
            }
            if (elsewhere(GROUPS.getOrDefault(group, Set.of()).size())) {
                return;
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
    }

    /**
     * Tells the brokers of the subscription as it is now. A new distribution of queues makes it a newer one, and the client
     * reports that only when it is not reporting something else at that moment; brokers refuse to serve one that they do not know.
     */
    private void report(long deadline) throws InterruptedException {
        var instance = impl().getmQClientFactory();
        while (!isClosed && !instance.sendHeartbeatToAllBrokerWithLock() && System.nanoTime() - deadline < 0) {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
    }

    private boolean settled() throws Exception {
        List<PushConsumer> all = List.copyOf(GROUPS.getOrDefault(group, Set.of()));
        Set<MessageQueue> taken = new HashSet<>();
        int count = 0;
        for (PushConsumer consumer : all) {
            Set<MessageQueue> queues = consumer.assigned(topic);
            count += queues.size();
            taken.addAll(queues);
        }
        Set<MessageQueue> own = assigned(topic);
        List<MessageQueue> queues = admin.queues(topic, false);
        boolean enough = !own.isEmpty() || all.size() > queues.size();
        if (enough && count == taken.size() && (taken.size() == queues.size() || elsewhere(all.size()))) {
            return true;
        }
        all.forEach(consumer -> consumer.impl().getmQClientFactory().rebalanceImmediately());
        return false;
    }

    /** Whether the group has consumers in other processes; false as long as no broker says who is in it. */
    private boolean elsewhere(int here) throws Exception {
        List<String> members = impl().getmQClientFactory().findConsumerIdList(topic, group);
        return members != null && members.size() > here;
    }

    private Set<MessageQueue> assigned(String of) {
        Set<MessageQueue> queues = new HashSet<>();
        impl().getRebalanceImpl().getProcessQueueTable().forEach((queue, process) -> {
            if (queue.getTopic().equals(of) && !process.isDropped()) {
                queues.add(queue);
            }
        });
        return queues;
    }

    @SuppressWarnings("deprecation") // the only way to it
    private DefaultMQPushConsumerImpl impl() {
        return client.getDefaultMQPushConsumerImpl();
    }

    /**
     * Returns whether the messages were taken. When not, their queues have been dropped and nobody asks, or it is one that
     * goes back, with the level of its delay in the context.
     *
     * @param context null where the queues are locked
     * @param ordered null where they are not
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
                            // those before it are taken; the others of this batch can only go back by a detour
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
     * Puts messages of the batch at hand back in front of their queue, so that the client notes the end of those before them as the
     * position. False when the queue is no longer ours, and with it the whole batch.
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
        return envelope == null ? listener.delivered(body, again) : listener.delivered(envelope, body, again);
    }

    /** At the end nothing is delivered any more, but what was delivered is still to be acknowledged. */
    private void awaitGate(int messages) {
        synchronized (gate) {
            waitingAtGate++;
            waitingMessages += messages;
            long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(2 * SETTLE_MILLIS);
            while (!open) {
                long wait = left ? TimeUnit.SECONDS.toNanos(1) : deadline - System.nanoTime();
                if (wait <= 0) {
                    return;
                }
                try {
                    TimeUnit.NANOSECONDS.timedWait(gate, wait);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }
    }

    @Override
    public void abandon(Throwable cause) {
        abandoned = true;
    }

    @Override
    public void close() throws Exception {
        if (isClosed) {
            return;
        }
        isClosed = true;
        Set<PushConsumer> siblings = GROUPS.get(group);
        if (siblings != null) {
            siblings.remove(this);
            GROUPS.computeIfPresent(group, (name, left) -> left.isEmpty() ? null : left);
        }
        ending = true;
        // A listener that is at work ends first; then the client writes down what it acknowledged.
        boolean idle = delivering.tryLock(LONGEST_DELIVERY_SECONDS, TimeUnit.SECONDS);
        if (idle) {
            delivering.unlock();
        }
        if (isStarted()) {
            settle();
            acknowledge();
            if (settings.orderly && !abandoned && !mute.get()) {
                // The client would leave out those that are dropped, and the broker keep them locked for a minute.
                impl().getRebalanceImpl().unlockAll(false);
            }
            impl().getRebalanceImpl().getProcessQueueTable().values().forEach(queue -> queue.setDropped(true));
        }
        synchronized (gate) {
            open = true;
            gate.notifyAll();
        }
        client.shutdown();
        if (temporary && (abandoned || mute.get())) {
            LOST.add(group);
        } else if (temporary && !admin.hasConsumers(group)) {
            admin.deleteGroup(group);
            LOST.remove(group);
        }
    }

    private boolean isStarted() {
        return impl().getmQClientFactory() != null && impl().getOffsetStore() != null;
    }

    /** Waits until the client has noted the last delivery: nothing is left, or all that is left waits at the gate. */
    private void settle() throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(SETTLE_MILLIS);
        while (System.nanoTime() - deadline < 0) {
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

    /** Tells the broker the position in each queue, and waits until it knows. */
    private void acknowledge() {
        if (abandoned) {
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
        for (Map.Entry<MessageQueue, Long> offset : positions.entrySet()) {
            if (offset.getValue() < 0) {
                continue;
            }
            try {
                offsets.updateConsumeOffsetToBroker(offset.getKey(), offset.getValue(), false);
            } catch (Exception e) {
                mute.set(true);
                if (!abandoned) {
                    listener.failed(Causes.of("tell the broker what was received from " + topic, e));
                }
                return;
            }
        }
    }
}
