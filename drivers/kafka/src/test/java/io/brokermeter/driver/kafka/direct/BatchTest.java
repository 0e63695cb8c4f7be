package io.brokermeter.driver.kafka.direct;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.CRC32C;

import io.brokermeter.spi.Payload;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.utils.ByteUtils;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

/** The bytes of batches and requests, against those that Kafka's own classes make of the same messages. */
class BatchTest {

    private static final int HEAD = 100;

    /** A message with what belongs to it. */
    private record Message(long time, byte[] body, byte[] envelope) {}

    private static byte[] bytes(Random random, int most) {
        byte[] bytes = new byte[random.nextInt(most + 1)];
        random.nextBytes(bytes);
        return bytes;
    }

    private static void append(Batch batch, Routes routes, Message message, long number) {
        int content = batch.content(routes.keyAt(0), message.body.length, routes.headersOf(0), message.envelope, message.time);
        assertThat(batch.hasRoom(content)).isTrue();
        batch.append(content, routes.keyAt(0), message.body, message.body.length, routes.headersOf(0), message.envelope, message.time,
            number);
    }

    @Test
    void writesNumbersAsKafkaDoes() {
        var random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            long number = i < 200 ? i - 100 : random.nextLong() >> random.nextInt(64);
            ByteBuffer expected = ByteBuffer.allocate(10);
            ByteUtils.writeVarlong(number, expected);
            ByteBuffer actual = Varint.put(ByteBuffer.allocate(10), number);
            assertThat(actual.flip()).as("%s", number).isEqualTo(expected.flip());
            assertThat(Varint.size(number)).as("size of %s", number).isEqualTo(expected.limit());
            ByteBuffer indexed = ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN);
            int end = Varint.put(indexed, 1, number);
            assertThat(indexed.limit(end).position(1)).as("%s at an index", number).isEqualTo(expected);
        }
    }

    @RepeatedTest(20)
    void writesABatchAsKafkaDoes(RepetitionInfo repetition) throws Exception {
        var random = new Random(repetition.getCurrentRepetition());
        byte[] key = random.nextBoolean() ? bytes(random, 30) : null;
        boolean envelope = random.nextBoolean();
        Map<String, String> headers = new LinkedHashMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            headers.put("name" + i, "välue".repeat(random.nextInt(40)));
        }
        var routes = new Routes(1, new int[] {0}, new byte[][] {key}, false, List.of(headers), envelope);
        List<Message> messages = new ArrayList<>();
        long time = 1_700_000_000_000L;
        byte[] beside = bytes(random, 200);
        for (int i = 1 + random.nextInt(300); i > 0; i--) {
            time += random.nextInt(200) - 20;
            messages.add(new Message(time, bytes(random, 2000), envelope ? beside : null));
        }
        long producer = random.nextBoolean() ? random.nextLong() >>> 1 : -1;
        short epoch = (short) (producer < 0 ? -1 : random.nextInt(1000));
        int sequence = producer < 0 ? -1 : random.nextInt(1_000_000);

        var batch = new Batch(HEAD, 1 << 20);
        batch.begin(1 << 20, messages.getFirst().time, 0);
        for (int i = 0; i < messages.size(); i++) {
            append(batch, routes, messages.get(i), i);
        }
        batch.sequence = sequence;
        batch.seal(new CRC32C(), producer, epoch);

        MemoryRecordsBuilder builder = MemoryRecords.builder(ByteBuffer.allocate(1 << 20), RecordBatch.MAGIC_VALUE_V2, Compression.NONE,
            TimestampType.CREATE_TIME, 0, 0, producer, epoch, sequence, false, RecordBatch.NO_PARTITION_LEADER_EPOCH);
        for (Message message : messages) {
            List<Header> all = new ArrayList<>();
            headers.forEach((name, value) -> all.add(new RecordHeader(name, value.getBytes(StandardCharsets.UTF_8))));
            if (envelope) {
                all.add(new RecordHeader(Payload.PROPERTY, message.envelope));
            }
            builder.append(message.time, key, message.body, all.toArray(Header[]::new));
        }
        assertThat(batch.out(0)).isEqualTo(builder.build().buffer());
        assertThat(batch.length()).isEqualTo(builder.build().sizeInBytes());
    }

    @Test
    void putsAKeyWhereKafkasPartitionerDoes() {
        var random = new Random(3);
        for (int i = 0; i < 1000; i++) {
            byte[] key = bytes(random, 20);
            int count = 1 + random.nextInt(50);
            var routes = new Routes(count, new int[0], new byte[][] {key}, false, List.of(Map.of()), false);
            assertThat(routes.partition(0, i)).isEqualTo(BuiltInPartitioner.partitionForKey(key, count));
        }
    }

    @Test
    void knowsTheNumbersOfItsMessages() {
        var routes = new Routes(1, new int[] {0}, new byte[1][], false, List.of(Map.of()), false);
        var message = new Message(5, new byte[0], null);
        var batch = new Batch(HEAD, 100_000);
        long[] numbers = new long[500];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = 1000 + i + (i > 70 ? i : 0);
        }
        for (int count : new int[] {500, 60, 200}) {
            batch.begin(100_000, 5, 0);
            for (int i = 0; i < count; i++) {
                append(batch, routes, message, numbers[i]);
            }
            assertThat(batch.isRun()).isEqualTo(count == 60);
            for (int i = 0; i < count; i++) {
                assertThat(batch.number(i)).isEqualTo(numbers[i]);
            }
        }
    }

    @Test
    void isClosedBetweenTwoMessagesOnly() {
        var batch = new Batch(HEAD, 1000);
        batch.begin(1000, 0, 0);
        assertThat(batch.tryClose()).isFalse();
        assertThat(batch.claim()).isFalse();
        batch.release();
        assertThat(batch.claim()).isTrue();
        assertThat(batch.tryClose()).isFalse();
        batch.release();
        assertThat(batch.tryClose()).isTrue();
        assertThat(batch.claim()).isFalse();
    }

    @Test
    void writesARequestThatKafkaReads() throws Exception {
        byte[] beginning = ProduceRequest.beginning("me", (short) -1, 30_000, "Tøpic");
        var settings = DirectFixtures.settings();
        var request = new ProduceRequest(beginning);
        request.begin(77);
        var routes = new Routes(3, new int[0], new byte[1][], false, List.of(Map.of("a", "b")), false);
        for (int p = 0; p < 3; p++) {
            var batch = new Batch(ProduceRequest.head(beginning), 1000);
            batch.begin(1000, 5, 0);
            for (int i = 0; i <= p; i++) {
                append(batch, routes, new Message(5 + i, ("m" + p + i).getBytes(StandardCharsets.UTF_8), null), i);
            }
            request.add(new PartitionSends(p, true, settings, 0), batch);
        }
        var wire = new DirectFixtures.Written();
        request.write(wire, new CRC32C());

        ByteBuffer written = ByteBuffer.wrap(wire.bytes.toByteArray());
        assertThat(written.getInt()).isEqualTo(written.remaining());
        RequestHeader header = RequestHeader.parse(written);
        assertThat(header.apiVersion()).isEqualTo(ProduceRequest.VERSION);
        assertThat(header.clientId()).isEqualTo("me");
        assertThat(header.correlationId()).isEqualTo(77);
        var data = new ProduceRequestData(new ByteBufferAccessor(written), ProduceRequest.VERSION);
        assertThat(written.hasRemaining()).isFalse();
        assertThat(data.acks()).isEqualTo((short) -1);
        assertThat(data.timeoutMs()).isEqualTo(30_000);
        assertThat(data.transactionalId()).isNull();
        List<String> texts = new ArrayList<>();
        data.topicData().forEach(topic -> {
            assertThat(topic.name()).isEqualTo("Tøpic");
            topic.partitionData().forEach(partition -> {
                BaseRecords records = partition.records();
                for (var batch : ((MemoryRecords) records).batches()) {
                    batch.ensureValid();
                }
                ((MemoryRecords) records).records().forEach(record -> texts.add(partition.index() + ":" + record.timestamp() + ":"
                    + StandardCharsets.UTF_8.decode(record.value())));
            });
        });
        assertThat(texts).containsExactly("0:5:m00", "1:5:m10", "1:6:m11", "2:5:m20", "2:6:m21", "2:7:m22");
    }
}
