package io.brokermeter.engine.scenario;

import java.util.List;

/**
 * A property of messages.
 *
 * @param name its name
 * @param values its values with their shares; one value for a property that is the same in every message
 */
public record Header(String name, List<Weighted<String>> values) {

    public Header {
        values = List.copyOf(values);
        if (name.isEmpty() || values.isEmpty()) {
            throw new UsageException("A header needs a name and a value, like colour=red.");
        }
    }

    /** The same value in every message. */
    public static Header of(String name, String value) {
        return new Header(name, List.of(new Weighted<>(value, 1)));
    }
}
