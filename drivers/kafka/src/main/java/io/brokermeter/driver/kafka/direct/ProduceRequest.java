package io.brokermeter.driver.kafka.direct;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

import io.brokermeter.driver.wire.Wire;
import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;

/**
 * A request that carries the batches of some partitions of one topic, written from where the batches are. Requests are reused. Version 8 of
 * Kafka's Produce: brokers from 2.4 on know it, and it has no tagged fields, so that nothing follows a batch.
 */
final class ProduceRequest {

    static final short VERSION = 8;

    private static final int CORRELATION = 8;
    /** The number of a partition and the length of its batch. */
    private static final int BEFORE_BATCH = 8;

    private final byte[] beginning;
    private final List<Batch> batches = new ArrayList<>();
    private final List<PartitionSends> partitions = new ArrayList<>();

    /** The number by which the answer names it. */
    int number;
    /** The {@link System#nanoTime()} at which its write began. */
    volatile long since;
    /** Whether it asks for an identity of the producer instead. */
    boolean identifies;
    /** Whether its messages count as stored because it is written; guarded by the producer's lock. */
    boolean stored;
    /** Whether it is answered; guarded by the producer's lock. */
    boolean answered;
    /** Whether it is written; guarded by the producer's lock. */
    boolean written;
    @Nullable ByteBuffer other;

    /** @param beginning what {@link #beginning} returned */
    ProduceRequest(byte[] beginning) {
        this.beginning = beginning;
    }

    /** Encodes what is before the batches, with 0 for the length, the number of the request and the number of partitions. */
    static byte[] beginning(String clientId, short acks, int timeoutMillis, String topic) {
        byte[] client = clientId.getBytes(StandardCharsets.UTF_8);
        byte[] name = topic.getBytes(StandardCharsets.UTF_8);
        ByteBuffer out = ByteBuffer.allocate(32 + client.length + name.length);
        out.putInt(0).putShort(ApiKeys.PRODUCE.id).putShort(VERSION).putInt(0).putShort((short) client.length).put(client);
        out.putShort((short) -1).putShort(acks).putInt(timeoutMillis).putInt(1).putShort((short) name.length).put(name).putInt(0);
        return out.array();
    }

    /** Returns the number of bytes of the room before each batch. */
    static int head(byte[] beginning) {
        return beginning.length + BEFORE_BATCH;
    }

    void begin(int newNumber) {
        number = newNumber;
        batches.clear();
        partitions.clear();
        stored = false;
        answered = false;
        written = false;
        identifies = false;
        other = null;
    }

    void add(PartitionSends partition, Batch batch) {
        partitions.add(partition);
        batches.add(batch);
        batch.request = this;
    }

    /**
     * Ends the wait of a batch for the answer. Under the lock; returns false if that was done before, by the end of the connection or by an
     * answer: the batch may belong to another request by now.
     */
    boolean settle(int index) {
        Batch batch = batches.get(index);
        boolean waits = batch.request == this;
        if (waits) {
            batch.request = null;
        }
        return waits;
    }

    int count() {
        return batches.size();
    }

    Batch batch(int index) {
        return batches.get(index);
    }

    PartitionSends partition(int index) {
        return partitions.get(index);
    }

    /** Writes the request. Blocks while the socket is full. */
    void write(Wire wire, CRC32C sum) throws IOException {
        ByteBuffer instead = other;
        if (instead != null) {
            wire.write(instead);
            return;
        }
        int length = beginning.length - Integer.BYTES;
        for (int i = 0; i < batches.size(); i++) {
            PartitionSends of = partitions.get(i);
            batches.get(i).seal(sum, of.producerId(), of.epoch());
            length += BEFORE_BATCH + batches.get(i).length();
        }
        for (int i = 0; i < batches.size(); i++) {
            Batch batch = batches.get(i);
            ByteBuffer out = batch.out(BEFORE_BATCH + (i == 0 ? beginning.length : 0));
            int at = out.position();
            if (i == 0) {
                out.put(at, beginning).putInt(at, length).putInt(at + CORRELATION, number);
                at += beginning.length;
                out.putInt(at - Integer.BYTES, batches.size());
            }
            out.putInt(at, partitions.get(i).partition).putInt(at + Integer.BYTES, batch.length());
            wire.write(out);
        }
    }
}
