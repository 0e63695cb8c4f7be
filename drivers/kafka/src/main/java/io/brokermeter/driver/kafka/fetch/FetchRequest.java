package io.brokermeter.driver.kafka.fetch;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import org.apache.kafka.common.protocol.ApiKeys;

/**
 * Encodes questions for messages of one topic, in one buffer. Version 11 of Kafka's Fetch, the last one without tagged fields, which brokers
 * from 2.3 on know; each question names all its partitions, without a session.
 */
final class FetchRequest {

    static final short VERSION = 11;

    private static final int CORRELATION = 8;
    private static final int PARTITION = 28;
    /** The number of partitions to forget, and the name of a rack. */
    private static final int END = 6;
    private static final int NO_SESSION = -1;
    private static final int UNKNOWN = -1;

    private final int partitionBytes;
    private final int beginning;
    private ByteBuffer out;
    private int count;

    FetchRequest(FetchSettings settings, String topic) {
        byte[] client = settings.link().clientId().getBytes(StandardCharsets.UTF_8);
        byte[] name = topic.getBytes(StandardCharsets.UTF_8);
        partitionBytes = settings.partitionBytes();
        out = ByteBuffer.allocateDirect(64 + client.length + name.length + 16 * PARTITION);
        out.putInt(0).putShort(ApiKeys.FETCH.id).putShort(VERSION).putInt(0).putShort((short) client.length).put(client);
        out.putInt(UNKNOWN).putInt(settings.waitMillis()).putInt(settings.leastBytes()).putInt(settings.mostBytes());
        out.put((byte) (settings.committedOnly() ? 1 : 0)).putInt(0).putInt(NO_SESSION);
        out.putInt(1).putShort((short) name.length).put(name).putInt(0);
        beginning = out.position();
    }

    void begin(int number) {
        out.clear().position(beginning);
        out.putInt(CORRELATION, number);
        count = 0;
    }

    void add(int partition, long offset) {
        if (out.remaining() < PARTITION + END) {
            out = ByteBuffer.allocateDirect(2 * out.capacity()).put(out.flip());
        }
        out.putInt(partition).putInt(UNKNOWN).putLong(offset).putLong(UNKNOWN).putInt(partitionBytes);
        count++;
    }

    /** Returns the whole request, to be written. */
    ByteBuffer end() {
        out.putInt(beginning - Integer.BYTES, count);
        out.putInt(0).putShort((short) 0).flip();
        return out.putInt(0, out.limit() - Integer.BYTES);
    }
}
