package io.brokermeter.reports.document;

import java.util.List;
import java.util.Map;

import io.brokermeter.reports.document.DocumentJson.IfKnown;
import io.brokermeter.reports.document.DocumentJson.Inline;
import org.jspecify.annotations.Nullable;

/**
 * A line of {@code intervals.jsonl}, which is an object of {@code --json} as well: the keys of Artemis {@code perf} first, with rates in
 * whole messages per second, and times in microseconds. What a run does not have is NaN or null.
 *
 * @param time end, in milliseconds since the epoch
 * @param delayed rate of messages that found the window full
 * @param phase phase in which the interval began; empty for none
 * @param counts further counts, by the names of their rows; unknown in files of earlier versions
 * @param elapsedSeconds end, in seconds since the start of the load
 * @param broker the broker in the interval; null if it was not observed
 */
public record IntervalDocument(
        String sampleType, boolean warmup, long time, @IfKnown double sent, @IfKnown double delayed, @IfKnown double completed,
        @IfKnown double received, @IfKnown @Nullable TimeInInterval delaySendTime, @IfKnown @Nullable TimeInInterval sendTime,
        @IfKnown @Nullable TimeInInterval transferTime, @IfKnown @Nullable TimeInInterval responseTime,
        @IfKnown @Nullable TimeInInterval roundTripTime, @IfKnown @Nullable TimeInInterval lateDeliveryTime,
        @IfKnown @Nullable TimeInInterval handlerTime, @IfKnown String phase, @IfKnown double sentMessages,
        @IfKnown double blockedMessages, @IfKnown double completedMessages, @IfKnown double failedMessages,
        @IfKnown double receivedMessages,
        @Inline Map<String, Double> counts, double intervalSeconds, double elapsedSeconds,
        @IfKnown @Nullable BrokerInInterval broker) {

    /** Returns the interval without the times from one machine to another. */
    public IntervalDocument withoutOneWay() {
        return new IntervalDocument(sampleType, warmup, time, sent, delayed, completed, received, delaySendTime, sendTime, null, null,
            roundTripTime, null, handlerTime, phase, sentMessages, blockedMessages, completedMessages, failedMessages,
            receivedMessages, counts, intervalSeconds, elapsedSeconds, broker);
    }

    /** Returns the interval without any times, in the least memory, for a reader who has the samples themselves. */
    public IntervalDocument withoutTimes() {
        BrokerInInterval seen =
            broker == null ? null : new BrokerInInterval(Map.copyOf(broker.figures), Map.copyOf(broker.metrics), broker.processes);
        return new IntervalDocument(sampleType, warmup, time, sent, delayed, completed, received, null, null, null, null, null, null, null,
            phase, sentMessages, blockedMessages, completedMessages, failedMessages, receivedMessages, Map.copyOf(counts),
            intervalSeconds, elapsedSeconds, seen);
    }

    /**
     * A time of messages in the interval.
     *
     * @param figures mean, percentiles and maximum, by key: {@code 99.9}. Every one is a number
     * @param fewSamples percentiles with too few samples beyond them
     * @param negativeCount number of negative samples; NaN if there are none
     * @param clampedCount number of samples that were too large; NaN if there are none
     */
    public record TimeInInterval(@Inline Map<String, Double> figures, long count, @IfKnown List<String> fewSamples,
            @IfKnown double negativeCount, @IfKnown double clampedCount) {}

    /**
     * The broker in the interval.
     *
     * @param figures figures of all of its processes, by key
     * @param metrics further metrics of its own, by name
     * @param processes figures of each process, if there are several
     */
    public record BrokerInInterval(@Inline Map<String, Double> figures, @IfKnown Map<String, Double> metrics,
            @IfKnown List<ProcessInInterval> processes) {}

    /** A process of the broker. */
    public record ProcessInInterval(String name, long pid, @Inline Map<String, Double> figures) {}
}
