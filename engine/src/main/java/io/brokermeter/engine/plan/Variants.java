package io.brokermeter.engine.plan;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.message.Header;
import io.brokermeter.engine.scenario.message.Keys;
import io.brokermeter.engine.scenario.message.Messages;
import io.brokermeter.engine.scenario.message.Weighted;
import io.brokermeter.spi.MessageVariant;

/**
 * The combinations of key, priority and header values that messages can have, in the order of mixed radix numbers: the key
 * varies slowest, then the priority, then the headers in their order.
 */
public final class Variants {

    /** The largest number of combinations, each of which a driver encodes before the run. */
    static final int MOST = 200_000;

    private Variants() {}

    /** Returns the number of combinations. */
    static long count(Messages messages) {
        long count = messages.keys() == null ? 1 : messages.keys().count();
        count *= Math.max(1, messages.priorities().size());
        for (Header header : messages.headers()) {
            count = Math.min(count * header.values().size(), Integer.MAX_VALUE);
        }
        return count;
    }

    /** Returns all combinations, in order. */
    static List<MessageVariant> of(Messages messages) {
        if (count(messages) > MOST) {
            throw new UsageException("Keys, priorities and headers make " + count(messages)
                + " kinds of messages, which are more than 200,000; use fewer keys or values.");
        }
        Keys keys = messages.keys();
        List<MessageVariant> all = new ArrayList<>();
        for (int k = 0; k < (keys == null ? 1 : keys.count()); k++) {
            String group = keys == null ? null : keys.key(k);
            for (int p = 0; p < Math.max(1, messages.priorities().size()); p++) {
                int priority = messages.priorities().isEmpty() ? -1 : messages.priorities().get(p).value();
                for (Map<String, String> headers : headers(messages.headers())) {
                    all.add(new MessageVariant(group, priority, headers));
                }
            }
        }
        return List.copyOf(all);
    }

    private static List<Map<String, String>> headers(List<Header> headers) {
        List<Map<String, String>> all = List.of(Map.of());
        for (Header header : headers) {
            List<Map<String, String>> more = new ArrayList<>();
            for (Map<String, String> begun : all) {
                for (Weighted<String> value : header.values()) {
                    Map<String, String> one = new LinkedHashMap<>(begun);
                    one.put(header.name(), value.value());
                    more.add(one);
                }
            }
            all = more;
        }
        return all;
    }
}
