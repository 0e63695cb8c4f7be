package io.brokermeter.driver.wire;

import java.time.Duration;

import io.brokermeter.spi.ConsumerSettings;

/**
 * The number of messages to request from a broker at a time. For a listener that may take long it begins low, since the broker delivers
 * again what is not acknowledged in time, and grows while full batches show that the listener is fast: where the way is long, each request
 * costs a round trip. Not safe for use by several threads at once.
 */
public final class FetchSize {

    private static final int FEW = 10;
    private static final int MANY = 100;
    /** The part of the acknowledgement timeout that a batch may take before the next one is small again. */
    private static final int PART = 100;

    private final int least;
    private final int most;
    private final long quickNanos;
    private int messages;

    private FetchSize(int least, int most, long quickNanos) {
        this.least = least;
        this.most = most;
        this.quickNanos = quickNanos;
        this.messages = least;
    }

    /**
     * Returns the size for a consumer.
     *
     * @param settings with the number that the user wants, which never changes, or the size of the messages
     * @param mayBlock whether the listener may take long
     * @param ackTimeout time after which the broker delivers again what is not acknowledged
     */
    public static FetchSize of(ConsumerSettings settings, boolean mayBlock, Duration ackTimeout) {
        int prefetch = settings.prefetch();
        int most = prefetch > 0 ? prefetch : settings.fit(MANY);
        return new FetchSize(prefetch > 0 || !mayBlock ? most : Math.min(FEW, most), most, ackTimeout.toNanos() / PART);
    }

    /** Returns the number of messages of the next request. */
    public int messages() {
        return messages;
    }

    /**
     * Notes how long a batch took.
     *
     * @param delivered number of its messages
     * @param nanos time from the first message to the end of the last delivery, in nanoseconds
     * @return whether the size of the next request is another
     */
    public boolean took(int delivered, long nanos) {
        int before = messages;
        if (nanos >= quickNanos) {
            messages = least;
        } else if (delivered >= before) {
            // A batch that is not full says too little about the time that more messages would take, and needs no room.
            messages = before > most / 2 ? most : 2 * before;
        }
        return messages != before;
    }
}
