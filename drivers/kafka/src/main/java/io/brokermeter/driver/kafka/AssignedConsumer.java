package io.brokermeter.driver.kafka;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Settlement;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/**
 * A consumer of an unnamed subscription: it reads all partitions, from their ends unless {@code auto.offset.reset} is set, and belongs to
 * no group. Nothing is acknowledged, since such a subscription ends with its consumer.
 */
final class AssignedConsumer extends PollingConsumer {

    private final KafkaConsumer<ByteBuffer, ByteBuffer> client;
    private final List<TopicPartition> partitions = new ArrayList<>();
    /** Whether the listener accepts no more messages; used by the thread that uses the client. */
    private boolean left;

    AssignedConsumer(KafkaConnection connection, String topic, int count, ConsumerSettings how, DeliveryListener listener) {
        var client = new KafkaConsumer<ByteBuffer, ByteBuffer>(connection.settings().clients().loneConsumer());
        super(connection, "topic://" + topic, how, listener, client::wakeup, client::metrics);
        this.client = client;
        for (int p = 0; p < count; p++) {
            partitions.add(new TopicPartition(topic, p));
        }
    }

    @Override
    void open() {
        client.assign(partitions);
        for (TopicPartition partition : partitions) {
            client.position(partition, connection.settings().timeout());
        }
        ready();
    }

    @Override
    void receive(Duration limit) {
        ConsumerRecords<ByteBuffer, ByteBuffer> records = client.poll(limit);
        for (TopicPartition partition : records.partitions()) {
            List<ConsumerRecord<ByteBuffer, ByteBuffer>> list = records.records(partition);
            for (int i = 0; i < list.size(); i++) {
                if (left || deliver(list.get(i), false) == Settlement.LEAVE) {
                    left = true;
                    return;
                }
                if (stopped()) {
                    return;
                }
            }
        }
    }

    @Override
    void acknowledgeTail() {
        // no group would keep the positions
    }

    @Override
    void closeClient(Duration limit) {
        client.close(CloseOptions.timeout(limit));
    }
}
