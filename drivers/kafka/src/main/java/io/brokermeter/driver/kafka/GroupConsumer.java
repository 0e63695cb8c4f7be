package io.brokermeter.driver.kafka;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

import io.brokermeter.driver.kafka.fetch.FetchSink;
import io.brokermeter.driver.kafka.fetch.Fetcher;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Settlement;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Failure;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * A consumer that is a member of a consumer group. Without a batch size the client commits its positions by itself, at the interval
 * {@code auto.commit.interval.ms}; with one, this class commits each time that number of messages has been delivered.
 * Before its partitions go it commits by itself either way: a failure is the consumer's, unless the group has gone on without it.
 */
final class GroupConsumer extends PollingConsumer implements ConsumerRebalanceListener, FetchSink {

    /** The most commits in flight; the next commit waits for its answer. */
    private static final int MOST_COMMITS = 100;

    private final String topic;
    private final String group;
    private final int batch;
    private final boolean fromEnd;
    private final boolean removeGroup;
    private final KafkaConsumer<ByteBuffer, ByteBuffer> client;
    /** Brokermeter's own path; null if the client fetches. */
    private final @Nullable OwnFetches own;

    // Used by the consumer's thread only.
    private Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
    /** The positions that the broker has, or that were last sent to it. */
    private final Map<TopicPartition, Long> known = new HashMap<>();
    /** Whether a part of the records that the client returned was not delivered, so that the client's positions are ahead. */
    private boolean ahead;
    private int unacknowledged;
    private boolean received;
    private int commits;
    private boolean paused;
    /** Whether the listener accepts no more messages; the positions stay where it stopped. */
    private boolean left;
    private volatile boolean placed;
    private final GroupPlace groupPlace;

    private GroupConsumer(KafkaConnection connection, String what, String topic, String group, ConsumerSettings how,
            boolean fromEnd, boolean removeGroup, DeliveryListener listener) throws DriverException {
        Map<String, Object> config = connection.settings().clients().groupConsumer(group, fromEnd);
        if (how.mayBlock()) {
            connection.settings().clients().limitPolls(config);
        }
        ConsumerConfig read = new ConsumerConfig(config);
        Fetcher fetcher = connection.fetcher(topic, read);
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, batch(how) == 0 && fetcher == null);
        KafkaConsumer<ByteBuffer, ByteBuffer> client = OwnFetches.client(config, fetcher);
        OwnFetches own = fetcher == null ? null : new OwnFetches(connection, client, topic, read, batch(how) == 0, fetcher);
        super(connection, what, how, listener, own == null ? client::wakeup : own::wakeUp, client::metrics);
        this.topic = topic;
        this.group = group;
        this.batch = batch(how);
        this.fromEnd = fromEnd;
        this.removeGroup = removeGroup;
        this.client = client;
        this.own = own;
        this.groupPlace = new GroupPlace(connection.listener(), topic, group, client);
    }

    static GroupConsumer ofQueue(KafkaConnection connection, String topic, String group, ConsumerSettings how,
            DeliveryListener listener) throws DriverException {
        return new GroupConsumer(connection, "queue://" + topic, topic, group, how, false, false, listener);
    }

    /** Creates a consumer of a named subscription. If the subscription is not durable, its last consumer deletes the group. */
    static GroupConsumer ofSubscription(KafkaConnection connection, String topic, String group, ConsumerSettings how,
            DeliveryListener listener) throws DriverException {
        return new GroupConsumer(connection, "topic://" + topic, topic, group, how, true, !how.durable(), listener);
    }

    @Override
    void open() {
        client.subscribe(List.of(topic), this);
    }

    // ---- changes of the group, within poll and close of the client

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        if (!partitions.isEmpty() && !stopped()) {
            Duration limit = connection.settings().timeout();
            if (fromEnd) {
                note(groupPlace.begin(partitions, limit));
            } else {
                for (TopicPartition partition : partitions) {
                    known.put(partition, client.position(partition, limit));
                }
            }
        }
        if (own != null) {
            fetch(own, partitions);
        } else if (needsPolling() && !isAsked()) {
            client.pause(partitions);
            paused = true;
        }
        if (!partitions.isEmpty()) {
            ready();
        } else if (client.assignment().isEmpty() && connection.settings().placesAtOnce()) {
            groupPlace.noPartition();
            ready();
        }
        placed = true;
    }

    private void fetch(OwnFetches over, Collection<TopicPartition> partitions) {
        if (stopped()) {
            client.pause(partitions);
        } else if (!partitions.isEmpty()) {
            over.assign(partitions);
        }
    }

    /** Commits while the partitions are still those of this member; the client would hide a failure, or word it as one of this method. */
    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        if (!hasFailed() && connection.lost() == null) {
            try {
                commitRest();
            } catch (RebalanceInProgressException | CommitFailedException e) {
                groupPlace.goneOn();
            } catch (KafkaException e) {
                if (stopped()) {
                    notAcknowledged(e);
                } else {
                    fail(new DriverException("the commit before its partitions went to other members failed: " + Failure.words(e), e));
                }
            }
        }
        revoke(partitions);
    }

    private void revoke(Collection<TopicPartition> partitions) {
        if (own != null) {
            own.revoke(partitions);
        }
        positions.keySet().removeAll(partitions);
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        if (received || !positions.isEmpty()) {
            groupPlace.goneOn();
        }
        received = false;
        revoke(partitions);
        known.keySet().removeAll(partitions);
    }

    /**
     * {@inheritDoc}
     *
     * <p>Returns true also for a member that stays without a partition, since the group has more members than the topic has partitions.
     */
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
        groupPlace.noPartition();
        // The group is complete without a partition for this member: from now on failures go to the listener, and a polled client is used
        // by the polling thread.
        ready();
        return true;
    }

    // ---- messages

    @Override
    void receive(Duration limit) {
        if (left) {
            leave();
            LockSupport.parkNanos(limit.toNanos());
            return;
        }
        if (own != null) {
            own.receive(limit, mayDeliver(), commits > 0, this);
            return;
        }
        if (paused && isAsked()) {
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
                // Records that were fetched and not delivered are left to the next member: the position shows how far this one came.
                client.seek(partition, list.get(done).offset());
            }
            if (batch > 0 && done > 0) {
                positions.put(partition, behind(partition, list, done - 1));
            }
        }
        ahead = false;
    }

    /**
     * Leaves the group after the messages that were accepted are acknowledged, so that other members get the partitions: a member that takes
     * nothing more would keep their messages from the others until it is closed.
     */
    private void leave() {
        if (client.subscription().isEmpty()) {
            return;
        }
        acknowledgeTail();
        client.unsubscribe();
    }

    @Override
    public boolean take(int partition, long offset, ByteBuffer body, @Nullable ByteBuffer envelope) {
        if (left || stopped()) {
            return false;
        }
        left = deliver(envelope, body, false) == Settlement.LEAVE;
        if (!left && batch > 0 && ++unacknowledged >= batch) {
            positions.put(fetches().partition(partition), new OffsetAndMetadata(offset + 1));
            commit();
        }
        return !left;
    }

    @Override
    public void taken(int partition, long next, int count) {
        received |= count > 0;
        if (batch > 0 && count > 0) {
            positions.put(fetches().partition(partition), new OffsetAndMetadata(next));
        }
    }

    private OwnFetches fetches() {
        return Objects.requireNonNull(own);
    }

    /**
     * Returns the position behind a message; behind the last one also behind the transaction markers that follow, which the broker counts
     * as well.
     */
    private OffsetAndMetadata behind(TopicPartition partition, List<ConsumerRecord<ByteBuffer, ByteBuffer>> list, int index) {
        long position = list.get(index).offset() + 1;
        return new OffsetAndMetadata(index == list.size() - 1 ? Math.max(position, position(partition)) : position);
    }

    /** Returns the client's position without a request to the broker; -1 if the client has none at this moment. */
    private long position(TopicPartition partition) {
        if (own != null) {
            return own.position(partition);
        }
        try {
            return client.position(partition, Duration.ZERO);
        } catch (TimeoutException | WakeupException | IllegalStateException e) {
            return -1;
        }
    }

    /**
     * @return number of messages that were delivered and accepted: all, unless the consumer was stopped meanwhile or its listener accepts
     *     no more
     */
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

    /**
     * Calls poll while nobody polls this consumer, since a member that does not poll loses its place when another one joins. Records that
     * are already fetched stay with the client.
     */
    @Override
    void keepPlace() {
        if (own != null) {
            receive(Duration.ZERO);
            return;
        }
        client.pause(client.assignment());
        paused = true;
        receive(Duration.ZERO);
    }

    private void commit() {
        if (commits >= MOST_COMMITS) {
            try {
                commitNow(connection.settings().timeout());
            } catch (RebalanceInProgressException | CommitFailedException e) {
                // as where one in flight fails: the next commit includes these positions
            }
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
                // The next commit includes these positions; after a rebalance another member gets their messages.
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
            } catch (RuntimeException e) {
                // whoever continues after a wake-up or a change of the group commits them again
                mine.forEach((partition, position) -> positions.merge(partition, position,
                    (one, other) -> one.offset() > other.offset() ? one : other));
                throw e;
            }
        }
    }

    private void note(Map<TopicPartition, OffsetAndMetadata> sent) {
        sent.forEach((partition, position) -> known.put(partition, position.offset()));
    }

    /** Moves the positions over transaction markers and aborted messages behind the last delivered message. */
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
                // waits for the answers to the commits in flight
                client.commitSync(Map.of(), connection.closeLimit());
            }
        }
        try {
            commitRest();
        } catch (RebalanceInProgressException | CommitFailedException e) {
            // the group is changing: the last try is when it takes the partitions away, or it has done that
        }
    }

    /** Commits what is not committed; the client would do that when it closes, but reports no failure then. */
    private void commitRest() {
        try {
            commitRest(connection.closeLimit());
        } catch (WakeupException e) {
            // it was for a wait that is over
            commitRest(connection.closeLimit());
        }
    }

    private void commitRest(Duration limit) {
        if (batch > 0) {
            commitNow(limit);
        } else if (received) {
            if (own != null) {
                own.tellPositions();
            }
            client.commitSync(limit);
            received = false;
        }
    }

    @Override
    void closeClient(Duration limit) {
        long begin = System.nanoTime();
        if (own != null) {
            own.close();
        }
        client.close(CloseOptions.timeout(limit));
        if (removeGroup && connection.lost() == null && !connection.isSlow()) {
            connection.brokers().deleteEmptyGroup(group, limit.minusNanos(System.nanoTime() - begin));
        }
    }
}
