package io.brokermeter.engine.recording;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What a group of producers or of consumers came to. Totals include the warm-up; distributions do not. Of a group with a part in a process that was
 * lost, counts have what that one reported, or are {@link #UNKNOWN}, and distributions are those of the others.
 *
 * @param name its name in the scenario
 * @param producing whether it is a group of producers
 * @param publishesCounts whether it sends what consumers counted, which is no part of the load that was asked
 * @param protocol its protocol
 * @param sent sends that returned; of consumers, replies and counts that they published
 * @param completed sends that were confirmed
 * @param failed sends that failed
 * @param received deliveries; of producers, replies
 * @param messageSeconds of producers, from the begin of their load to its end; of consumers, from the first delivery to the last, 0 when
 *     there were not two; NaN where a process was lost that had a part of it
 * @param measured distributions without the warm-up
 * @param endpoints what each of its producers or consumers came to, in their order
 */
public record GroupResult(
        String name, boolean producing, boolean publishesCounts, String protocol, long sent, long completed, long failed, long received,
        double messageSeconds, Map<Metric, Distribution> measured, List<Endpoint> endpoints) {

    /** What it is made of by name. */
    public static final class Values {

        public String name = "";
        public boolean producing;
        public boolean publishesCounts;
        public String protocol = "";
        public long sent;
        public long completed;
        public long failed;
        public long received;
        public double messageSeconds;
        public Map<Metric, Distribution> measured = Map.of();
        public List<Endpoint> endpoints = List.of();

        private Values() {}
    }

    /** Of what {@code change} sets. */
    public static GroupResult of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new GroupResult(its.name, its.producing, its.publishesCounts, its.protocol, its.sent, its.completed, its.failed,
            its.received, its.messageSeconds, its.measured, its.endpoints);
    }

    /** A count that nobody knows: a process that was lost had a part of it. */
    public static final long UNKNOWN = -1;

    /**
     * One producer or consumer.
     *
     * @param destination where it sends to or receives from
     * @param messages what it sent, or got; {@link #UNKNOWN} of one in a process that was lost
     */
    public record Endpoint(String destination, long messages) {}

    public GroupResult {
        endpoints = List.copyOf(endpoints);
    }

    /** Messages sent a second, or received after the first; 0 when there were not two, NaN where a part of them was lost. */
    public double messagesPerSecond() {
        return Double.isNaN(messageSeconds) ? Double.NaN : messageSeconds > 0 ? (producing ? sent : received - 1) / messageSeconds : 0;
    }
}
