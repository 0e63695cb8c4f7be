package io.brokermeter.engine.recording;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What lay between the groups of a run and their brokers, and what handing over took in the measured part.
 *
 * @param way {@code proxy} or {@code link}
 * @param why why it was not the other one; empty where that is the better one
 * @param rules what each group had, by its side and name: {@code producers NAME}
 * @param passed packets that a link handed over; -1 for a proxy
 * @param lost packets that it lost because its rule says so; -1 for a proxy
 * @param dropped packets that its line had no room for; -1 for a proxy
 * @param cpuSeconds CPU time of the process that handed over, which is neither the generator's nor the broker's
 * @param cpuPercent its mean use of processors, 100 for one whole core; NaN when unknown
 */
public record NetworkFigures(String way, String why, Map<String, String> rules, long passed, long lost, long dropped, double cpuSeconds,
        double cpuPercent) {

    /** What it is made of by name; what is not set is not known. */
    public static final class Values {

        public String way = "";
        public String why = "";
        public Map<String, String> rules = Map.of();
        public long passed = -1;
        public long lost = -1;
        public long dropped = -1;
        public double cpuSeconds = Double.NaN;
        public double cpuPercent = Double.NaN;

        private Values() {}
    }

    /** Of what {@code change} sets. */
    public static NetworkFigures of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new NetworkFigures(its.way, its.why, its.rules, its.passed, its.lost, its.dropped, its.cpuSeconds, its.cpuPercent);
    }

    public NetworkFigures {
        rules = Collections.unmodifiableMap(new LinkedHashMap<>(rules));
    }
}
