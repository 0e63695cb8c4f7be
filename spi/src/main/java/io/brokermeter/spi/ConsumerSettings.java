package io.brokermeter.spi;

import org.jspecify.annotations.Nullable;

/**
 * The settings of a consumer. Immutable.
 *
 * @param ackMode how the consumer acknowledges messages
 * @param batch messages per acknowledgement or transaction; 1 or more
 * @param subscription name of the subscription on a topic, or null for an unnamed one
 * @param durable whether the subscription outlives its consumers
 * @param shared whether several consumers share the subscription
 * @param prefetch messages the client may hold unprocessed, or -1 for the client's own default
 * @param mayBlock whether the listener may take long or block, for example to simulate processing; false allows a driver
 *     to call it from the thread that reads the socket
 * @param selector the condition on headers that a message must meet to be delivered, in the broker's own language, or null
 *     for none
 * @param settles whether the listener may return another {@link Settlement} than {@code ACCEPT} and {@code LEAVE}. Only with
 *     {@link AckMode#AUTO}: a message that is not accepted is settled by itself, at once
 * @param polling whether to fetch messages from the broker each time the engine polls, rather than having them pushed
 * @param competing whether the run has other consumers on the same queue, which are to share its messages
 * @param resumes whether the run had opened this consumer before, so that what the broker kept for it meanwhile must be delivered
 * @param messageBytes size of the largest body that the run sends to the destination, in bytes; 0 where others send, or nobody does
 */
public record ConsumerSettings(
        AckMode ackMode, int batch, @Nullable String subscription, boolean durable, boolean shared, int prefetch,
        boolean mayBlock, @Nullable String selector, boolean settles, boolean polling, boolean competing, boolean resumes,
        int messageBytes) {

    /** The bytes that messages held unprocessed may have altogether unless the user sets a prefetch: brokers drop clients that hold more. */
    private static final int HELD = 16 << 20;

    /** The settings of a consumer that acknowledges each message by itself and whose listener does not block. */
    public static final ConsumerSettings DEFAULT = of(its -> {});

    /** The settings as mutable fields, each with its default until it is set. */
    public static final class Values {

        public AckMode ackMode = AckMode.AUTO;
        public int batch = 1;
        public @Nullable String subscription;
        public boolean durable;
        public boolean shared;
        public int prefetch = -1;
        public boolean mayBlock;
        public @Nullable String selector;
        public boolean settles;
        public boolean polling;
        public boolean competing;
        public boolean resumes;
        public int messageBytes;

        private Values() {}
    }

    /** Creates settings with the values that {@code change} sets, and the defaults for all others. */
    public static ConsumerSettings of(java.util.function.Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new ConsumerSettings(its.ackMode, its.batch, its.subscription, its.durable, its.shared, its.prefetch,
            its.mayBlock, its.selector, its.settles, its.polling, its.competing, its.resumes, its.messageBytes);
    }

    /** Returns these settings for a consumer that the run opens once more. */
    public ConsumerSettings resumed() {
        return new ConsumerSettings(ackMode, batch, subscription, durable, shared, prefetch, mayBlock, selector, settles, polling,
            competing, true, messageBytes);
    }

    /**
     * Returns the number of messages that a client may hold unprocessed, or ask for at a time, where the user sets none: {@code usual}, or
     * as many of the run's largest messages as 16 MiB hold, at least 1. Limits of brokers and memory count bytes.
     */
    public int fit(int usual) {
        return messageBytes == 0 ? usual : Math.clamp(HELD / messageBytes, 1, usual);
    }

    /**
     * Checks a durable or shared subscription against its destination.
     *
     * @throws IllegalArgumentException with one sentence for the user, when the destination is a queue or the subscription has no name
     */
    public void requireSubscription(Destination destination) {
        if (durable || shared) {
            String kind = shared ? "shared" : "durable";
            if (!destination.isTopic()) {
                throw new IllegalArgumentException(
                    "A " + kind + " subscription needs a topic, and " + destination + " is a queue.");
            }
            if (subscription == null) {
                throw new IllegalArgumentException("A " + kind + " subscription on " + destination + " needs a name.");
            }
        }
    }
}
