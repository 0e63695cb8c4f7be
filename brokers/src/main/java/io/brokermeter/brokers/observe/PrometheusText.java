package io.brokermeter.brokers.observe;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Parses samples in the Prometheus text format 0.0.4 and OpenMetrics 1.0. Comments, time stamps, exemplars and malformed lines are ignored.
 */
final class PrometheusText {

    private static final String QUOTED = "\"((?:[^\"\\\\]++|\\\\.)*+)\"";
    private static final Pattern NAME = Pattern.compile("\\s*([A-Za-z_:][\\w:]*+)?\\s*");
    private static final Pattern LABELS = Pattern.compile("\\{((?:[^\"}]++|" + QUOTED + ")*+)}\\s*");
    private static final Pattern LABEL =
        Pattern.compile("\\s*(?:([\\w:]++)|" + QUOTED + ")\\s*(?:=\\s*" + QUOTED + ")?\\s*,?\\s*");
    private static final Pattern ESCAPE = Pattern.compile("\\\\(.)");

    private PrometheusText() {}

    /** Receives samples. */
    @FunctionalInterface
    interface Samples {
        void sample(String name, Map<String, String> labels, double value);
    }

    /** The name of a series with its labels. */
    record Series(String name, Map<String, String> labels) {}

    /**
     * A parsed series.
     *
     * @param end index of the first character after the series
     */
    private record Parsed(Series series, int end) {}

    /**
     * Parses a text.
     *
     * @param wanted tests whether a name is to be read; other lines cost little
     */
    static void read(String text, Predicate<String> wanted, Samples samples) {
        text.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            Parsed parsed = parsed(line, wanted);
            double value = parsed == null ? Double.NaN : value(line.substring(parsed.end).split("\\s", 2)[0]);
            if (parsed != null && !Double.isNaN(value)) {
                samples.sample(parsed.series.name, parsed.series.labels, value);
            }
        });
    }

    /** Parses {@code name} or {@code name{label="value",...}}; returns null for any other text. */
    static @Nullable Series series(String text) {
        Parsed parsed = parsed(text, _ -> true);
        return parsed == null || parsed.end < text.length() ? null : parsed.series;
    }

    private static @Nullable Parsed parsed(String line, Predicate<String> wanted) {
        Matcher names = NAME.matcher(line);
        String name = names.lookingAt() && names.group(1) != null ? names.group(1) : "";
        if (!name.isEmpty() && !wanted.test(name)) {
            return null;
        }
        Map<String, String> labels = new LinkedHashMap<>();
        Matcher braces = LABELS.matcher(line).region(names.end(), line.length());
        int end = names.end();
        if (braces.lookingAt()) {
            end = braces.end();
            String inside = braces.group(1).strip();
            Matcher label = LABEL.matcher(inside);
            for (int at = 0; at < inside.length(); at = label.end()) {
                if (!label.region(at, inside.length()).lookingAt()) {
                    return null;
                }
                String key = label.group(1) == null ? plain(label.group(2)) : label.group(1);
                if (label.group(3) != null) {
                    labels.put(key, plain(label.group(3)));
                } else if (name.isEmpty()) {
                    // A name that is not a plain word is among the labels.
                    name = key;
                } else {
                    return null;
                }
            }
        }
        return name.isEmpty() || !wanted.test(name) ? null : new Parsed(new Series(name, labels), end);
    }

    private static String plain(String quoted) {
        return ESCAPE.matcher(quoted).replaceAll(escape -> escape.group(1).equals("n") ? "\n" : Matcher.quoteReplacement(escape.group(1)));
    }

    /** Parses a number; returns NaN for text that is not a number. */
    private static double value(String number) {
        try {
            return number.endsWith("Inf") ? Double.parseDouble(number + "inity") : Double.parseDouble(number);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }
}
