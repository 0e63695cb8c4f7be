package io.brokermeter.engine.envelope;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import io.brokermeter.engine.pacing.EpochClock;
import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.engine.scenario.message.Sizes;

/**
 * The 28 bytes at the head of every body, or beside it, big-endian; offsets and lengths in bits:
 *
 * <pre>
 *   0  16  magic (12 bits) and version (4 bits)
 *  16  38  run: a random number (22 bits) and the sender's clock (16 bits)
 *  54  20  producer, unique in the run
 *  74  22  check: of the body's length or content, and of all other fields
 *  96  32  send delay: actual minus intended send time, in units of 100 ns, at most 0xFFFFFFFF (429 s)
 * 128  60  intended send time, nanoseconds since the epoch, modulo 2^60 (36 years)
 * 188  36  sequence, from 0 per producer
 * </pre>
 *
 * The clock is the moment at which the sender's monotonic clock was zero, in units of 131 us, modulo 2^16. All processes of
 * one machine have it in common, and it changes when the wall clock is set.
 *
 * <p>Neither writing nor reading allocates: fields are accessed one by one.
 */
public final class Envelope {

    /** Size of the envelope in bytes, which is the size of the smallest body that can carry it. */
    public static final int SIZE = 28;
    /** Unit of the send delay, in nanoseconds. */
    public static final long DELAY_UNIT = 100;
    /** The value for a send delay that does not fit into its field; the actual send time is then unknown. */
    public static final long DELAY_OVERFLOW = 0xFFFF_FFFFL;
    /** The greatest number of producers in one run. */
    public static final int PRODUCERS = 1 << 20;

    private static final int MAGIC = 0xB3E0;
    /** The version of messages whose bodies every receiver knows. Versions 1 and 2 had another layout and are of older runs. */
    private static final int KNOWN_BODY = MAGIC | 3;
    /** The version of messages with other bodies, for which the check covers the bytes of the body. */
    private static final int OTHER_BODY = MAGIC | 4;
    private static final int CLOCK_BITS = 16;
    private static final int CLOCK_UNIT_SHIFT = 17;
    private static final int RUN_BITS = 22 + CLOCK_BITS;
    private static final int CHECK_BITS = 22;
    private static final int CHECK_MASK = (1 << CHECK_BITS) - 1;
    /** The largest prime that fits into the check: two lengths that differ by less always have different checks, most others too. */
    private static final int LENGTHS = 4_194_301;
    private static final long MIX_1 = 0x9E3779B97F4A7C15L;
    private static final long MIX_2 = 0xC2B2AE3D27D4EB4FL;
    private static final long MIX_3 = 0xD6E8FEB86659FD93L;
    /** A moment of this process, in nanoseconds since the epoch; times in envelopes are taken to be within 18 years of it. */
    private static final long NEAR = EpochClock.nanos();
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private Envelope() {}

    /**
     * Writes the fields that are the same in every message of a producer.
     *
     * @param producer number of the producer, from 0, below {@link #PRODUCERS}
     * @param known whether bodies are those of {@link Bodies#create}
     */
    public static void prepare(byte[] head, long run, int producer, boolean known) {
        LONG.set(head, 0, (long) (known ? KNOWN_BODY : OTHER_BODY) << 48 | run << 10 | producer >>> 10);
        INT.set(head, 8, producer << CHECK_BITS);
    }

    /**
     * Writes the fields that differ between the messages of a producer.
     *
     * @param delayNanos actual minus intended send time; below zero counts as zero, since nothing is sent before it is due
     * @param content the result of {@link #length} for a known body, of {@link BodySum} for any other
     */
    public static void stamp(byte[] head, long sequence, long intendedEpochNanos, long delayNanos, int content) {
        long units = Math.min(Math.max(0, delayNanos) / DELAY_UNIT, DELAY_OVERFLOW);
        long time = intendedEpochNanos << 4 | sequence >>> 32;
        long constant = (int) INT.get(head, 8) & ~CHECK_MASK;
        long second = constant << 32 | units;
        long check = (content ^ mix((long) LONG.get(head, 0), second, time, (int) sequence)) & CHECK_MASK;
        LONG.set(head, 8, second | check << 32);
        LONG.set(head, 16, time);
        INT.set(head, 24, (int) sequence);
    }

    /** Returns bits that nearly always change when any of the fields changes. */
    private static int mix(long first, long second, long time, int sequence) {
        return (int) ((first + second * MIX_1 + time + sequence * MIX_2) * MIX_3 >>> 64 - CHECK_BITS);
    }

    /** Returns the value that represents the length of a known body in the check. */
    public static int length(int bytes) {
        return bytes % LENGTHS;
    }

    /**
     * Returns whether the envelope of these messages travels as a property beside the body, because the body must be left as
     * it is or has no room for the envelope. Log-normal sizes, which have no minimum, are raised to the size of the envelope
     * instead.
     */
    public static boolean isBeside(Messages messages) {
        return !messages.bare() && (messages.content().verbatim() || isTooSmall(messages));
    }

    /** Returns the number of bytes at the beginning of these bodies that the envelope takes; 0 where it is beside them or missing. */
    static int sizeInBody(Messages messages) {
        return messages.bare() || isBeside(messages) ? 0 : SIZE;
    }

    /** Returns whether a body of these messages may be too small for an envelope. */
    public static boolean isTooSmall(Messages messages) {
        return !messages.content().verbatim() && !(messages.sizes() instanceof Sizes.LogNormal)
            && messages.sizes().smallest() < SIZE;
    }

    /** Returns whether the body between position and limit begins with an envelope of this version. */
    public static boolean isIn(ByteBuffer body) {
        if (body.remaining() < SIZE) {
            return false;
        }
        int head = body.order(ByteOrder.BIG_ENDIAN).getShort(body.position()) & 0xFFFF;
        return head == KNOWN_BODY || head == OTHER_BODY;
    }

    /** Returns whether a body begins as messages of this tool do: with an envelope of any version, or with a part of one. */
    public static boolean isRemnant(ByteBuffer body) {
        return body.remaining() >= 2 && (body.order(ByteOrder.BIG_ENDIAN).getShort(body.position()) & 0xFFF0) == MAGIC;
    }

    /** Returns whether a body begins with an envelope that another version of this tool wrote. */
    public static boolean isOfAnotherVersion(ByteBuffer body) {
        return isRemnant(body) && body.remaining() >= SIZE && !isIn(body);
    }

    /** Returns whether the bytes behind this envelope are those of {@link Bodies#create}. */
    public static boolean bodyIsKnown(ByteBuffer head) {
        return (head.getShort(head.position()) & 0xFFFF) == KNOWN_BODY;
    }

    /** Returns the sender's {@link #length} or {@link BodySum} of the body, or any value if a field of the envelope was changed. */
    public static int content(ByteBuffer head) {
        int at = head.position();
        long second = head.getLong(at + 8);
        int said = (int) (second >>> 32) & CHECK_MASK;
        long without = second & ~((long) CHECK_MASK << 32);
        return (said ^ mix(head.getLong(at), without, head.getLong(at + 16), head.getInt(at + 24))) & CHECK_MASK;
    }

    /** Returns the number of the run in an envelope. */
    public static long run(ByteBuffer head) {
        return head.getLong(head.position()) >>> 10 & (1L << RUN_BITS) - 1;
    }

    /** Returns the number of the producer in an envelope. */
    public static int producer(ByteBuffer head) {
        return (int) (head.getLong(head.position() + 2) >>> 6) & PRODUCERS - 1;
    }

    /** Returns the sequence number in an envelope. */
    public static long sequence(ByteBuffer head) {
        return head.getLong(head.position() + 20) & (1L << 36) - 1;
    }

    /**
     * Returns the intended send time in nanoseconds since the epoch: of all times that the field may stand for, the one nearest to the
     * moment at which this class was loaded.
     */
    public static long intended(ByteBuffer head) {
        long low = head.getLong(head.position() + 16) >>> 4;
        return NEAR + (low - NEAR << 4 >> 4);
    }

    /** Returns the send delay in units of {@value #DELAY_UNIT} ns; {@link #DELAY_OVERFLOW} if unknown. */
    public static long delayUnits(ByteBuffer head) {
        return head.getInt(head.position() + 12) & 0xFFFF_FFFFL;
    }

    /** Creates a run number for this process from the lowest bits of {@code random} and the clock of the process. */
    public static long newRun(long random) {
        return newRun(random, EpochClock.zero());
    }

    /** Creates a run number for a process whose monotonic clock was zero at {@code zero}, in nanoseconds since the epoch. */
    static long newRun(long random, long zero) {
        return (random << CLOCK_BITS | zero >>> CLOCK_UNIT_SHIFT & (1 << CLOCK_BITS) - 1) & (1L << RUN_BITS) - 1;
    }

    /** Returns whether messages of {@code run} were stamped by the clock of this process, or by one of this machine that agrees. */
    public static boolean sameClock(long run) {
        int apart = (short) (run - (EpochClock.zero() >>> CLOCK_UNIT_SHIFT));
        // Two processes determine the same moment with a small error, which may carry it over into the neighbouring unit.
        return apart >= -1 && apart <= 1;
    }
}
