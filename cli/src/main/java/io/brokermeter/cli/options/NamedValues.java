package io.brokermeter.cli.options;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.brokermeter.engine.scenario.UsageException;

/** Options of the form {@code NAME=VALUE} that may be given more than once. */
public final class NamedValues {

    private NamedValues() {}

    /**
     * Reads them, in their order.
     *
     * @param option the option they came with, for the sentence
     * @throws UsageException for one without a name or without {@code =}, and for a name that comes twice
     */
    public static Map<String, String> parse(List<String> texts, String option) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String text : texts) {
            int equals = text.indexOf('=');
            if (equals < 1) {
                throw new UsageException(option + " needs NAME=VALUE, not '" + (equals < 0 ? text : "=...") + "'.");
            }
            if (values.put(text.substring(0, equals), text.substring(equals + 1)) != null) {
                throw new UsageException(option + " gives " + text.substring(0, equals) + " twice.");
            }
        }
        return values;
    }
}
