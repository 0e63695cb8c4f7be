package io.brokermeter.engine.envelope;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.LongSupplier;

import io.brokermeter.engine.scenario.Content;
import io.brokermeter.engine.scenario.Messages;
import io.brokermeter.engine.scenario.Sizes;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.spi.Payload;
import org.jspecify.annotations.Nullable;

/**
 * Makes the messages of one producer, one after the other, in one payload. Used by one thread at a time; nothing is
 * allocated for a message.
 */
public final class MessageSource {

    /** Room for a count. */
    private static final int DIGITS = 12;

    private final Payload payload;
    private final boolean bare;
    private final byte[] envelope;
    private @Nullable LongSupplier count;
    private long told;
    private int messagesEnd;
    private int totalEnd;

    /**
     * A source.
     *
     * @param run number of the run, for the envelope
     * @param producer number of the producer, for the envelope
     * @param seed of what is random
     */
    public MessageSource(Messages messages, int run, int producer, long seed) {
        if (!(messages.sizes() instanceof Sizes.Fixed(int bytes)) || !(messages.content() instanceof Content.Random)) {
            throw new UsageException("Messages of this kind cannot be made yet.");
        }
        this.bare = messages.bare();
        this.payload = new Payload(Bodies.create(bytes));
        this.envelope = payload.bytes();
        if (!bare) {
            Envelope.prepare(envelope, run, producer);
        }
    }

    /**
     * A source of messages with a text that tells how many messages came, altogether and since the text before:
     * {@code {"messages": 9512, "total": 28311}}, with blanks so that all are equally long.
     *
     * @param count how many came so far
     */
    public static MessageSource counts(Messages messages, int run, int producer, LongSupplier count) {
        MessageSource source = new MessageSource(messages, run, producer, 0);
        source.count = count;
        byte[] body = source.envelope;
        Envelope.prepare(body, run, producer, false);
        Arrays.fill(body, Envelope.SIZE, body.length, (byte) ' ');
        byte[] first = "{\"messages\":".getBytes(StandardCharsets.US_ASCII);
        byte[] second = ",\"total\":".getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(first, 0, body, Envelope.SIZE, first.length);
        source.messagesEnd = Envelope.SIZE + first.length + DIGITS;
        System.arraycopy(second, 0, body, source.messagesEnd, second.length);
        source.totalEnd = source.messagesEnd + second.length + DIGITS;
        body[source.totalEnd] = '}';
        return source;
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

    /** What to send: the same object for every message. */
    public Payload payload() {
        return payload;
    }

    /** Makes message number {@code sequence}. */
    public void next(long sequence) {
        LongSupplier counter = count;
        if (counter != null) {
            long total = counter.getAsLong();
            digits(envelope, messagesEnd, total - told);
            digits(envelope, totalEnd, total);
            told = total;
        }
    }

    /** Writes the envelope of the message that was made, unless messages are bare; times in nanoseconds. */
    public void stamp(long sequence, long intendedEpochNanos, long delayNanos) {
        if (!bare) {
            Envelope.stamp(envelope, sequence, intendedEpochNanos, delayNanos);
        }
    }
}
