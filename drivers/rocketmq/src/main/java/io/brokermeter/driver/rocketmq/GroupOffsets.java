package io.brokermeter.driver.rocketmq;

import java.util.OptionalLong;

import io.brokermeter.driver.rocketmq.route.Route;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.OffsetNotFoundException;
import org.apache.rocketmq.client.impl.MQClientAPIImpl;
import org.apache.rocketmq.common.MixAll;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.remoting.protocol.header.QueryConsumerOffsetRequestHeader;
import org.apache.rocketmq.remoting.protocol.header.UpdateConsumerOffsetRequestHeader;
import org.apache.rocketmq.remoting.protocol.subscription.SubscriptionGroupConfig;

/** Consumer groups and their offsets, by the requests of an {@link AdminConnection}. */
final class GroupOffsets {

    private final AdminConnection admin;
    private final MQClientAPIImpl api;

    GroupOffsets(AdminConnection admin, MQClientAPIImpl api) {
        this.admin = admin;
        this.api = api;
    }

    /** Makes sure that all available masters know a consumer group. */
    void create(String group) throws Exception {
        SubscriptionGroupConfig config = new SubscriptionGroupConfig();
        config.setGroupName(group);
        admin.asked("create consumer group " + group, deadline -> {
            for (String master : admin.available()) {
                api.createSubscriptionGroup(master, config, AdminConnection.left(deadline));
            }
            return true;
        });
    }

    /** Deletes a consumer group with its offsets, its retry topic and its dead letters, on all available masters. */
    void delete(String group) throws Exception {
        admin.asked("delete consumer group " + group, deadline -> {
            for (String master : admin.available()) {
                api.deleteSubscriptionGroup(master, group, true, AdminConnection.left(deadline));
            }
            return true;
        });
        admin.deleteTopic(MixAll.getRetryTopic(group));
        admin.deleteTopic(MixAll.getDLQTopic(group));
    }

    /** Returns whether a consumer of the group is connected to any available master. */
    boolean hasConsumers(String group) throws Exception {
        long deadline = admin.deadline();
        for (String master : admin.available()) {
            try {
                if (!api.getConsumerIdListByGroup(master, group, AdminConnection.left(deadline)).isEmpty()) {
                    return true;
                }
            } catch (MQBrokerException e) {
                // the master knows no consumer of that group
            }
        }
        return false;
    }

    /**
     * Sets the position of a group behind the last message, in each queue in which it has no position yet.
     *
     * @param anew whether to do so in the other queues, too
     */
    void beginAtTheEnd(String topic, String group, boolean anew) throws Exception {
        admin.asked("set the position of consumer group " + group + " on topic " + topic, deadline -> {
            Route route = admin.route(topic, deadline);
            for (MessageQueue queue : route.queues(false)) {
                String master = route.master(queue.getBrokerName());
                if (master != null && (anew || committed(master, queue, group, deadline).isEmpty())) {
                    UpdateConsumerOffsetRequestHeader header = new UpdateConsumerOffsetRequestHeader();
                    header.setTopic(topic);
                    header.setConsumerGroup(group);
                    header.setQueueId(queue.getQueueId());
                    header.setCommitOffset(api.getMaxOffset(master, queue, AdminConnection.left(deadline)));
                    header.setBrokerName(queue.getBrokerName());
                    api.updateConsumerOffset(master, header, AdminConnection.left(deadline));
                }
            }
            return true;
        });
    }

    /**
     * Returns the number of messages of a topic that a group has not acknowledged. Empty while a broker that has some of them has no
     * master, since slaves may have fewer.
     */
    OptionalLong waiting(String topic, String group) throws Exception {
        return admin.asked("count what waits in topic " + topic, deadline -> {
            Route route = admin.route(topic, deadline);
            if (!admin.isWholeAt(route)) {
                return OptionalLong.empty();
            }
            long waiting = 0;
            for (MessageQueue queue : route.queues(false)) {
                String master = route.master(queue.getBrokerName());
                if (master != null) {
                    OptionalLong committed = committed(master, queue, group, deadline);
                    long from =
                        committed.isPresent() ? committed.getAsLong() : api.getMinOffset(master, queue, AdminConnection.left(deadline));
                    waiting += Math.max(0, api.getMaxOffset(master, queue, AdminConnection.left(deadline)) - from);
                }
            }
            return OptionalLong.of(waiting);
        });
    }

    private OptionalLong committed(String master, MessageQueue queue, String group, long deadline) throws Exception {
        QueryConsumerOffsetRequestHeader header = new QueryConsumerOffsetRequestHeader();
        header.setTopic(queue.getTopic());
        header.setConsumerGroup(group);
        header.setQueueId(queue.getQueueId());
        header.setBrokerName(queue.getBrokerName());
        header.setSetZeroIfNotFound(false);
        try {
            return OptionalLong.of(api.queryConsumerOffset(master, header, AdminConnection.left(deadline)));
        } catch (OffsetNotFoundException e) {
            return OptionalLong.empty();
        }
    }
}
