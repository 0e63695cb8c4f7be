package io.brokermeter.driver.jms;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

import io.brokermeter.spi.AwakeDeadline;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Fingerprints of the messages of one batch or transaction, by which they are recognized when they are redelivered. Used by one thread at a
 * time.
 */
final class BatchPrints {

    private static final int PRINTED = 32;
    /** The longest time to wait for the redelivery of the messages that were accepted, in nanoseconds. */
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final long LOOK_MILLIS = 50;

    private final int most;
    private long[] prints = new long[0];
    private int count;

    /** @param most the messages of a full batch */
    BatchPrints(int most) {
        this.most = most;
    }

    /** Adds the fingerprint of a message; returns whether the batch is full. */
    boolean add(long print) {
        if (count == prints.length) {
            prints = Arrays.copyOf(prints, Math.min(most, Math.max(16, 2 * count)));
        }
        prints[count] = print;
        return ++count >= most;
    }

    int count() {
        return count;
    }

    void clear() {
        count = 0;
    }

    /**
     * Receives the messages again after the batch was given back, and begins a new batch.
     *
     * @param print returns the fingerprint of a message
     * @return the last message
     * @throws JMSException with one sentence, if they do not arrive within three seconds, or others among them
     */
    @Nullable Message receiveAgain(MessageConsumer consumer, ToLongFunction<Message> print) throws JMSException {
        long[] wanted = Arrays.copyOf(prints, count);
        count = 0;
        long[] taken = new long[wanted.length];
        Message last = null;
        AwakeDeadline deadline = new AwakeDeadline(AGAIN_NANOS);
        for (int i = 0; i < taken.length && !deadline.isOver();) {
            Message message = consumer.receive(LOOK_MILLIS);
            if (message != null) {
                taken[i++] = print.applyAsLong(message);
                last = message;
            }
        }
        Arrays.sort(wanted);
        Arrays.sort(taken);
        if (!Arrays.equals(wanted, taken)) {
            boolean one = wanted.length == 1;
            throw new JMSException("The last " + (one ? "message was" : wanted.length + " messages were")
                + " received but could not be acknowledged without those after " + (one ? "it" : "them")
                + " that were left; the broker delivers them again.");
        }
        return last;
    }

    /**
     * Returns a fingerprint by which a message is recognized among those of one batch: a hash of the body's length and of the first bytes
     * of envelope and body.
     */
    static long of(@Nullable ByteBuffer envelope, ByteBuffer body) {
        long print = body.remaining();
        return envelope == null ? mixed(print, body) : mixed(mixed(print, envelope), body);
    }

    private static long mixed(long print, ByteBuffer bytes) {
        int from = bytes.position();
        int count = Math.min(bytes.remaining(), PRINTED);
        long mixed = print;
        int i = 0;
        for (; i + Long.BYTES <= count; i += Long.BYTES) {
            mixed = (mixed ^ bytes.getLong(from + i)) * 0x9E3779B97F4A7C15L;
        }
        for (; i < count; i++) {
            mixed = (mixed ^ bytes.get(from + i)) * 0x9E3779B97F4A7C15L;
        }
        return mixed;
    }
}
