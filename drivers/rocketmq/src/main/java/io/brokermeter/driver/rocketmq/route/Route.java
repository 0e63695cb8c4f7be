package io.brokermeter.driver.rocketmq.route;

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
 * The brokers and queues of a topic, as the name server reports them at present.
 *
 * @param data the name server's answer; null if the topic does not exist
 */
public record Route(String topic, @Nullable TopicRouteData data) {

    /**
     * Returns the queues to send to, or to read from, in order; empty if the topic does not exist. As in the client, messages are sent only
     * to a broker with a master, and read also from a broker that has only slaves: the name server continues to list such a broker's queues
     * as writable.
     */
    public List<MessageQueue> queues(boolean forWriting) {
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

    /** Returns the address of a broker's master; null if it has none at present. */
    public @Nullable String master(String broker) {
        if (data != null) {
            for (BrokerData each : data.getBrokerDatas()) {
                if (each.getBrokerName().equals(broker)) {
                    return each.getBrokerAddrs().get(MixAll.MASTER_ID);
                }
            }
        }
        return null;
    }

    /** Returns the names of the brokers that have queues of the topic. */
    public Set<String> brokers() {
        Set<String> names = new TreeSet<>();
        if (data != null) {
            data.getQueueDatas().forEach(each -> names.add(each.getBrokerName()));
        }
        return names;
    }
}
