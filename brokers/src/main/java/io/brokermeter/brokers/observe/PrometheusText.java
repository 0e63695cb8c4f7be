package io.brokermeter.brokers.observe;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * The Prometheus text format 0.0.4 and OpenMetrics 1.0, as far as samples go: comments, time stamps and exemplars are
 * passed over, and a line that is none of all this is too.
 */
final class PrometheusText {

    private final String text;
    private int at;

    private PrometheusText(String line) {
        this.text = line;
    }

    /** Hears of samples. */
    @FunctionalInterface
    interface Samples {
        void sample(String name, Map<String, String> labels, double value);
    }

    /**
     * Reads a text.
     *
     * @param wanted the names to read; other lines cost little
     */
    static void read(String text, Predicate<String> wanted, Samples samples) {
        int begin = 0;
        while (begin < text.length()) {
            int end = text.indexOf('\n', begin);
            end = end < 0 ? text.length() : end;
            if (end > begin && text.charAt(begin) != '#') {
                PrometheusText line = new PrometheusText(text.substring(begin, end));
                Series series = line.series(wanted);
                if (series != null) {
                    double value = line.value();
                    if (!Double.isNaN(value)) {
                        samples.sample(series.name, series.labels, value);
                    }
                }
            }
            begin = end + 1;
        }
    }

    /** A name with labels. */
    record Series(String name, Map<String, String> labels) {}

    /** Reads {@code name} or {@code name{label="value",...}}, nothing behind it; null when it is neither. */
    static @Nullable Series series(String text) {
        PrometheusText line = new PrometheusText(text.strip());
        Series series = line.series(_ -> true);
        return series == null || line.at < line.text.length() ? null : series;
    }

    private @Nullable Series series(Predicate<String> wanted) {
        blanks();
        int begin = at;
        while (at < text.length() && isName(text.charAt(at))) {
            at++;
        }
        String name = text.substring(begin, at);
        if (!name.isEmpty() && (Character.isDigit(name.charAt(0)) || !wanted.test(name))) {
            return null;
        }
        blanks();
        Map<String, String> labels = new LinkedHashMap<>();
        if (at < text.length() && text.charAt(at) == '{') {
            at++;
            while (true) {
                blanks();
                if (at >= text.length()) {
                    return null;
                }
                if (text.charAt(at) == '}') {
                    at++;
                    break;
                }
                String label = text.charAt(at) == '"' ? quoted() : word();
                blanks();
                if (label == null || label.isEmpty()) {
                    return null;
                }
                if (at < text.length() && text.charAt(at) == '=') {
                    at++;
                    blanks();
                    String value = at < text.length() && text.charAt(at) == '"' ? quoted() : null;
                    if (value == null) {
                        return null;
                    }
                    labels.put(label, value);
                } else if (name.isEmpty()) {
                    // A name that is no plain word stands among the labels.
                    name = label;
                } else {
                    return null;
                }
                blanks();
                if (at < text.length() && text.charAt(at) == ',') {
                    at++;
                }
            }
        }
        return name.isEmpty() || !wanted.test(name) ? null : new Series(name, labels);
    }

    private static boolean isName(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == ':';
    }

    private void blanks() {
        while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t' || text.charAt(at) == '\r')) {
            at++;
        }
    }

    private String word() {
        int begin = at;
        while (at < text.length() && isName(text.charAt(at))) {
            at++;
        }
        return text.substring(begin, at);
    }

    private @Nullable String quoted() {
        StringBuilder b = new StringBuilder();
        for (at++; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '"') {
                at++;
                return b.toString();
            }
            if (c == '\\' && at + 1 < text.length()) {
                at++;
                c = text.charAt(at) == 'n' ? '\n' : text.charAt(at);
            }
            b.append(c);
        }
        return null;
    }

    /** The number behind the series; NaN for none. */
    private double value() {
        blanks();
        int begin = at;
        while (at < text.length() && text.charAt(at) != ' ' && text.charAt(at) != '\t' && text.charAt(at) != '\r') {
            at++;
        }
        String number = text.substring(begin, at);
        try {
            return switch (number) {
                case "+Inf", "Inf" -> Double.POSITIVE_INFINITY;
                case "-Inf" -> Double.NEGATIVE_INFINITY;
                default -> Double.parseDouble(number);
            };
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }
}
