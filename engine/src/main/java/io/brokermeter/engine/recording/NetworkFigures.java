package io.brokermeter.engine.recording;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The network that a run made between its groups and their brokers, and the cost of forwarding in the measured part.
 *
 * @param way kind of network, {@code proxy} or {@code link}
 * @param why why the network was no link, which is the better kind; empty for a link
 * @param rules rule of each group, by its side and name: {@code producers NAME}
 * @param passed number of packets that a link forwarded; -1 for a proxy
 * @param lost number of packets that a link lost because its rule demands it; -1 for a proxy
 * @param dropped number of packets that the line of a link had no room for; -1 for a proxy
 * @param cpuSeconds CPU time of the process that forwarded, which belongs neither to the generator nor to the broker
 * @param cpuPercent mean use of processors by that process, 100 for one whole core; NaN if unknown
 */
public record NetworkFigures(String way, String why, Map<String, String> rules, long passed, long lost, long dropped, double cpuSeconds,
        double cpuPercent) {

    public NetworkFigures {
        rules = Collections.unmodifiableMap(new LinkedHashMap<>(rules));
    }
}
