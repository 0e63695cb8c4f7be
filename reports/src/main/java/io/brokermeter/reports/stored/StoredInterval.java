package io.brokermeter.reports.stored;

import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.document.IntervalDocument;
import io.brokermeter.reports.document.IntervalDocument.TimeInInterval;
import org.jspecify.annotations.Nullable;

/**
 * One reporting interval of a stored run. Counts are exact if the run's files have format 2; those of format 1 are computed from rates
 * that were rounded to whole messages per second.
 *
 * @param index number of the interval, from 0
 * @param document the object of {@code intervals.jsonl}
 */
public record StoredInterval(int index, IntervalDocument document) {

    /** Returns whether the interval began in the warm-up. */
    public boolean warmup() {
        return document.warmup();
    }

    /** Returns the name of the phase in which the interval began; empty for none. */
    public String phase() {
        return document.phase();
    }

    /** Returns the end of the interval, in milliseconds since the epoch. */
    public long endEpochMillis() {
        return document.time();
    }

    public double seconds() {
        return document.intervalSeconds();
    }

    /** Returns the end of the interval, in seconds since the start of the load. */
    public double elapsedSeconds() {
        return document.elapsedSeconds();
    }

    /** Returns the messages sent per second; NaN for a run that only receives. */
    public double sentPerSecond() {
        return rate(document.sentMessages(), document.sent());
    }

    /** Returns the confirmations per second; NaN for a run that only receives. */
    public double completedPerSecond() {
        return rate(document.completedMessages(), document.completed());
    }

    /** Returns the deliveries per second; NaN for a run that only sends. */
    public double receivedPerSecond() {
        return rate(document.receivedMessages(), document.received());
    }

    public long sent() {
        return count(document.sentMessages(), document.sent());
    }

    public long blocked() {
        return count(document.blockedMessages(), document.delayed());
    }

    public long completed() {
        return count(document.completedMessages(), document.completed());
    }

    public long received() {
        return count(document.receivedMessages(), document.received());
    }

    public long failed() {
        return count(document.failedMessages(), document.failedMessages());
    }

    /** Returns one of the counts that {@link ResultField#ofParts} lists; NaN if it is unknown, as in files of earlier versions. */
    public double count(Count count) {
        return document.counts().getOrDefault(count.key(), Double.NaN);
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
        TimeInInterval time = time(metric);
        return time == null || time.count() == 0 || time.fewSamples().contains(figure) ? Double.NaN
            : time.figures().getOrDefault(figure, Double.NaN);
    }

    private @Nullable TimeInInterval time(Metric metric) {
        return switch (metric) {
            case SEND_DELAY -> document.delaySendTime();
            case SEND -> document.sendTime();
            case TRANSFER -> document.transferTime();
            case RESPONSE -> document.responseTime();
            case ROUND_TRIP -> document.roundTripTime();
            case LATE_DELIVERY -> document.lateDeliveryTime();
            case HANDLER -> document.handlerTime();
        };
    }

    /** Returns the number of samples of a time in this interval. */
    public long samples(Metric metric) {
        TimeInInterval time = time(metric);
        return time == null ? 0 : time.count();
    }

    /** Returns a figure of the broker by its name in {@code intervals.jsonl}, such as {@code cpuPercent}; NaN if it is unknown. */
    public double broker(String figure) {
        return document.broker() == null ? Double.NaN : document.broker().figures().getOrDefault(figure, Double.NaN);
    }

    /** Returns whether the run has producers. */
    public boolean sends() {
        return Double.isFinite(document.sent());
    }

    /** Returns whether the run has consumers. */
    public boolean receives() {
        return Double.isFinite(document.received());
    }

    private double rate(double exact, double rounded) {
        return Double.isNaN(exact) || !(seconds() > 0) ? rounded : exact / seconds();
    }

    private long count(double exact, double perSecond) {
        double estimate = perSecond * seconds();
        return !Double.isNaN(exact) ? (long) exact : Double.isNaN(estimate) ? 0 : Math.round(estimate);
    }
}
