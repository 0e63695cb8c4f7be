package io.brokermeter.cluster.clock;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.util.function.LongSupplier;

import javax.crypto.Mac;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.SecretKeySpec;

/**
 * A frame of the clock protocol, written and read by one thread; the same over UDP and TCP. A request and its answer have the same size, so
 * the server cannot be abused to amplify traffic to a forged address:
 *
 * <pre>
 *    0  4  "bmck"          16  8  sequence, counted by the client from 1
 *    4  1  version, 1      24  8  t2, received by the server; 0 in a request
 *    5  1  1 request,      32  8  t3, sent by the server; 0 in a request
 *          2 answer        40 16  HMAC-SHA-256 over all before it, the first 16 bytes
 *    6  2  0
 *    8  8  random number of the client
 * </pre>
 *
 * <p>The stamps of the client are not transmitted. Numbers are big-endian. Not thread-safe.
 */
final class ProbeFrame {

    static final int SIZE = 56;
    static final int LEAST_KEY = 16;

    private static final int HEAD = 0x626d636b;
    private static final int REQUEST = 0x01010000;
    private static final int ANSWER = 0x01020000;
    private static final int CLIENT = 8;
    private static final int SEQUENCE = 16;
    private static final int RECEIVED = 24;
    private static final int SENT = 32;
    private static final int SEAL = 40;
    /** The size of the buffer, in bytes: more than a frame, so that a frame that is too long is detected. */
    private static final int ROOM = 64;

    private final byte[] bytes = new byte[ROOM];
    private final ByteBuffer buffer = ByteBuffer.wrap(bytes);
    private final byte[] seal = new byte[32];
    private final Mac mac;

    /**
     * Creates a frame for a session.
     *
     * @param key of at least {@value #LEAST_KEY} bytes; it is copied
     */
    ProbeFrame(byte[] key) {
        if (key.length < LEAST_KEY) {
            throw new IllegalArgumentException("The key of a clock session has at least " + LEAST_KEY + " bytes.");
        }
        try {
            mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            // The first use loads classes, which must not happen between two stamps.
            seal();
        } catch (InvalidKeyException e) {
            throw new IllegalArgumentException("The key of a clock session cannot be used.", e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the buffer to receive into, empty. */
    ByteBuffer empty() {
        return buffer.clear();
    }

    /** Returns the number of bytes that were received into {@link #empty}. */
    int length() {
        return buffer.position();
    }

    /** Returns the buffer with the whole frame, to be sent. */
    ByteBuffer full() {
        return buffer.position(0).limit(SIZE);
    }

    /** Returns the array whose first {@value #SIZE} bytes are the frame. */
    byte[] array() {
        return bytes;
    }

    /** Turns this frame into a request. */
    void request(long client, long sequence) {
        buffer.clear().putInt(HEAD).putInt(REQUEST).putLong(client).putLong(sequence).putLong(0).putLong(0);
        seal();
    }

    /** Turns this frame, a request, into its answer. The stamp is taken as late as the seal allows. */
    void answer(long received, LongSupplier clock) {
        buffer.clear().putInt(Integer.BYTES, ANSWER).putLong(RECEIVED, received).putLong(SENT, clock.getAsLong());
        seal();
    }

    /** Returns whether the {@code length} bytes that were received are a request from a client that has the key. */
    boolean isRequest(int length) {
        return isSealed(length, REQUEST);
    }

    /** Returns whether the {@code length} bytes that were received are an answer, from a server that has the key, to the given client. */
    boolean isAnswer(int length, long client) {
        return isSealed(length, ANSWER) && client() == client;
    }

    private boolean isSealed(int length, int kind) {
        if (length != SIZE || buffer.getInt(0) != HEAD || buffer.getInt(Integer.BYTES) != kind) {
            return false;
        }
        compute();
        int different = 0;
        for (int i = 0; i < SIZE - SEAL; i++) {
            different |= seal[i] ^ bytes[SEAL + i];
        }
        return different == 0;
    }

    private void seal() {
        compute();
        System.arraycopy(seal, 0, bytes, SEAL, SIZE - SEAL);
    }

    private void compute() {
        mac.update(bytes, 0, SEAL);
        try {
            mac.doFinal(seal, 0);
        } catch (ShortBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    long client() {
        return buffer.getLong(CLIENT);
    }

    long sequence() {
        return buffer.getLong(SEQUENCE);
    }

    long received() {
        return buffer.getLong(RECEIVED);
    }

    long sent() {
        return buffer.getLong(SENT);
    }
}
