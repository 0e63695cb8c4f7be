package io.brokermeter.driver.rocketmq;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.apache.rocketmq.common.MixAll;
import org.apache.rocketmq.common.constant.PermName;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.remoting.protocol.route.BrokerData;
import org.apache.rocketmq.remoting.protocol.route.QueueData;
import org.apache.rocketmq.remoting.protocol.route.TopicRouteData;
import org.jspecify.annotations.Nullable;

/**
 * Where a topic is, as the name server says now.
 *
 * @param data what it said; null when there is no such topic
 */
record Route(String topic, @Nullable TopicRouteData data) {

    /**
     * The queues to send to, or to read from, in order; empty when there is no such topic. As in the client, only a broker
     * with a master is sent to, and one whose slaves alone are left is read from: the name server goes on naming its queues as writable.
     */
    List<MessageQueue> queues(boolean forWriting) {
        List<MessageQueue> queues = new ArrayList<>();
        if (data != null) {
            for (QueueData each : data.getQueueDatas()) {
                boolean usable = forWriting ? PermName.isWriteable(each.getPerm()) && master(each.getBrokerName()) != null
                    : PermName.isReadable(each.getPerm());
                int count = forWriting ? each.getWriteQueueNums() : each.getReadQueueNums();
                for (int id = 0; usable && id < count; id++) {
                    queues.add(new MessageQueue(topic, each.getBrokerName(), id));
                }
            }
            queues.sort(null);
        }
        return queues;
    }

    /** The address of a broker's master; null when it has none now. */
    @Nullable String master(String broker) {
        if (data != null) {
            for (BrokerData each : data.getBrokerDatas()) {
                if (each.getBrokerName().equals(broker)) {
                    return each.getBrokerAddrs().get(MixAll.MASTER_ID);
                }
            }
        }
        return null;
    }

    /** The names of the brokers that have queues of it. */
    Set<String> brokers() {
        Set<String> names = new TreeSet<>();
        if (data != null) {
            data.getQueueDatas().forEach(each -> names.add(each.getBrokerName()));
        }
        return names;
    }
}
