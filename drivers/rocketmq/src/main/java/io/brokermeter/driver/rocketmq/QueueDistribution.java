package io.brokermeter.driver.rocketmq;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.brokermeter.spi.failure.DriverException;
import org.apache.rocketmq.client.impl.consumer.DefaultMQPushConsumerImpl;
import org.apache.rocketmq.common.MixAll;
import org.apache.rocketmq.common.message.MessageQueue;

/**
 * The share that one consumer has in the distribution of a topic's queues among its group. Consumers of this process that are in one group
 * know each other, so that a new one begins when the queues are its own. Thread-safe.
 */
final class QueueDistribution {

    /** The consumers of this process by their groups: queues pass from one to another without overlap. */
    private static final Map<String, Set<QueueDistribution>> GROUPS = new ConcurrentHashMap<>();

    /** Groups of temporary subscriptions that were not deleted because the connection of their last consumer here was lost. */
    private static final Set<String> LOST = ConcurrentHashMap.newKeySet();

    private static final long PAUSE_MILLIS = 10;

    private final RocketMqSettings settings;
    private final AdminConnection admin;
    private final String topic;
    private final String group;
    private final DefaultMQPushConsumerImpl client;
    private volatile boolean abandoned;
    private volatile boolean left;
    /** The queues of the last distribution whose version the brokers have been sent. */
    private volatile Set<MessageQueue> reported = Set.of();

    QueueDistribution(RocketMqSettings settings, AdminConnection admin, String topic, String group, DefaultMQPushConsumerImpl client) {
        this.settings = settings;
        this.admin = admin;
        this.topic = topic;
        this.group = group;
        this.client = client;
    }

    /** Returns whether a group is unknown here: no consumer of this process is in it, or left it because its connection was lost. */
    static boolean isUnknown(String group) {
        return !GROUPS.containsKey(group) && !LOST.contains(group);
    }

    /** Notes that a temporary subscription was not deleted with its last consumer here. */
    static void keep(String group) {
        LOST.add(group);
    }

    /** Notes that a temporary subscription was deleted. */
    static void forget(String group) {
        LOST.remove(group);
    }

    /**
     * Waits until the started consumer has its share of the queues, and no other consumer here has any of them.
     *
     * @param settles whether messages go back, for which the group has a queue of its own
     */
    void join(boolean settles) throws Exception {
        GROUPS.computeIfAbsent(group, name -> ConcurrentHashMap.newKeySet()).add(this);
        long deadline = System.nanoTime() + settings.timeout.toNanos();
        while (!settled()) {
            if (System.nanoTime() - deadline > 0) {
                throw new DriverException("Consumer group " + group + " has not distributed the queues of " + topic + " after "
                    + settings.timeout.toSeconds() + " s.", null);
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
        for (QueueDistribution consumer : GROUPS.getOrDefault(group, Set.of())) {
            consumer.awaitReported(deadline);
        }
        if (settles) {
            awaitRetries(deadline);
        }
    }

    /** Takes this consumer out of the distribution, before its client is shut down. */
    void leave() {
        left = true;
        Set<QueueDistribution> siblings = GROUPS.get(group);
        if (siblings != null) {
            siblings.remove(this);
            GROUPS.computeIfPresent(group, (name, others) -> others.isEmpty() ? null : others);
        }
    }

    /** Notes that the connection is lost, so that nothing is waited for any more. */
    void abandon() {
        abandoned = true;
    }

    boolean isAbandoned() {
        return abandoned;
    }

    /**
     * Waits until the queue for requeued messages is assigned. They are delivered again through a topic of the group, which the broker
     * creates when it knows the group; the client would look for the topic only twice a minute. The single queue of that topic may be
     * assigned to another consumer.
     */
    private void awaitRetries(long deadline) throws Exception {
        String retries = MixAll.getRetryTopic(group);
        while (GROUPS.getOrDefault(group, Set.of()).stream().allMatch(consumer -> consumer.assigned(retries).isEmpty())) {
            if (System.nanoTime() - deadline > 0) {
                throw new DriverException("The broker has no topic for what consumer group " + group + " gives back after "
                    + settings.timeout.toSeconds() + " s.", null);
            }
            for (QueueDistribution consumer : GROUPS.getOrDefault(group, Set.of())) {
                consumer.client.getmQClientFactory().updateTopicRouteInfoFromNameServer(retries);
                consumer.client.getmQClientFactory().rebalanceImmediately();
            }
            if (elsewhere(GROUPS.getOrDefault(group, Set.of()).size())) {
                return;
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
    }

    /**
     * Reports the subscription to the brokers after a new distribution of queues, which has made it a newer version: brokers do not serve
     * a version that they do not know. The client itself reports it once, and only if no other report is under way at that moment; the
     * next report would follow after half a minute. Called by the client's thread that distributes queues.
     */
    void report() {
        long deadline = System.nanoTime() + settings.timeout.toNanos();
        var instance = client.getmQClientFactory();
        try {
            while (!left && !instance.sendHeartbeatToAllBrokerWithLock() && System.nanoTime() - deadline < 0) {
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        reported = assigned(topic);
    }

    /** Waits until the available masters of this consumer's queues have confirmed a report of its subscription. */
    private void awaitReported(long deadline) throws Exception {
        var instance = client.getmQClientFactory();
        Set<String> brokers = new TreeSet<>();
        assigned(topic).forEach(queue -> brokers.add(queue.getBrokerName()));
        for (String broker : brokers) {
            while (!left && !abandoned && !admin.isAbsent(broker)) {
                String master = instance.findBrokerAddressInPublish(broker);
                if (master == null || instance.sendHeartbeatToBroker(MixAll.MASTER_ID, broker, master)) {
                    break;
                }
                if (System.nanoTime() - deadline > 0) {
                    throw new DriverException("Broker " + broker + " has not confirmed the subscription of consumer group " + group
                        + " after " + settings.timeout.toSeconds() + " s.", null);
                }
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        }
    }

    private boolean settled() throws Exception {
        List<QueueDistribution> all = List.copyOf(GROUPS.getOrDefault(group, Set.of()));
        Set<MessageQueue> taken = new HashSet<>();
        int count = 0;
        boolean known = true;
        for (QueueDistribution consumer : all) {
            Set<MessageQueue> queues = consumer.assigned(topic);
            known &= queues.equals(consumer.reported);
            count += queues.size();
            taken.addAll(queues);
        }
        Set<MessageQueue> own = assigned(topic);
        List<MessageQueue> queues = admin.queues(topic, false);
        boolean enough = !own.isEmpty() || all.size() > queues.size();
        if (known && enough && count == taken.size() && (taken.size() == queues.size() || elsewhere(all.size()))) {
            return true;
        }
        all.forEach(consumer -> consumer.client.getmQClientFactory().rebalanceImmediately());
        return false;
    }

    /** Returns whether the group has consumers in other processes; false as long as no broker reports the members. */
    private boolean elsewhere(int here) throws Exception {
        List<String> members = client.getmQClientFactory().findConsumerIdList(topic, group);
        return members != null && members.size() > here;
    }

    private Set<MessageQueue> assigned(String of) {
        Set<MessageQueue> queues = new HashSet<>();
        client.getRebalanceImpl().getProcessQueueTable().forEach((queue, process) -> {
            if (queue.getTopic().equals(of) && !process.isDropped()) {
                queues.add(queue);
            }
        });
        return queues;
    }
}
