package io.brokermeter.spi;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * The settings of a producer. Immutable.
 *
 * @param persistent whether the broker must store messages safely before it confirms them
 * @param ttlMillis time to live in milliseconds, 0 for none
 * @param delayMillis how long the broker keeps each message back before it may deliver it, in milliseconds, 0 for no delay;
 *     never shortened, and lengthened at most to the next step of the broker's own clock. A driver whose protocol counts in
 *     coarser units rounds up, and says so in its documentation
 * @param messageIds whether the client gives each message an id
 * @param timestamps whether the client stamps each message with the time
 * @param transacted whether sends belong to a transaction that {@link Producer#commit()} ends
 * @param maxPending the greatest number of sends that will be unconfirmed at a time, 0 for no limit: a hint for sizes of buffers
 * @param envelopeProperty whether every message carries {@link Payload#envelope()} as a property
 * @param variants the attributes of messages apart from their bodies; at least one variant, and more than one only for a driver with
 *     {@link Capability#VARIANTS}; {@link Payload#variant()} is the index of a message's variant
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

    /** The settings of a producer of plain messages: not persistent, not transacted, and without a limit of unconfirmed sends. */
    public static final ProducerSettings DEFAULT = of(its -> {});

    /** The settings as mutable fields, each with its default until it is set. */
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

    /** Creates settings with the values that {@code change} sets, and the defaults for all others. */
    public static ProducerSettings of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new ProducerSettings(its.persistent, its.ttlMillis, its.delayMillis, its.messageIds, its.timestamps,
            its.transacted, its.maxPending, its.envelopeProperty, its.variants);
    }

    /** Returns the group of the first variant; null for none. */
    public @Nullable String group() {
        return variants.getFirst().group();
    }

    /** Returns the priority of the first variant, -1 for the protocol's default. */
    public int priority() {
        return variants.getFirst().priority();
    }

    /** Returns the headers of the first variant. */
    public Map<String, String> headers() {
        return variants.getFirst().headers();
    }
}
