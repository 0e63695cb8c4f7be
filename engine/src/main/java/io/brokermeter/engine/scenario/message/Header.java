package io.brokermeter.engine.scenario.message;

import java.util.List;

import io.brokermeter.engine.scenario.UsageException;

/**
 * A property of messages.
 *
 * @param name name of the property
 * @param values values of the property with their shares; one value for a property that is the same in every message
 */
public record Header(String name, List<Weighted<String>> values) {

    public Header {
        values = List.copyOf(values);
        if (name.isEmpty() || values.isEmpty()) {
            throw new UsageException("A header needs a name and a value, like colour=red.");
        }
    }

    /**
     * Reads a header with a value that is the same in every message, or with several values in braces with shares:
     * {@code {eu:30%,us:70%}}, or {@code {eu,us}} for equal shares.
     *
     * @throws UsageException with one sentence
     */
    public static Header parse(String name, String value) {
        String text = value.strip();
        if (!text.startsWith("{") || !text.endsWith("}") || text.length() < 2) {
            return of(name, value);
        }
        return new Header(name, Weighted.parse(text.substring(1, text.length() - 1), ':', each -> each));
    }

    /** Creates a header with the same value in every message. */
    public static Header of(String name, String value) {
        return new Header(name, List.of(new Weighted<>(value, 1)));
    }
}
