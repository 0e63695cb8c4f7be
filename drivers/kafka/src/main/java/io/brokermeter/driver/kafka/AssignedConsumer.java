package io.brokermeter.driver.kafka;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.brokermeter.driver.kafka.fetch.FetchSink;
import io.brokermeter.driver.kafka.fetch.Fetcher;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Settlement;
import io.brokermeter.spi.failure.DriverException;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A consumer of an unnamed subscription: it reads all partitions, from their ends unless {@code auto.offset.reset} is set, and belongs to
 * no group. Nothing is acknowledged, since such a subscription ends with its consumer.
 */
final class AssignedConsumer extends PollingConsumer implements FetchSink {

    private final KafkaConsumer<ByteBuffer, ByteBuffer> client;
    /** Brokermeter's own path; null if the client fetches. */
    private final @Nullable OwnFetches own;
    private final List<TopicPartition> partitions = new ArrayList<>();
    /** Whether the listener accepts no more messages; used by the thread that uses the client. */
    private boolean left;

    AssignedConsumer(KafkaConnection connection, String topic, int count, ConsumerSettings how,
            DeliveryListener listener) throws DriverException {
        Map<String, Object> config = connection.settings().clients().loneConsumer();
        ConsumerConfig read = new ConsumerConfig(config);
        Fetcher fetcher = connection.fetcher(topic, read);
        KafkaConsumer<ByteBuffer, ByteBuffer> client = OwnFetches.client(config, fetcher);
        OwnFetches own = fetcher == null ? null : new OwnFetches(connection, client, topic, read, false, fetcher);
        super(connection, "topic://" + topic, how, listener, own == null ? client::wakeup : own::wakeUp, client::metrics);
        this.client = client;
        this.own = own;
        for (int p = 0; p < count; p++) {
            partitions.add(new TopicPartition(topic, p));
        }
    }

    @Override
    void open() {
        client.assign(partitions);
        if (own != null) {
            own.assign(partitions);
        } else {
            for (TopicPartition partition : partitions) {
                client.position(partition, connection.settings().timeout());
            }
        }
        ready();
    }

    @Override
    void receive(Duration limit) {
        if (own != null) {
            own.receive(limit, !left && mayDeliver(), false, this);
            return;
        }
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
    public boolean take(int partition, long offset, ByteBuffer body, @Nullable ByteBuffer envelope) {
        left = left || stopped() || deliver(envelope, body, false) == Settlement.LEAVE;
        return !left;
    }

    @Override
    public void taken(int partition, long next, int count) {
        // no group would keep the position
    }

    @Override
    void acknowledgeTail() {
        // no group would keep the positions
    }

    @Override
    void closeClient(Duration limit) {
        if (own != null) {
            own.close();
        }
        client.close(CloseOptions.timeout(limit));
    }
}
