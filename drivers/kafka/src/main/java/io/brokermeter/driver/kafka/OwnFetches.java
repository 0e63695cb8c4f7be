package io.brokermeter.driver.kafka;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.brokermeter.driver.kafka.fetch.FetchSink;
import io.brokermeter.driver.kafka.fetch.Fetcher;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a consumer over brokermeter's own path. Kafka's client keeps the place in the group and the positions, and fetches nothing,
 * since all its partitions are paused; before each of its calls that may commit it learns how far the messages were taken. Used by the thread
 * that uses the client.
 */
final class OwnFetches implements BrokerLossWatch.Watched {

    /** The longest time in nanoseconds between two calls of the client's poll, by which a member learns that its group changes. */
    private static final long PACE = TimeUnit.MILLISECONDS.toNanos(100);

    private final KafkaConnection connection;
    private final KafkaConsumer<?, ?> client;
    private final String topic;
    private final Fetcher fetcher;
    /** Where to go on if there is no message at a position: earliest, latest, or anything else for nowhere. */
    private final String reset;
    /** The most messages of a call. */
    private final int most;
    private final List<TopicPartition> partitions = new ArrayList<>();
    private final Set<TopicPartition> assigned = new HashSet<>();
    /** The positions that the client has. */
    private final Map<TopicPartition, Long> known = new HashMap<>();
    private long polled = System.nanoTime();
    /** The interval of commits in nanoseconds, 0 for none. */
    private final long interval;
    private long committed = polled;

    /**
     * Watches the connections of a fetcher until {@link #close}.
     *
     * @param commits whether positions are committed at the client's interval. The client does not do that by itself: before its partitions
     *     are revoked it takes their positions, and lets the caller learn of the revocation at a later poll only.
     */
    OwnFetches(KafkaConnection connection, KafkaConsumer<?, ?> client, String topic, ConsumerConfig config, boolean commits,
            Fetcher fetcher) {
        this.connection = connection;
        this.client = client;
        this.topic = topic;
        this.fetcher = fetcher;
        this.reset = config.getString(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG);
        this.interval =
            commits ? TimeUnit.MILLISECONDS.toNanos(Math.max(1, config.getInt(ConsumerConfig.AUTO_COMMIT_INTERVAL_MS_CONFIG))) : 0;
        this.most = config.getInt(ConsumerConfig.MAX_POLL_RECORDS_CONFIG);
        connection.watch(this);
    }

    /** Creates a client; closes the fetcher if that fails. */
    static KafkaConsumer<ByteBuffer, ByteBuffer> client(Map<String, Object> config, @Nullable Fetcher fetcher) {
        try {
            return new KafkaConsumer<>(config);
        } catch (RuntimeException e) {
            if (fetcher != null) {
                fetcher.close();
            }
            throw e;
        }
    }

    @Override
    public BrokerLossWatch.Change look() {
        return fetcher.takeBack() ? BrokerLossWatch.Change.BROKE
            : fetcher.takeClosed() ? BrokerLossWatch.Change.CLOSED : BrokerLossWatch.Change.NONE;
    }

    // ---- partitions

    /** Fetches partitions that were assigned to the client, from its positions on. */
    void assign(Collection<TopicPartition> added) {
        client.pause(added);
        Map<Integer, Long> positions = new HashMap<>();
        for (TopicPartition each : added) {
            positions.put(each.partition(), beginAt(each));
        }
        assigned.addAll(added);
        fetcher.assign(positions);
    }

    /** Returns where the client begins with a partition. */
    private long beginAt(TopicPartition partition) {
        long position = client.position(partition, connection.settings().timeout());
        known.put(partition, position);
        return position;
    }

    /** Fetches partitions no more. */
    void revoke(Collection<TopicPartition> removed) {
        assigned.removeAll(removed);
        for (TopicPartition each : removed) {
            known.remove(each);
            fetcher.revoke(each.partition());
        }
    }

    /** Returns the offset of the first message that was not delivered, behind the markers that precede it; -1 for a partition that is not fetched. */
    long position(TopicPartition partition) {
        return assigned.contains(partition) ? fetcher.position(partition.partition()) : -1;
    }

    TopicPartition partition(int number) {
        while (partitions.size() <= number) {
            partitions.add(new TopicPartition(topic, partitions.size()));
        }
        return partitions.get(number);
    }

    // ---- messages

    /**
     * Lets the client poll if it is time, and delivers messages of one answer, at most as many as the client gives in one poll.
     *
     * @param deliver whether messages may be delivered
     * @param soon whether the client has something to do
     */
    void receive(Duration limit, boolean deliver, boolean soon, FetchSink sink) {
        if (assigned.isEmpty() || !deliver) {
            poll(limit);
            return;
        }
        if (soon || System.nanoTime() - polled >= PACE) {
            poll(Duration.ZERO);
        }
        int lost = fetcher.receive(Math.min(limit.toNanos(), PACE), most, sink);
        if (lost != Fetcher.NONE) {
            reset(partition(lost));
        }
    }

    private void poll(Duration limit) {
        tellPositions();
        if (!client.poll(limit).isEmpty()) {
            // fetched before a pause; the client is told again where it was
            known.clear();
        }
        polled = System.nanoTime();
        if (interval > 0 && polled - committed >= interval) {
            committed = polled;
            client.commitAsync((_, _) -> {
                // the next commit includes these positions, and the one before the partitions go tells whether it failed
            });
        }
    }

    /** Tells the client how far messages were taken, for its commits. */
    void tellPositions() {
        for (TopicPartition each : assigned) {
            long position = fetcher.position(each.partition());
            Long before = known.put(each, position);
            if (before == null || before != position) {
                client.seek(each, position);
            }
        }
    }

    /** Goes on where the client would if the log does not have the messages at its position. */
    private void reset(TopicPartition partition) {
        switch (reset) {
            case "earliest" -> client.seekToBeginning(List.of(partition));
            case "latest" -> client.seekToEnd(List.of(partition));
            default -> {
                long position = fetcher.position(partition.partition());
                throw new OffsetOutOfRangeException("partition " + partition + " has no message at offset " + position
                    + ", and auto.offset.reset=" + reset + " names no place where brokermeter's own path goes on",
                    Map.of(partition, position));
            }
        }
        fetcher.assign(Map.of(partition.partition(), beginAt(partition)));
    }

    // ---- ends

    /** Ends a wait. Any thread. */
    void wakeUp() {
        client.wakeup();
        fetcher.wakeUp();
    }

    void close() {
        connection.unwatch(this);
        fetcher.close();
    }
}
