package io.brokermeter.driver.kafka;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.ProducerSettings;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/**
 * Creates the records of one producer. Kafka's client copies key, headers and body before its {@code send} returns and does not modify a
 * record. So as long as body and envelope are in the same arrays, each record is created once and sent repeatedly. Used by the sending
 * thread.
 */
final class RecordFactory {

    private final String topic;
    private final @Nullable Integer[] partitions;
    private final byte[] @Nullable [] keys;
    /** Whether the variant of a message selects the key, rather than the token. */
    private final boolean keyOfVariant;
    private final List<List<Header>> headers;
    private final @Nullable ProducerRecord<byte[], byte[]>[] records;
    private byte[] body = {};
    private byte @Nullable [] envelope;

    @SuppressWarnings({"unchecked", "rawtypes"})
    private RecordFactory(
            String topic, @Nullable Integer[] partitions, byte[] @Nullable [] keys, boolean keyOfVariant,
            List<List<Header>> headers) {
        this.topic = topic;
        this.partitions = partitions;
        this.keys = keys;
        this.keyOfVariant = keyOfVariant;
        this.headers = headers;
        this.records = new ProducerRecord[partitions.length * (keyOfVariant ? 1 : keys.length) * headers.size()];
    }

    /**
     * @param count number of partitions of the topic
     * @param number number of this producer among those of its topic, from 0
     * @throws IllegalArgumentException with one sentence for the user, if the settings of key and partition cannot be met
     */
    static RecordFactory of(KafkaSettings settings, String topic, ProducerSettings producer, int count, int number) {
        Routing routing = Routing.of(settings, topic, producer, count, number);
        List<List<Header>> headers = new ArrayList<>();
        for (MessageVariant variant : producer.variants()) {
            List<Header> made = new ArrayList<>();
            variant.headers().forEach((name, value) -> made.add(new RecordHeader(name, value.getBytes(StandardCharsets.UTF_8))));
            headers.add(List.copyOf(made));
        }
        return new RecordFactory(topic, routing.turns(), routing.keys(), routing.keyOfVariant(), List.copyOf(headers));
    }

    /** Returns the record of a message; the client may use it until its {@code send} returns. */
    ProducerRecord<byte[], byte[]> next(Payload payload, long token) {
        byte[] bytes = payload.exact();
        if (bytes != body || payload.envelope() != envelope) {
            body = bytes;
            envelope = payload.envelope();
            Arrays.fill(records, null);
        }
        int variant = payload.variant();
        int partition = partitions.length == 1 ? 0 : (int) (token % partitions.length);
        int key = keyOfVariant || keys.length == 1 ? 0 : (int) (token % keys.length);
        int index = (key * headers.size() + variant) * partitions.length + partition;
        ProducerRecord<byte[], byte[]> record = records[index];
        if (record == null) {
            record = record(partition, keyOfVariant ? variant : key, variant);
            records[index] = record;
        }
        return record;
    }

    private ProducerRecord<byte[], byte[]> record(int partition, int key, int variant) {
        List<Header> all = headers.get(variant);
        byte[] beside = envelope;
        if (beside != null) {
            // The client reads the array at each send.
            all = new ArrayList<>(all);
            all.add(new RecordHeader(Payload.PROPERTY, beside));
        }
        return new ProducerRecord<>(topic, partitions[partition], keys[key], body, all);
    }
}
