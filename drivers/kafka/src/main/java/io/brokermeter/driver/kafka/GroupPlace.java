package io.brokermeter.driver.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

import io.brokermeter.spi.ConnectionListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** The place of a consumer in its group: what the user is told of it, each once, and where a subscription begins. */
final class GroupPlace {

    private final ConnectionListener listener;
    private final String topic;
    private final String group;
    private final KafkaConsumer<?, ?> client;
    private final AtomicBoolean toldNoPartition = new AtomicBoolean();
    private final AtomicBoolean toldGoneOn = new AtomicBoolean();

    GroupPlace(ConnectionListener listener, String topic, String group, KafkaConsumer<?, ?> client) {
        this.listener = listener;
        this.topic = topic;
        this.group = group;
        this.client = client;
    }

    /** Tells that this member has no partition. A member that joins later may take the partitions of an earlier one. Any thread. */
    void noPartition() {
        if (toldNoPartition.compareAndSet(false, true)) {
            listener.notice("A consumer of " + topic + " has no partition, since group " + group
                + " has more members than the topic has partitions; give more by the parameter partitions when it is created.");
        }
    }

    /** Tells that the group gave this member's partitions away before it had committed. */
    void goneOn() {
        if (toldGoneOn.compareAndSet(false, true)) {
            listener
                .notice("Group " + group + " went on without a consumer of " + topic + " before that had committed what it received last,"
                    + " which may therefore come again.");
        }
    }

    /**
     * Commits the positions at which a subscription begins, for those partitions that have none: their ends, unless
     * {@code auto.offset.reset} is set. They are committed at once, so that they hold for any member that takes these partitions over.
     *
     * @return the positions that the broker has
     */
    Map<TopicPartition, OffsetAndMetadata> begin(Collection<TopicPartition> partitions, Duration limit) {
        Map<TopicPartition, OffsetAndMetadata> all = new HashMap<>();
        Map<TopicPartition, OffsetAndMetadata> begins = new HashMap<>();
        client.committed(new HashSet<>(partitions), limit).forEach((partition, position) -> {
            OffsetAndMetadata begin = position != null ? position : new OffsetAndMetadata(client.position(partition, limit));
            (position != null ? all : begins).put(partition, begin);
        });
        if (!begins.isEmpty()) {
            client.commitSync(begins, limit);
        }
        all.putAll(begins);
        return all;
    }
}
