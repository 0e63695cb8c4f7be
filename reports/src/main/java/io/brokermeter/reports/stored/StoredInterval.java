package io.brokermeter.reports.stored;

import java.util.List;
import java.util.Map;

import io.brokermeter.engine.recording.Metric;
import io.brokermeter.engine.scenario.Count;
import io.brokermeter.reports.JsonReport;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * One reporting interval of a stored run. Counts are exact if the run's files have format 2; those of format 1 are computed from rates
 * that were rounded to whole messages per second.
 *
 * @param index number of the interval, from 0
 * @param values the object of {@code intervals.jsonl}
 */
public record StoredInterval(int index, Map<String, @Nullable Object> values) {

    /** Returns whether the interval began in the warm-up. */
    public boolean warmup() {
        return Boolean.TRUE.equals(values.get("warmup"));
    }

    /** Returns the name of the phase in which the interval began; empty for none. */
    public String phase() {
        return values.get("phase") instanceof String name ? name : "";
    }

    /** Returns the end of the interval, in milliseconds since the epoch. */
    public long endEpochMillis() {
        return values.get("time") instanceof Long millis ? millis : 0;
    }

    public double seconds() {
        return number("intervalSeconds");
    }

    /** Returns the end of the interval, in seconds since the start of the load. */
    public double elapsedSeconds() {
        return number("elapsedSeconds");
    }

    /** Returns the messages sent per second; NaN for a run that only receives. */
    public double sentPerSecond() {
        return rate("sentMessages", "sent");
    }

    /** Returns the confirmations per second; NaN for a run that only receives. */
    public double completedPerSecond() {
        return rate("completedMessages", "completed");
    }

    /** Returns the deliveries per second; NaN for a run that only sends. */
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

    /** Returns one of the counts that {@link ResultField#ofParts} lists; NaN if it is unknown, as in files of earlier versions. */
    public double count(Count count) {
        return number(count.key());
    }

    /** Returns the rate of such a count. */
    public double perSecond(Count count) {
        return seconds() > 0 ? count(count) / seconds() : Double.NaN;
    }

    /**
     * Returns a figure of a time in this interval, in microseconds; NaN if there is none, or it has too few samples.
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

    /** Returns the number of samples of a time in this interval. */
    public long samples(Metric metric) {
        double count = number(JsonReport.key(metric), "count");
        return Double.isNaN(count) ? 0 : (long) count;
    }

    /** Returns a figure of the broker by its name in {@code intervals.jsonl}, such as {@code cpuPercent}; NaN if it is unknown. */
    public double broker(String figure) {
        return number("broker", figure);
    }

    /** Returns the number at the end of a path of names; NaN if it is absent or unknown. */
    public double number(String... path) {
        return StoredResult.number(values, List.of(path));
    }

    /** Returns whether the run has producers. */
    public boolean sends() {
        return values.containsKey("sent");
    }

    /** Returns whether the run has consumers. */
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
