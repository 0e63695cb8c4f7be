package io.brokermeter.driver.kafka;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import io.brokermeter.spi.Payload;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/**
 * Makes the records of one producer. Kafka's client copies key and body before its {@code send} returns and changes nothing
 * of a record, so as long as the body stands in the same array each record is made once and sent again and again. Used by
 * the sending thread.
 */
final class Outgoing {

    private final String topic;
    private final @Nullable Integer[] partitions;
    private final byte[] @Nullable [] keys;
    private final List<Header> headers;
    private final @Nullable ProducerRecord<byte[], byte[]>[] records;
    private byte @Nullable [] body;

    @SuppressWarnings({"unchecked", "rawtypes"})
    private Outgoing(String topic, @Nullable Integer[] partitions, byte[] @Nullable [] keys, List<Header> headers) {
        this.topic = topic;
        this.partitions = partitions;
        this.keys = keys;
        this.headers = headers;
        this.records = new ProducerRecord[partitions.length * keys.length];
    }

    /**
     * @param group the key of all messages, or null where the settings say the keys
     * @param count partitions of the topic
     * @param number which producer of its topic this is, from 0
     * @throws IllegalArgumentException with one sentence for the user, when key and partition cannot be as asked for
     */
    static Outgoing of(
            KafkaSettings settings, String topic, @Nullable String group, Map<String, String> headers, int count, int number) {
        List<String> texts = settings.keys();
        if (group != null && !texts.isEmpty()) {
            throw new IllegalArgumentException(
                "A message group is the key of a message for protocol KAFKA; give either --group or the parameter key.");
        }
        byte[] @Nullable [] keys = new byte[Math.max(1, texts.size())][];
        for (int i = 0; i < texts.size(); i++) {
            keys[i] = texts.get(i).getBytes(StandardCharsets.UTF_8);
        }
        if (group != null) {
            keys[0] = group.getBytes(StandardCharsets.UTF_8);
        }
        @Nullable Integer[] partitions = partitions(settings, topic, keys[0] != null, count, number);
        List<Header> made = new ArrayList<>();
        headers.forEach((name, value) -> made.add(new RecordHeader(name, value.getBytes(StandardCharsets.UTF_8))));
        return new Outgoing(topic, partitions, keys, List.copyOf(made));
    }

    private static @Nullable Integer[] partitions(KafkaSettings settings, String topic, boolean keyed, int count, int number) {
        if (settings.fixedPartition().isPresent()) {
            int fixed = settings.fixedPartition().get();
            if (fixed >= count) {
                throw new IllegalArgumentException("Topic " + topic + " has no partition " + fixed + "; it has " + count
                    + ", numbered from 0: change the parameter partition.");
            }
            return new Integer[] {fixed};
        }
        String word = settings.partition().isEmpty() ? (keyed ? "any" : "producer") : settings.partition();
        return switch (word) {
            case "any" -> new Integer[1];
            case "round-robin" -> {
                @Nullable Integer[] all = new Integer[count];
                Arrays.setAll(all, p -> p);
                yield all;
            }
            default -> new Integer[] {number % count};
        };
    }

    /** The record of this message; the client may have it until its {@code send} returns. */
    ProducerRecord<byte[], byte[]> next(Payload payload, long token) {
        byte[] bytes = payload.exact();
        if (bytes != body) {
            body = bytes;
            Arrays.fill(records, null);
        }
        int partition = partitions.length == 1 ? 0 : (int) (token % partitions.length);
        int key = keys.length == 1 ? 0 : (int) (token % keys.length);
        int index = partition * keys.length + key;
        ProducerRecord<byte[], byte[]> record = records[index];
        if (record == null) {
            record = new ProducerRecord<>(topic, partitions[partition], keys[key], bytes, headers);
            records[index] = record;
        }
        return record;
    }
}
