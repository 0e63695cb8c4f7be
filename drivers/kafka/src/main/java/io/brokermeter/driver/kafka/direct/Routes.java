package io.brokermeter.driver.kafka.direct;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import io.brokermeter.spi.Payload;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/** Where the messages of one producer go, and the encoded parts that many of them share. Immutable. */
public final class Routes {

    /** The partition of a message whose partition the producer chooses. */
    static final int ANY = -1;

    private final int count;
    private final int[] turns;
    private final byte[][] keys;
    private final int[] placeOfKey;
    private final boolean keyOfVariant;
    private final byte[][] headers;

    /**
     * @param count number of partitions of the topic
     * @param turns the partitions that messages go to in turn; empty to let the key decide, or the producer where there is none
     * @param keys the keys, null for none
     * @param keyOfVariant whether the variant of a message selects the key, rather than the token
     * @param headers the headers of each variant
     * @param envelope whether each message has {@link Payload#PROPERTY} as its last header
     */
    public Routes(int count, int[] turns, byte[] @Nullable [] keys, boolean keyOfVariant, List<Map<String, String>> headers,
            boolean envelope) {
        this.count = count;
        this.turns = turns.clone();
        this.keyOfVariant = keyOfVariant;
        this.keys = new byte[keys.length][];
        this.placeOfKey = new int[keys.length];
        for (int i = 0; i < keys.length; i++) {
            byte[] key = keys[i];
            this.keys[i] = encoded(key);
            placeOfKey[i] = key == null ? ANY : Utils.toPositive(Utils.murmur2(key)) % count;
        }
        this.headers = headers.stream().map(of -> encoded(of, envelope)).toArray(byte[][]::new);
    }

    private static byte[] encoded(byte @Nullable [] key) {
        ByteBuffer out = ByteBuffer.allocate(5 + (key == null ? 0 : key.length));
        Varint.put(out, key == null ? -1 : key.length);
        return bytes(key == null ? out : out.put(key));
    }

    private static byte[] encoded(Map<String, String> headers, boolean envelope) {
        int room = 20 + Payload.PROPERTY.length() + headers.entrySet().stream()
            .mapToInt(header -> 10 + 3 * (header.getKey().length() + header.getValue().length())).sum();
        ByteBuffer out = ByteBuffer.allocate(room);
        Varint.put(out, headers.size() + (envelope ? 1 : 0));
        headers.forEach((name, value) -> {
            text(out, name);
            text(out, value);
        });
        if (envelope) {
            text(out, Payload.PROPERTY);
        }
        return bytes(out);
    }

    private static void text(ByteBuffer out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        Varint.put(out, bytes.length).put(bytes);
    }

    private static byte[] bytes(ByteBuffer out) {
        byte[] bytes = new byte[out.flip().remaining()];
        out.get(bytes);
        return bytes;
    }

    /** Returns the number of partitions of the topic. */
    int count() {
        return count;
    }

    /** Returns whether messages may go to a partition. */
    boolean uses(int partition) {
        if (turns.length == 0) {
            return true;
        }
        for (int turn : turns) {
            if (turn == partition) {
                return true;
            }
        }
        return false;
    }

    /** Returns the index of a message's key. */
    int key(int variant, long token) {
        return keyOfVariant ? variant : keys.length == 1 ? 0 : (int) (token % keys.length);
    }

    /** Returns the encoded key of this index. */
    byte[] keyAt(int key) {
        return keys[key];
    }

    /** Returns the encoded headers of a variant. */
    byte[] headersOf(int variant) {
        return headers[variant];
    }

    /** Returns the partition of a message with this key, or {@link #ANY}. */
    int partition(int key, long token) {
        return turns.length == 1 ? turns[0] : turns.length == 0 ? placeOfKey[key] : turns[(int) (token % turns.length)];
    }
}
