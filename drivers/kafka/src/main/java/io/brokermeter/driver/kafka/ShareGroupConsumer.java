package io.brokermeter.driver.kafka;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Settlement;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Failure;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.ShareMemberDescription;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.TopicPartition;

/**
 * A consumer that is a member of a share group: each message goes to one member, whatever its partition, and is acknowledged individually.
 * Acknowledgements are sent with the next fetch, or once per batch if a batch size is given.
 */
final class ShareGroupConsumer extends PollingConsumer {

    private final String topic;
    private final String group;
    private final int batch;
    private final KafkaShareConsumer<ByteBuffer, ByteBuffer> client;
    /** The client id known to the group; unique in this process. */
    private final String clientId;
    private final Set<String> membersBefore;

    // Used by the consumer's thread only.
    private int unacknowledged;
    /** Whether the listener accepts no more messages. */
    private boolean left;
    private boolean toldRefusal;

    ShareGroupConsumer(KafkaConnection connection, String topic, String group, ConsumerSettings how,
            DeliveryListener listener) throws DriverException {
        this.membersBefore = connection.brokers().shareMembers(group).stream().map(ShareMemberDescription::consumerId)
            .collect(Collectors.toSet());
        Map<String, Object> config = connection.settings().clients().shareConsumer(group);
        if (how.mayBlock()) {
            connection.settings().clients().limitPolls(config);
        }
        this.clientId = String.valueOf(config.get(CommonClientConfigs.CLIENT_ID_CONFIG));
        var client = new KafkaShareConsumer<ByteBuffer, ByteBuffer>(config);
        super(connection, "queue://" + topic, how, listener, client::wakeup, client::metrics);
        this.topic = topic;
        this.group = group;
        this.batch = batch(how);
        this.client = client;
    }

    @Override
    void open() {
        client.setAcknowledgementCommitCallback((offsets, refusal) -> {
            if (refusal != null) {
                offsets.keySet().forEach(partition -> refused(partition.topicPartition(), refusal));
            }
        });
        client.subscribe(List.of(topic));
    }

    /** Asks the broker whether this consumer has a place in its group, since the client does not report that. */
    @Override
    boolean awaitPlace(CountDownLatch place, Duration limit) throws DriverException, InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!hasPlace()) {
            if (System.nanoTime() >= deadline) {
                return false;
            }
            if (place.await(20, TimeUnit.MILLISECONDS)) {
                // it failed, or was closed
                return true;
            }
        }
        ready();
        return true;
    }

    /**
     * Returns whether the broker lists this consumer with an assignment. Members that were there before do not count, since another process
     * may use the same client id.
     */
    private boolean hasPlace() throws DriverException {
        return connection.brokers().shareMembers(group).stream().anyMatch(member -> member.clientId().equals(clientId)
            && !membersBefore.contains(member.consumerId()) && !member.assignment().topicPartitions().isEmpty());
    }

    @Override
    void receive(Duration limit) {
        if (left) {
            // The client returns no more records before these are settled, which closing does.
            LockSupport.parkNanos(limit.toNanos());
            return;
        }
        for (ConsumerRecord<ByteBuffer, ByteBuffer> record : client.poll(limit)) {
            if (stopped()) {
                // Closing gives back the messages that are not acknowledged.
                return;
            }
            Settlement settlement = deliver(record, record.deliveryCount().orElse((short) 1) > 1);
            if (settlement == Settlement.LEAVE) {
                left = true;
                return;
            }
            client.acknowledge(record, switch (settlement) {
                case ACCEPT, LEAVE -> AcknowledgeType.ACCEPT;
                case REQUEUE -> AcknowledgeType.RELEASE;
                case REJECT -> AcknowledgeType.REJECT;
            });
            if (batch > 0 && ++unacknowledged >= batch) {
                unacknowledged = 0;
                client.commitAsync();
            }
        }
    }

    @Override
    void acknowledgeTail() {
        client.commitSync(connection.closeLimit())
            .forEach((partition, refusal) -> refusal.ifPresent(cause -> refused(partition.topicPartition(), cause)));
    }

    /** Reports an acknowledgement that the broker refused: it delivers those messages again. */
    private void refused(TopicPartition partition, Exception cause) {
        if (!toldRefusal) {
            toldRefusal = true;
            tell(new DriverException("The broker did not take an acknowledgement of messages from " + partition + ": "
                + Failure.words(cause) + ".", cause));
        }
    }

    @Override
    void closeClient(Duration limit) {
        client.close(limit);
    }
}
