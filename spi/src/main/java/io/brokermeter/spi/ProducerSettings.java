package io.brokermeter.spi;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * How a producer sends.
 *
 * @param persistent whether the broker must store messages safely before it confirms them
 * @param ttlMillis time to live in milliseconds, 0 for none
 * @param group the message group of every message, or null for none
 * @param messageIds whether the client gives each message an id
 * @param timestamps whether the client stamps each message with the time
 * @param transacted whether sends belong to a transaction that {@link Producer#commit()} ends
 * @param maxPending the most sends that will be unconfirmed at a time, 0 for no limit: a hint for sizes of buffers
 * @param headers properties of every message by name: what selectors read and protocols call property or header
 */
public record ProducerSettings(
        boolean persistent, long ttlMillis, @Nullable String group, boolean messageIds, boolean timestamps,
        boolean transacted, int maxPending, Map<String, String> headers) {

    public ProducerSettings {
        headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    }

    /** Without headers. */
    public ProducerSettings(
            boolean persistent, long ttlMillis, @Nullable String group, boolean messageIds, boolean timestamps,
            boolean transacted, int maxPending) {
        this(persistent, ttlMillis, group, messageIds, timestamps, transacted, maxPending, Map.of());
    }
}
