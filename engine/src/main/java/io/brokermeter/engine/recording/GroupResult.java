package io.brokermeter.engine.recording;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.brokermeter.engine.scenario.measure.Metric;

/**
 * The result of a group of producers or of consumers. Totals include the warm-up; distributions do not. If a lost process had a part of
 * the group, counts include what that process reported, or are {@link Counts#UNKNOWN}, and distributions are those of the other processes.
 *
 * @param name name of the group in the scenario
 * @param producing whether this is a group of producers
 * @param publishesCounts whether the group publishes the counts of consumers, which is no part of the requested load
 * @param protocol protocol of the group
 * @param counts what the producers or consumers counted: of producers, deliveries are those of replies; of consumers, sends are replies and
 *     counts that they published
 * @param messageSeconds of producers, the time from the start of their load to its end; of consumers, from the first delivery to the
 *     last, 0 if there were not two; NaN if a process was lost that had a part of the group
 * @param measured distributions without the warm-up
 * @param endpoints results of the group's producers or consumers, in their order
 */
public record GroupResult(
        String name, boolean producing, boolean publishesCounts, String protocol, Counts counts,
        double messageSeconds, Map<Metric, Distribution> measured, List<EndpointResult> endpoints)
        implements
            HasCounts {

    /** Mutable components of a {@link GroupResult}. */
    public static final class Values extends HasCounts.Values {

        public String name = "";
        public boolean producing;
        public boolean publishesCounts;
        public String protocol = "";
        public double messageSeconds;
        public Map<Metric, Distribution> measured = Map.of();
        public List<EndpointResult> endpoints = List.of();

        private Values() {}
    }

    /** Creates an instance from the components that {@code change} sets. */
    public static GroupResult of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new GroupResult(its.name, its.producing, its.publishesCounts, its.protocol, its.counts,
            its.messageSeconds, its.measured, its.endpoints);
    }

    /**
     * The result of one producer or consumer.
     *
     * @param destination destination of the producer or consumer
     * @param messages number of messages sent or received; {@link Counts#UNKNOWN} if the process was lost
     */
    public record EndpointResult(String destination, long messages) {}

    public GroupResult {
        endpoints = List.copyOf(endpoints);
    }

    /** Returns the kind of the group in files: {@code producers} or {@code consumers}. */
    public String kind() {
        return producing ? "producers" : "consumers";
    }

    /** Returns the messages sent per second, or received after the first one; 0 if there were not two, NaN if a part was lost. */
    public double messagesPerSecond() {
        return Double.isNaN(messageSeconds) ? Double.NaN : messageSeconds > 0 ? (producing ? sent() : received() - 1) / messageSeconds : 0;
    }
}
