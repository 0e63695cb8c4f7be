package io.brokermeter.driver.kafka;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.DriverException;
import io.brokermeter.spi.Settlement;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;

/**
 * A member of a consumer group. Without a batch the client commits its positions by itself, as
 * {@code auto.commit.interval.ms} says; with one, this does each time that number of messages is delivered.
 */
final class GroupConsumer extends PollingConsumer implements ConsumerRebalanceListener {

    /** Commits on their way at a time; then the next one waits for its answer. */
    private static final int MOST_COMMITS = 100;

    private final String topic;
    private final String group;
    private final int batch;
    private final boolean fromEnd;
    private final boolean removeGroup;
    private final KafkaConsumer<ByteBuffer, ByteBuffer> client;

    // The consumer's thread only.
    private Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
    /** The positions that the broker has, or was last sent. */
    private final Map<TopicPartition, Long> known = new HashMap<>();
    /** Whether a part of what the client gave out was not delivered, so that its positions are ahead. */
    private boolean ahead;
    private int unacknowledged;
    private boolean received;
    private int commits;
    private boolean paused;
    /** Whether the listener takes no more: the positions stay where it stopped. */
    private boolean left;
    private volatile boolean placed;
    private final AtomicBoolean toldNoPartition = new AtomicBoolean();

    private GroupConsumer(KafkaConnection connection, String what, String topic, String group, ConsumerSettings how,
            boolean fromEnd, boolean removeGroup, DeliveryListener listener) {
        var client = new KafkaConsumer<ByteBuffer, ByteBuffer>(connection.settings().groupConsumer(group, batch(how) == 0, fromEnd));
        super(connection, what, how, listener, client::wakeup, client::metrics);
        this.topic = topic;
        this.group = group;
        this.batch = batch(how);
        this.fromEnd = fromEnd;
        this.removeGroup = removeGroup;
        this.client = client;
    }

    static GroupConsumer ofQueue(
            KafkaConnection connection, String topic, String group, ConsumerSettings how, DeliveryListener listener) {
        return new GroupConsumer(connection, "queue://" + topic, topic, group, how, false, false, listener);
    }

    /** The last consumer of a subscription that is not durable takes the group with it. */
    static GroupConsumer ofSubscription(
            KafkaConnection connection, String topic, String group, ConsumerSettings how, DeliveryListener listener) {
        return new GroupConsumer(connection, "topic://" + topic, topic, group, how, true, !how.durable(), listener);
    }

    @Override
    void open() {
        client.subscribe(List.of(topic), this);
    }

    // ---- the group's changes, within poll and close of the client

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        if (!partitions.isEmpty() && !stopped()) {
            Duration limit = connection.settings().timeout();
            if (fromEnd) {
                beginSubscription(new HashSet<>(partitions), limit);
            } else {
                for (TopicPartition partition : partitions) {
                    known.put(partition, client.position(partition, limit));
                }
            }
        }
        if (needsPolling() && !isAsked()) {
            client.pause(partitions);
            paused = true;
        }
        if (!partitions.isEmpty()) {
            ready();
        } else if (client.assignment().isEmpty() && connection.settings().placesAtOnce()) {
            noticeNoPartition();
            ready();
        }
        placed = true;
    }

    /** Says so once. A member that joins later may take the partitions of an earlier one. */
    private void noticeNoPartition() {
        if (!toldNoPartition.compareAndSet(false, true)) {
            return;
        }
        connection.listener().notice("A consumer of " + topic + " has no partition, since group " + group
            + " has more members than the topic has partitions; give more by the parameter partitions when it is created.");
    }

    /**
     * The subscription begins here, at the ends unless {@code auto.offset.reset} says something else, for whoever takes these partitions
     * over, so where it does is committed at once.
     */
    private void beginSubscription(Set<TopicPartition> partitions, Duration limit) {
        client.committed(partitions, limit).forEach((partition, position) -> {
            if (position != null) {
                known.put(partition, position.offset());
                partitions.remove(partition);
            }
        });
        if (partitions.isEmpty()) {
            return;
        }
        Map<TopicPartition, OffsetAndMetadata> begins = new HashMap<>();
        for (TopicPartition partition : partitions) {
            begins.put(partition, new OffsetAndMetadata(client.position(partition, limit)));
        }
        client.commitSync(begins, limit);
        note(begins);
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        if (batch > 0 && connection.lost() == null) {
            commitNow(connection.closeLimit());
        }
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        positions.keySet().removeAll(partitions);
        known.keySet().removeAll(partitions);
    }

    /** A group with more members than partitions leaves some of them without. */
    @Override
    boolean awaitPlace(CountDownLatch place, Duration limit) throws DriverException, InterruptedException {
        if (super.awaitPlace(place, limit)) {
            return true;
        }
        if (!placed) {
            GroupState state = connection.brokers().state(group);
            if (state != GroupState.STABLE) {
                throw noPlace(limit, " (" + state + ")");
            }
        }
        noticeNoPartition();
        // It is one that the group goes on without: from now on a failure is the listener's, and the client that of whoever polls.
        ready();
        return true;
    }

    // ---- messages

    @Override
    void receive(Duration limit) {
        if (left) {
            client.pause(client.assignment());
        } else if (paused && isAsked()) {
            paused = false;
            client.resume(client.assignment());
        }
        ConsumerRecords<ByteBuffer, ByteBuffer> records = client.poll(limit);
        ahead = !records.isEmpty();
        for (TopicPartition partition : records.partitions()) {
            List<ConsumerRecord<ByteBuffer, ByteBuffer>> list = records.records(partition);
            int done = stopped() || left ? 0 : deliver(partition, list);
            received |= done > 0;
            if (done < list.size()) {
                // What was fetched and not delivered is for the next one: the position says how far this one came.
                client.seek(partition, list.get(done).offset());
            }
            if (batch > 0 && done > 0) {
                positions.put(partition, behind(partition, list, done - 1));
            }
        }
        ahead = false;
    }

    /** The position behind a message, and behind the ends of transactions that follow the last one: the broker counts them, too. */
    private OffsetAndMetadata behind(TopicPartition partition, List<ConsumerRecord<ByteBuffer, ByteBuffer>> list, int index) {
        long position = list.get(index).offset() + 1;
        return new OffsetAndMetadata(index == list.size() - 1 ? Math.max(position, position(partition)) : position);
    }

    /** The client's position, which asks nobody; -1 where it has none at this moment, or not any more. */
    private long position(TopicPartition partition) {
        try {
            return client.position(partition, Duration.ZERO);
        } catch (TimeoutException | WakeupException | IllegalStateException e) {
            return -1;
        }
    }

    /** @return how many were delivered and taken: all, unless the consumer was stopped meanwhile or its listener takes no more */
    private int deliver(TopicPartition partition, List<ConsumerRecord<ByteBuffer, ByteBuffer>> list) {
        int count = list.size();
        for (int i = 0; i < count; i++) {
            ConsumerRecord<ByteBuffer, ByteBuffer> record = list.get(i);
            if (deliver(record, false) == Settlement.LEAVE) {
                left = true;
                return i;
            }
            if (batch > 0 && ++unacknowledged >= batch) {
                positions.put(partition, behind(partition, list, i));
                commit();
            }
            if (stopped()) {
                return i + 1;
            }
        }
        return count;
    }

    /** A member that does not ask loses its place when another one comes. What was fetched stays with the client. */
    @Override
    void keepPlace() {
        client.pause(client.assignment());
        paused = true;
        receive(Duration.ZERO);
    }

    private void commit() {
        if (commits >= MOST_COMMITS) {
            commitNow(connection.settings().timeout());
            return;
        }
        commits++;
        unacknowledged = 0;
        Map<TopicPartition, OffsetAndMetadata> mine = positions;
        positions = new HashMap<>();
        note(mine);
        client.commitAsync(mine, (offsets, failure) -> {
            commits--;
            if (failure instanceof AuthorizationException) {
                fail(failure);
            } else if (failure != null) {
                // The next commit is for these, too; a rebalance gives their messages to another member.
                Set<TopicPartition> own = client.assignment();
                offsets.forEach((partition, position) -> {
                    OffsetAndMetadata newer = positions.get(partition);
                    if (own.contains(partition) && (newer == null || newer.offset() < position.offset())) {
                        positions.put(partition, position);
                    }
                });
            }
        });
    }

    private void commitNow(Duration limit) {
        unacknowledged = 0;
        if (!positions.isEmpty()) {
            Map<TopicPartition, OffsetAndMetadata> mine = positions;
            positions = new HashMap<>();
            try {
                client.commitSync(mine, limit);
                note(mine);
            } catch (WakeupException e) {
                // whoever goes on after it commits them again
                mine.forEach((partition, position) -> positions.merge(partition, position,
                    (one, other) -> one.offset() > other.offset() ? one : other));
                throw e;
            }
        }
    }

    private void note(Map<TopicPartition, OffsetAndMetadata> sent) {
        sent.forEach((partition, position) -> known.put(partition, position.offset()));
    }

    /** Nothing but ends of transactions, and what was rolled back, may have come since the last message. */
    private void passWhatIsNoMessage() {
        for (TopicPartition partition : ahead ? Set.<TopicPartition>of() : client.assignment()) {
            long position = position(partition);
            OffsetAndMetadata delivered = positions.get(partition);
            if (position > (delivered == null ? known.getOrDefault(partition, -1L) : delivered.offset())) {
                positions.put(partition, new OffsetAndMetadata(position));
            }
        }
    }

    @Override
    void acknowledgeTail() {
        if (batch > 0) {
            passWhatIsNoMessage();
            if (commits > 0) {
                // waits for the answers to those on their way
                client.commitSync(Map.of(), connection.closeLimit());
            }
            commitNow(connection.closeLimit());
        } else if (received) {
            commitByHand();
        }
    }

    /** The client would do it as it closes, and tell nobody when that fails. */
    private void commitByHand() {
        try {
            client.commitSync(connection.closeLimit());
        } catch (RebalanceInProgressException e) {
            // a member that joins or leaves at this moment; the client commits once more as it closes
        }
    }

    @Override
    void closeClient(Duration limit) {
        long begin = System.nanoTime();
        client.close(CloseOptions.timeout(limit));
        if (removeGroup && connection.lost() == null && !connection.isSlow()) {
            connection.brokers().deleteEmptyGroup(group, limit.minusNanos(System.nanoTime() - begin));
        }
    }
}
