package io.brokermeter.reports.stored;

import java.util.List;
import java.util.Map;

import io.brokermeter.engine.recording.Metric;
import io.brokermeter.reports.JsonReport;
import io.brokermeter.reports.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * One reporting interval of a stored run. Counts are exact where the run's files have format 2; those of format 1 are made of rates that were
 * rounded to whole messages a second.
 *
 * @param index 0 for the first
 * @param values the object of {@code intervals.jsonl}
 */
public record StoredInterval(int index, Map<String, @Nullable Object> values) {

    /** Whether it began in the warm-up. */
    public boolean warmup() {
        return Boolean.TRUE.equals(values.get("warmup"));
    }

    /** The name of the phase in which it began, empty for none. */
    public String phase() {
        return values.get("phase") instanceof String name ? name : "";
    }

    /** Its end, in milliseconds since the epoch. */
    public long endEpochMillis() {
        return values.get("time") instanceof Long millis ? millis : 0;
    }

    public double seconds() {
        return number("intervalSeconds");
    }

    /** Its end since the start of the load. */
    public double elapsedSeconds() {
        return number("elapsedSeconds");
    }

    /** Messages sent a second; NaN for a run that only receives. */
    public double sentPerSecond() {
        return rate("sentMessages", "sent");
    }

    /** Confirmations a second; NaN for a run that only receives. */
    public double completedPerSecond() {
        return rate("completedMessages", "completed");
    }

    /** Deliveries a second; NaN for a run that only sends. */
    public double receivedPerSecond() {
        return rate("receivedMessages", "received");
    }

    public long sent() {
        return count("sentMessages", "sent");
    }

    public long blocked() {
        return count("blockedMessages", "delayed");
    }

    public long completed() {
        return count("completedMessages", "completed");
    }

    public long received() {
        return count("receivedMessages", "received");
    }

    public long failed() {
        return count("failedMessages", "failedMessages");
    }

    /**
     * A figure of the times of this interval, in microseconds; NaN when there is none, or too few samples stand behind it.
     *
     * @param figure {@code mean}, {@code max} or a percentile as {@code 99.9}
     */
    public double micros(Metric metric, String figure) {
        if (!(values.get(JsonReport.key(metric)) instanceof Map<?, ?> times) || StoredResult.number(times, List.of("count")) == 0
            || times.get("fewSamples") instanceof List<?> few && few.contains(figure)) {
            return Double.NaN;
        }
        return StoredResult.number(times, List.of(figure));
    }

    /** How many samples of a time it has. */
    public long samples(Metric metric) {
        double count = number(JsonReport.key(metric), "count");
        return Double.isNaN(count) ? 0 : (long) count;
    }

    /** A figure of the broker by its name in {@code intervals.jsonl}, such as {@code cpuPercent}; NaN when it is not known. */
    public double broker(String figure) {
        return number("broker", figure);
    }

    /** The number at the end of a path of names; NaN when it is not there or not known. */
    public double number(String... path) {
        return StoredResult.number(values, List.of(path));
    }

    /** Whether the run has producers. */
    public boolean sends() {
        return values.containsKey("sent");
    }

    /** Whether the run has consumers. */
    public boolean receives() {
        return values.containsKey("received");
    }

    boolean has(String name) {
        return values.containsKey(name);
    }

    private double rate(String exact, String rounded) {
        double count = number(exact);
        return Double.isNaN(count) || !(seconds() > 0) ? number(rounded) : count / seconds();
    }

    private long count(String exact, String perSecond) {
        double count = number(exact);
        double estimate = number(perSecond) * seconds();
        return !Double.isNaN(count) ? (long) count : Double.isNaN(estimate) ? 0 : Math.round(estimate);
    }
}
