package io.brokermeter.driver.kafka.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.brokermeter.contract.Await;
import io.brokermeter.driver.kafka.link.LinkSettings;
import io.brokermeter.driver.tls.TlsNames;
import io.brokermeter.spi.ConnectionSettings;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.serialization.ByteBufferDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the own path fetches, and what it makes of ends of connections, moved leaders, refusals and other assignments. */
class FetcherTest {

    private static final long LIMIT = TimeUnit.SECONDS.toNanos(20);
    private static final int ALL = 1_000_000;

    private final List<AutoCloseable> open = Collections.synchronizedList(new ArrayList<>());
    private final Taken taken = new Taken();

    @AfterEach
    void close() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    /** Keeps what was taken, by partition, with the offsets. */
    private static final class Taken implements FetchSink {

        private final Map<Integer, List<String>> texts = new TreeMap<>();
        private final Map<Integer, Long> next = new HashMap<>();
        private int refused = -1;
        private int count;

        @Override
        public boolean take(int partition, long offset, ByteBuffer body, @Nullable ByteBuffer envelope) {
            if (refused == count) {
                return false;
            }
            count++;
            texts.computeIfAbsent(partition, _ -> new ArrayList<>()).add(offset + ":" + StandardCharsets.UTF_8.decode(body.duplicate()));
            return true;
        }

        @Override
        public void taken(int partition, long behind, int taken) {
            next.put(partition, behind);
        }

        List<String> of(int partition) {
            return texts.getOrDefault(partition, List.of());
        }
    }

    private static final ConnectionSettings SETTINGS =
        new ConnectionSettings("kafka://h", null, null, null, Duration.ofSeconds(30));

    private FakeTopic topic(int partitions, int brokers) throws Exception {
        FakeTopic topic = new FakeTopic(partitions, brokers);
        open.add(topic);
        return topic;
    }

    private Fetcher fetcher(FakeTopic topic, int partitions, String... settings) throws Exception {
        Map<String, Object> config = new HashMap<>(Map.of("bootstrap.servers", "localhost:1", "client.id", "test", "retry.backoff.ms", "10",
            "isolation.level", "read_committed", "key.deserializer", ByteBufferDeserializer.class, "value.deserializer",
            ByteBufferDeserializer.class));
        for (int i = 0; i < settings.length; i += 2) {
            config.put(settings[i], settings[i + 1]);
        }
        var read = new ConsumerConfig(config);
        var how = FetchSettings.of(read, LinkSettings.of(read, SETTINGS, Optional.empty(), TlsNames.OWN));
        Fetcher fetcher = Fetcher.open(topic, how, "T", partitions);
        open.add(fetcher::close);
        return fetcher;
    }

    private static void assign(Fetcher fetcher, int partitions) {
        Map<Integer, Long> positions = new HashMap<>();
        for (int i = 0; i < partitions; i++) {
            positions.put(i, 0L);
        }
        fetcher.assign(positions);
    }

    private void receive(Fetcher fetcher, int count) throws Exception {
        Await.until(() -> {
            assertThat(fetcher.receive(LIMIT / 100, ALL, taken)).isEqualTo(Fetcher.NONE);
            return taken.count >= count;
        }, () -> "has " + taken.texts);
    }

    private static List<String> numbered(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> i + ":m" + i).toList();
    }

    /** Adds messages named after their offsets, in batches of several sizes. */
    private static void fill(FakeTopic topic, int partition, int from, int to) {
        int at = from;
        for (int size = 1; at < to; size = size % 7 + 1) {
            int end = Math.min(to, at + size);
            topic.add(partition, IntStream.range(at, end).mapToObj(i -> "m" + i).toArray(String[]::new));
            at = end;
        }
    }

    @Test
    void fetchesAllPartitionsFromTheirPositionsOn() throws Exception {
        var topic = topic(4, 2);
        for (int i = 0; i < 4; i++) {
            fill(topic, i, 0, 100);
        }
        var fetcher = fetcher(topic, 4);
        fetcher.assign(Map.of(0, 0L, 1, 50L, 2, 99L, 3, 100L));
        receive(fetcher, 151);
        fill(topic, 3, 100, 120);
        receive(fetcher, 171);
        assertThat(taken.of(0)).isEqualTo(numbered(0, 100));
        assertThat(taken.of(1)).isEqualTo(numbered(50, 100));
        assertThat(taken.of(2)).isEqualTo(numbered(99, 100));
        assertThat(taken.of(3)).isEqualTo(numbered(100, 120));
        assertThat(taken.next).isEqualTo(Map.of(0, 100L, 1, 100L, 2, 100L, 3, 120L));
        assertThat(topic.trouble).isEmpty();
        assertThat(topic.questions.getFirst()).satisfies(asked -> {
            assertThat(asked.maxWaitMs()).isEqualTo(500);
            assertThat(asked.minBytes()).isEqualTo(1);
            assertThat(asked.maxBytes()).isEqualTo(50 << 20);
            assertThat(asked.isolationLevel()).isEqualTo((byte) 1);
            assertThat(asked.topics().getFirst().topic()).isEqualTo("T");
            assertThat(asked.topics().getFirst().partitions()).allMatch(each -> each.partitionMaxBytes() == 1 << 20);
        });
    }

    @Test
    void givesAtMostAsManyMessagesAsAskedFor() throws Exception {
        var topic = topic(1, 1);
        fill(topic, 0, 0, 100);
        var fetcher = fetcher(topic, 1);
        assign(fetcher, 1);
        for (int expected = 7; expected < 100; expected += 7) {
            int now = expected;
            Await.until(() -> {
                fetcher.receive(LIMIT / 100, 7, taken);
                return taken.count == now;
            }, () -> "has " + taken.count + " in place of " + now);
            assertThat(fetcher.position(0)).isEqualTo(now);
        }
        receive(fetcher, 100);
        assertThat(taken.of(0)).isEqualTo(numbered(0, 100));
    }

    /** Small answers, every third of which does not come. */
    @Test
    void losesAndRepeatsNothingWhenConnectionsEnd() throws Exception {
        var topic = topic(3, 2);
        topic.script = (_, question) -> question % 3 == 1;
        for (int i = 0; i < 3; i++) {
            fill(topic, i, 0, 200);
        }
        var fetcher = fetcher(topic, 3, "max.partition.fetch.bytes", "700");
        assign(fetcher, 3);
        receive(fetcher, 600);
        for (int i = 0; i < 3; i++) {
            assertThat(taken.of(i)).isEqualTo(numbered(0, 200));
        }
    }

    @Test
    void followsLeadersThatMove() throws Exception {
        var topic = topic(2, 3);
        var fetcher = fetcher(topic, 2, "max.partition.fetch.bytes", "700");
        assign(fetcher, 2);
        for (int round = 0; round < 12; round++) {
            fill(topic, 0, 20 * round, 20 * round + 20);
            fill(topic, 1, 20 * round, 20 * round + 20);
            topic.lead(0, round % 3);
            if (round % 4 == 3) {
                topic.cut(round % 3);
            }
            receive(fetcher, 40 * (round + 1));
        }
        assertThat(taken.of(0)).isEqualTo(numbered(0, 240));
        assertThat(taken.of(1)).isEqualTo(numbered(0, 240));
        assertThat(topic.trouble).isEmpty();
    }

    /** Answers to older questions arrive or wait when a partition is assigned anew. */
    @Test
    void dropsWhatWasFetchedForAnEarlierAssignment() throws Exception {
        var topic = topic(2, 1);
        fill(topic, 0, 0, 300);
        fill(topic, 1, 0, 300);
        var fetcher = fetcher(topic, 2, "max.partition.fetch.bytes", "700");
        assign(fetcher, 2);
        Await.until(() -> {
            fetcher.receive(LIMIT / 100, 5, taken);
            return taken.of(0).size() > 20 && taken.of(1).size() > 20;
        }, () -> "has " + taken.texts);
        fetcher.revoke(0);
        int first = taken.of(0).size();
        fetcher.assign(Map.of(1, 10L));
        taken.texts.remove(1);
        Await.until(() -> {
            fetcher.receive(LIMIT / 100, 5, taken);
            return taken.of(1).size() == 290;
        }, () -> "has " + taken.of(1));
        assertThat(taken.of(1)).isEqualTo(numbered(10, 300));
        assertThat(taken.of(0)).hasSize(first);
        fetcher.assign(Map.of(0, 298L));
        receive(fetcher, taken.count + 2);
        assertThat(taken.of(0).subList(first, first + 2)).isEqualTo(numbered(298, 300));
    }

    @Test
    void stopsWhereTheSinkTakesNoMore() throws Exception {
        var topic = topic(1, 1);
        fill(topic, 0, 0, 10);
        var fetcher = fetcher(topic, 1);
        assign(fetcher, 1);
        taken.refused = 4;
        Await.until(() -> {
            fetcher.receive(LIMIT / 100, ALL, taken);
            return taken.next.containsKey(0) && fetcher.position(0) == 4;
        }, () -> "has " + taken.texts);
        assertThat(taken.of(0)).isEqualTo(numbered(0, 4));
        assertThat(taken.next).isEqualTo(Map.of(0, 4L));
        taken.refused = -1;
        fetcher.assign(Map.of(0, 4L));
        receive(fetcher, 10);
        assertThat(taken.of(0)).isEqualTo(numbered(0, 10));
    }

    @Test
    void passesAbortedTransactionsAndTheirMarkers() throws Exception {
        var topic = topic(1, 1);
        topic.addTransacted(0, 7, "a0", "a1"); // 0, 1
        topic.add(0, "m2");
        topic.addTransacted(0, 8, "c3");
        topic.addTransacted(0, 7, "a4");
        topic.end(0, 7, false, 0); // 5
        topic.addTransacted(0, 7, "c6");
        topic.end(0, 8, true, 0); // 7
        topic.end(0, 7, true, 0); // 8
        var fetcher = fetcher(topic, 1);
        assign(fetcher, 1);
        receive(fetcher, 3);
        assertThat(taken.of(0)).containsExactly("2:m2", "3:c3", "6:c6");
        assertThat(taken.next).isEqualTo(Map.of(0, 9L));
    }

    /** A broker names aborted transactions in the order of their ends. */
    @Test
    void passesAnAbortedTransactionThatEndsAfterALaterOne() throws Exception {
        var topic = topic(1, 1);
        topic.addTransacted(0, 7, "a0");
        topic.add(0, "m1");
        topic.addTransacted(0, 8, "a2");
        topic.end(0, 8, false, 2); // 3
        topic.addTransacted(0, 7, "a4");
        topic.end(0, 7, false, 0); // 5
        topic.addTransacted(0, 7, "c6");
        topic.end(0, 7, true, 0); // 7
        var fetcher = fetcher(topic, 1);
        assign(fetcher, 1);
        receive(fetcher, 2);
        assertThat(taken.of(0)).containsExactly("1:m1", "6:c6");
    }

    /** The cleaner of a compacted topic may leave a batch for the sake of its numbers only. */
    @Test
    void passesAMarkerThatWasTakenAway() throws Exception {
        var topic = topic(1, 1);
        topic.add(0, "m0");
        topic.endEmptied(0, 7); // 1
        topic.add(0, "m2");
        topic.endEmptied(0, 7); // 3
        var fetcher = fetcher(topic, 1);
        assign(fetcher, 1);
        receive(fetcher, 2);
        assertThat(taken.of(0)).containsExactly("0:m0", "2:m2");
        Await.until(() -> {
            fetcher.receive(LIMIT / 100, ALL, taken);
            return fetcher.position(0) == 4;
        }, () -> "is at " + fetcher.position(0));
    }

    @Test
    void readsCompressedBatches() throws Exception {
        var topic = topic(1, 1);
        topic.add(0, Compression.gzip().build(), "m0", "m1", "m2");
        topic.add(0, "m3");
        topic.add(0, Compression.gzip().build(), "m4", "m5");
        var fetcher = fetcher(topic, 1);
        fetcher.assign(Map.of(0, 1L));
        for (int i = 0; i < 5; i++) {
            int expected = i + 1;
            Await.until(() -> {
                fetcher.receive(LIMIT / 100, 1, taken);
                return taken.count >= expected;
            }, () -> "has " + taken.texts);
        }
        assertThat(taken.of(0)).isEqualTo(numbered(1, 6));
    }

    /** The second partition's batch is cut off as long as the first one has messages. */
    @Test
    void getsABatchThatIsLargerThanAnAnswerMayBe() throws Exception {
        var topic = topic(2, 1);
        String large = "x".repeat(5000);
        topic.add(1, large);
        fill(topic, 0, 0, 400);
        var fetcher = fetcher(topic, 2, "max.partition.fetch.bytes", "700");
        assign(fetcher, 2);
        receive(fetcher, 401);
        assertThat(taken.of(1)).containsExactly("0:" + large);
    }

    @Test
    void tellsThatAPositionIsOutOfRange() throws Exception {
        var topic = topic(2, 1);
        fill(topic, 0, 0, 20);
        fill(topic, 1, 0, 20);
        topic.cutBefore(1, 8);
        var fetcher = fetcher(topic, 2);
        assign(fetcher, 2);
        var lost = new ArrayList<Integer>();
        Await.until(() -> {
            int partition = fetcher.receive(LIMIT / 100, ALL, taken);
            if (partition != Fetcher.NONE) {
                lost.add(partition);
                fetcher.assign(Map.of(partition, 8L));
            }
            return taken.count == 32;
        }, () -> "has " + taken.texts);
        assertThat(lost).containsExactly(1);
        assertThat(taken.of(1)).isEqualTo(numbered(8, 20));
    }

    @Test
    void namesTheOffsetOfABatchThatWasSpoilt() throws Exception {
        var topic = topic(1, 1);
        fill(topic, 0, 0, 3);
        topic.add(0, "m3", "m4");
        topic.spoil(0);
        var fetcher = fetcher(topic, 1);
        assign(fetcher, 1);
        assertThatThrownBy(() -> receive(fetcher, 5)).isInstanceOf(KafkaException.class)
            .hasMessage("a batch at offset 3 of partition 0 has a wrong check sum");
        assertThat(taken.of(0)).isEqualTo(numbered(0, 3));
        assertThat(fetcher.position(0)).isEqualTo(3);
    }

    @Test
    void asksAgainAfterARefusalThatPasses() throws Exception {
        var topic = topic(1, 1);
        fill(topic, 0, 0, 3);
        topic.refuse(0, Errors.OFFSET_NOT_AVAILABLE);
        var fetcher = fetcher(topic, 1);
        assign(fetcher, 1);
        Await.until(() -> topic.questions.size() > 3, () -> "has " + topic.questions.size());
        topic.refuse(0, Errors.NONE);
        receive(fetcher, 3);
        assertThat(taken.of(0)).isEqualTo(numbered(0, 3));
    }

    @Test
    void failsAfterARefusalThatDoesNotPass() throws Exception {
        var topic = topic(1, 1);
        topic.refuse(0, Errors.TOPIC_AUTHORIZATION_FAILED);
        var fetcher = fetcher(topic, 1);
        assign(fetcher, 1);
        assertThatThrownBy(() -> receive(fetcher, 1)).isInstanceOf(KafkaException.class)
            .hasMessageStartingWith("the broker gives no messages of partition 0: ");
    }
}
