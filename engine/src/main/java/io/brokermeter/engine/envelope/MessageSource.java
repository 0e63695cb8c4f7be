package io.brokermeter.engine.envelope;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.spi.Payload;
import org.jspecify.annotations.Nullable;

/**
 * Makes the messages of one producer, one after the other, in a single payload over a single array. The same seed yields the
 * same messages. Used by one thread at a time; allocates nothing for a message.
 */
public final class MessageSource {

    private final Payload payload;
    private final byte[] array;
    private final BodyMaker maker;
    private final VariantLaw variants;
    private final SplittableRandom random;
    private final int firstTurn;
    private final byte @Nullable [] envelope;
    private final Knowledge knowledge;
    private final boolean alike;
    private final BodySum sum = new BodySum();
    /** Number of bytes of the body that belong to the envelope. */
    private final int head;
    private int content;
    private int contentOfLength = -1;

    /** The knowledge that receivers have of bodies beforehand, which the envelope need not contain. */
    enum Knowledge {
        /** All: the bodies are those of {@link Bodies#create}, of some length. */
        KNOWN,
        /** None, but all bodies of the same length are equal, so that their checksum is computed once. */
        ALIKE,
        /** None: a checksum is computed for each body. */
        UNKNOWN
    }

    /**
     * Creates a source that writes envelopes into {@code envelope}, which is null for bare messages.
     *
     * @param alike whether all bodies are as long as the payload that was given
     */
    MessageSource(Payload payload, BodyMaker maker, VariantLaw variants, SplittableRandom random, int firstTurn,
            byte @Nullable [] envelope, Knowledge knowledge, boolean alike) {
        this.payload = payload;
        this.array = payload.bytes();
        this.maker = maker;
        this.variants = variants;
        this.random = random;
        this.firstTurn = firstTurn;
        this.envelope = envelope;
        this.knowledge = knowledge;
        this.alike = alike;
        this.head = envelope == array ? Envelope.SIZE : 0;
    }

    /**
     * Creates a source of messages that report how many messages arrived since the report before and altogether:
     * {@code {"messages": 9512, "total": 28311}}, padded with blanks to the same length.
     *
     * @param count supplies the number of messages that arrived so far
     */
    public static MessageSource counts(Messages messages, long run, int producer, LongSupplier count) {
        Counts counts = new Counts(messages.sizes().largest(), count);
        Payload payload = new Payload(counts.array);
        Envelope.prepare(counts.array, run, producer, false);
        return new MessageSource(payload, counts, VariantLaw.of(messages), new SplittableRandom(0), 0, counts.array,
            Knowledge.UNKNOWN, true);
    }

    /** Returns the payload to send, which is the same object for every message. */
    public Payload payload() {
        return payload;
    }

    /** Returns whether all bodies have the same length, which is that of the payload from the start. */
    public boolean isOneLength() {
        return alike;
    }

    /** Makes message number {@code sequence}. To be called once for each number, in ascending order. */
    public void next(long sequence) {
        int length = maker.make(array, sequence);
        payload.body(array, length);
        if (knowledge == Knowledge.KNOWN) {
            content = Envelope.length(length);
        } else if (envelope != null && (knowledge == Knowledge.UNKNOWN || length != contentOfLength)) {
            content = sum.of(array, head, length);
            contentOfLength = length;
        }
        payload.variant(variants.next(random, firstTurn + sequence));
    }

    /** Notes when the message that was made last is sent, in its envelope too unless messages are bare. Times are in nanoseconds. */
    public void stamp(long sequence, long intendedEpochNanos, long delayNanos) {
        payload.sentAt(intendedEpochNanos + delayNanos);
        byte[] into = envelope;
        if (into != null) {
            Envelope.stamp(into, sequence, intendedEpochNanos, delayNanos, content);
        }
    }

    /** Makes bodies with counts behind the envelope. */
    private static final class Counts implements BodyMaker {

        /** The number of characters for a count. */
        private static final int DIGITS = 12;

        private final byte[] array;
        private final LongSupplier count;
        private final int messagesEnd;
        private final int totalEnd;
        private long published;

        Counts(int size, LongSupplier count) {
            this.array = new byte[size];
            this.count = count;
            Arrays.fill(array, (byte) ' ');
            byte[] first = "{\"messages\":".getBytes(StandardCharsets.US_ASCII);
            byte[] second = ",\"total\":".getBytes(StandardCharsets.US_ASCII);
            System.arraycopy(first, 0, array, Envelope.SIZE, first.length);
            this.messagesEnd = Envelope.SIZE + first.length + DIGITS;
            System.arraycopy(second, 0, array, messagesEnd, second.length);
            this.totalEnd = messagesEnd + second.length + DIGITS;
            array[totalEnd] = '}';
        }

        @Override
        public int make(byte[] same, long sequence) {
            long total = count.getAsLong();
            digits(same, messagesEnd, total - published);
            digits(same, totalEnd, total);
            published = total;
            return same.length;
        }

        private static void digits(byte[] body, int end, long number) {
            long rest = number;
            int at = end;
            do {
                body[--at] = (byte) ('0' + rest % 10);
                rest /= 10;
            } while (rest > 0 && at > end - DIGITS);
            Arrays.fill(body, end - DIGITS, at, (byte) ' ');
        }
    }
}
