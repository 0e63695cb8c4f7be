package io.brokermeter.engine.scenario.message;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.ProducerSettings;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a group of producers.
 *
 * @param sizes sizes of bodies, the envelope included; without meaning if the content determines the size
 * @param content content of bodies
 * @param bare whether messages carry no envelope, without which there are no transfer times and no ledger
 * @param persistent whether messages are persistent
 * @param ttlMillis time to live in milliseconds, 0 for none
 * @param deliveryDelay time for which the broker holds each message back, zero for none
 * @param keys groups or keys, or null for none
 * @param priorities priorities with their shares; empty for the protocol's default
 * @param headers properties
 * @param messageIds whether messages carry ids
 * @param timestamps whether messages carry timestamps
 */
public record Messages(
        Sizes sizes, Content content, boolean bare, boolean persistent, long ttlMillis, Duration deliveryDelay,
        @Nullable Keys keys, List<Weighted<Integer>> priorities, List<Header> headers, boolean messageIds,
        boolean timestamps) {

    /** Mutable components of {@link Messages}. */
    public static final class Values {

        public Sizes sizes = new Sizes.Fixed(1024);
        public Content content = new Content.Random();
        public boolean bare;
        public boolean persistent;
        public long ttlMillis;
        public Duration deliveryDelay = Duration.ZERO;
        public @Nullable Keys keys;
        public List<Weighted<Integer>> priorities = List.of();
        public List<Header> headers = List.of();
        public boolean messageIds;
        public boolean timestamps;

        private Values() {}
    }

    /** Creates an instance from the components that {@code change} sets. */
    public static Messages of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new Messages(its.sizes, its.content, its.bare, its.persistent, its.ttlMillis, its.deliveryDelay, its.keys, its.priorities,
            its.headers, its.messageIds, its.timestamps);
    }

    public Messages {
        priorities = List.copyOf(priorities);
        headers = List.copyOf(headers);
    }

    /** Sets what producers of these messages do with each of them, whatever its body and its variant. */
    public void set(ProducerSettings.Values its) {
        its.persistent = persistent;
        its.ttlMillis = ttlMillis;
        its.delayMillis = deliveryDelay.toMillis();
        its.messageIds = messageIds;
        its.timestamps = timestamps;
    }

    /** Returns for each capability of drivers that messages may need, apart from variants and envelopes, whether these need it. */
    public Map<Capability, Boolean> needs() {
        Map<Capability, Boolean> needs = new LinkedHashMap<>();
        needs.put(Capability.PERSISTENCE, persistent);
        needs.put(Capability.TIME_TO_LIVE, ttlMillis > 0);
        needs.put(Capability.MESSAGE_GROUPS, keys != null);
        needs.put(Capability.PRIORITY, !priorities.isEmpty());
        needs.put(Capability.DELAYED_DELIVERY, !deliveryDelay.isZero());
        needs.put(Capability.MESSAGE_IDS, messageIds);
        needs.put(Capability.TIMESTAMPS, timestamps);
        needs.put(Capability.HEADERS, !headers.isEmpty());
        return needs;
    }

    /**
     * Reads priorities from 0 to 9: {@code 4}, or several with shares, {@code 4:90%,9:10%}.
     *
     * @throws UsageException with one sentence
     */
    public static List<Weighted<Integer>> priorities(String text) {
        return Weighted.parse(text, ':', each -> {
            if (each.length() != 1 || each.charAt(0) < '0' || each.charAt(0) > '9') {
                throw new UsageException("Priority '" + each + "' is not a number from 0 to 9; several come like 4:90%,9:10%.");
            }
            return each.charAt(0) - '0';
        });
    }

    /** Creates messages of random bytes of one size, which are not persistent and have no other properties. */
    public static Messages ofSize(int bytes) {
        return Messages.of(its -> its.sizes = new Sizes.Fixed(bytes));
    }
}
