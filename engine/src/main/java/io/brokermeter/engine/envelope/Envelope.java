package io.brokermeter.engine.envelope;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The 28 bytes at the head of every body, big-endian:
 *
 * <pre>
 *  0  u16  magic (12 bits) and version (4 bits)
 *  2  u16  run: clock domain of the sending host (6 bits) and a random number (10 bits)
 *  4  u32  producer, unique in the run
 *  8  u64  sequence, from 0 per producer
 * 16  u64  intended send time, nanoseconds since the epoch
 * 24  u32  send delay: actual minus intended send time, in units of 100 ns, at most 0xFFFFFFFF (429 s)
 * </pre>
 *
 * Neither side allocates: fields are read and written one by one.
 */
public final class Envelope {

    /** Bytes of the envelope: the smallest message that can carry it. */
    public static final int SIZE = 28;
    /** Unit of the send delay, in nanoseconds. */
    public static final long DELAY_UNIT = 100;
    /** A send delay that did not fit; the actual send time is unknown. */
    public static final long DELAY_OVERFLOW = 0xFFFF_FFFFL;

    private static final short MAGIC_AND_VERSION = (short) 0xB3E1;
    /** The version of messages whose bodies are not the stream that every receiver knows. */
    private static final short UNKNOWN_BODY = (short) 0xB3E2;
    private static final int RANDOM_BITS = 10;
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private Envelope() {}

    /** Writes what stays the same for every message of a producer, whose bodies are those of {@link Bodies#create}. */
    public static void prepare(byte[] body, int run, int producer) {
        prepare(body, run, producer, true);
    }

    /** The same, with {@code known} telling whether bodies are those of {@link Bodies#create}, so that they can be checked. */
    public static void prepare(byte[] body, int run, int producer, boolean known) {
        SHORT.set(body, 0, known ? MAGIC_AND_VERSION : UNKNOWN_BODY);
        SHORT.set(body, 2, (short) run);
        INT.set(body, 4, producer);
    }

    /** Writes what is new in each message. {@code delayNanos} below zero counts as zero. */
    public static void stamp(byte[] body, long sequence, long intendedEpochNanos, long delayNanos) {
        LONG.set(body, 8, sequence);
        LONG.set(body, 16, intendedEpochNanos);
        long units = Math.min(Math.max(0, delayNanos) / DELAY_UNIT, DELAY_OVERFLOW);
        INT.set(body, 24, (int) units);
    }

    /** Whether the body between position and limit begins with an envelope. */
    public static boolean isIn(ByteBuffer body) {
        if (body.remaining() < SIZE) {
            return false;
        }
        short head = body.order(ByteOrder.BIG_ENDIAN).getShort(body.position());
        return head == MAGIC_AND_VERSION || head == UNKNOWN_BODY;
    }

    /** Whether the bytes behind this envelope are those of {@link Bodies#create}. */
    public static boolean bodyIsKnown(ByteBuffer body) {
        return body.getShort(body.position()) == MAGIC_AND_VERSION;
    }

    public static int run(ByteBuffer body) {
        return body.getShort(body.position() + 2) & 0xFFFF;
    }

    public static int producer(ByteBuffer body) {
        return body.getInt(body.position() + 4);
    }

    public static long sequence(ByteBuffer body) {
        return body.getLong(body.position() + 8);
    }

    public static long intended(ByteBuffer body) {
        return body.getLong(body.position() + 16);
    }

    /** Send delay in units of {@value #DELAY_UNIT} ns, {@link #DELAY_OVERFLOW} when unknown. */
    public static long delayUnits(ByteBuffer body) {
        return body.getInt(body.position() + 24) & 0xFFFF_FFFFL;
    }

    /** A run number for this host: its clock domain and {@code random}'s lowest bits. */
    public static int newRun(long random) {
        return clockDomain() << RANDOM_BITS | (int) (random & (1 << RANDOM_BITS) - 1);
    }

    /** Whether a message of {@code run} was stamped with this host's clock. */
    public static boolean sameClock(int run) {
        return run >>> RANDOM_BITS == clockDomain();
    }

    /** Six bits that tell one boot of one machine from most others. */
    private static int clockDomain() {
        return Domain.VALUE;
    }

    private static final class Domain {
        static final int VALUE = read();

        private static int read() {
            String id;
            try {
                id = Files.readString(Path.of("/proc/sys/kernel/random/boot_id"), StandardCharsets.US_ASCII);
            } catch (Exception e) {
                // Not Linux: the host's name tells machines apart, though not their boots.
                String host = System.getenv("HOSTNAME");
                id = host == null ? "" : host;
            }
            int hash = id.hashCode();
            return (hash ^ hash >>> 6 ^ hash >>> 12 ^ hash >>> 18 ^ hash >>> 24) & 0x3F;
        }
    }
}
