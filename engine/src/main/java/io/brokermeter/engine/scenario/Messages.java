package io.brokermeter.engine.scenario;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * What the messages of a group of producers are.
 *
 * @param sizes body sizes, the envelope included; without meaning where the content decides
 * @param content what bodies consist of
 * @param bare whether messages carry no envelope: no transfer time, no ledger
 * @param persistent delivery mode
 * @param ttlMillis time to live in milliseconds, 0 for none
 * @param deliveryDelay how long the broker keeps each message back, zero for not at all
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

    /** What it is made of by name. */
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

    /** Of what {@code change} sets. */
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

    /** Random bytes of one size, not persistent, with nothing else. */
    public static Messages ofSize(int bytes) {
        return Messages.of(its -> its.sizes = new Sizes.Fixed(bytes));
    }
}
