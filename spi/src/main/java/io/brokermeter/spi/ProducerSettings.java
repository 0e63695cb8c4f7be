package io.brokermeter.spi;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * How a producer sends.
 *
 * @param persistent whether the broker must store messages safely before it confirms them
 * @param ttlMillis time to live in milliseconds, 0 for none
 * @param delayMillis how long the broker keeps each message back before it may deliver it, in milliseconds, 0 for not at all;
 *     never shortened, and lengthened by the steps of the broker's own clock at most. A driver whose protocol counts in
 *     coarser units rounds up, and says so in its documentation
 * @param messageIds whether the client gives each message an id
 * @param timestamps whether the client stamps each message with the time
 * @param transacted whether sends belong to a transaction that {@link Producer#commit()} ends
 * @param maxPending the most sends that will be unconfirmed at a time, 0 for no limit: a hint for sizes of buffers
 * @param envelopeProperty whether every message carries {@link Payload#envelope()} as a property
 * @param variants what messages are like, apart from their bodies; at least one, and more than one only for a driver with
 *     {@link Capability#VARIANTS}; {@link Payload#variant()} says which one a message is
 */
public record ProducerSettings(
        boolean persistent, long ttlMillis, long delayMillis, boolean messageIds, boolean timestamps, boolean transacted,
        int maxPending, boolean envelopeProperty, List<MessageVariant> variants) {

    public ProducerSettings {
        variants = List.copyOf(variants);
        if (variants.isEmpty()) {
            throw new IllegalArgumentException("A producer needs at least one variant of its messages.");
        }
    }

    /** Sends plain messages as fast as it may. */
    public static final ProducerSettings DEFAULT = of(its -> {});

    /** The settings by name, each with its default as long as it is not set. */
    public static final class Values {

        public boolean persistent;
        public long ttlMillis;
        public long delayMillis;
        public boolean messageIds;
        public boolean timestamps;
        public boolean transacted;
        public int maxPending;
        public boolean envelopeProperty;
        public List<MessageVariant> variants = List.of(MessageVariant.PLAIN);

        private Values() {}
    }

    /** The defaults but for what {@code change} sets. */
    public static ProducerSettings of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new ProducerSettings(its.persistent, its.ttlMillis, its.delayMillis, its.messageIds, its.timestamps,
            its.transacted, its.maxPending, its.envelopeProperty, its.variants);
    }

    /** Group of the first variant. */
    public @Nullable String group() {
        return variants.getFirst().group();
    }

    /** Priority of the first variant, -1 for the protocol's default. */
    public int priority() {
        return variants.getFirst().priority();
    }

    /** Headers of the first variant. */
    public Map<String, String> headers() {
        return variants.getFirst().headers();
    }
}
