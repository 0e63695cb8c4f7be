package io.brokermeter.engine.recording;

import java.util.Map;

/**
 * What a group of producers or of consumers came to. Totals include the warm-up; distributions do not.
 *
 * @param name its name in the scenario
 * @param producing whether it is a group of producers
 * @param protocol its protocol
 * @param sent sends that returned; of consumers, replies and counts that they published
 * @param completed sends that were confirmed
 * @param failed sends that failed
 * @param received deliveries; of producers, replies
 * @param messageSeconds from its first message to its last; 0 when there were not two
 * @param measured distributions without the warm-up
 */
public record GroupResult(
        String name, boolean producing, String protocol, long sent, long completed, long failed, long received,
        double messageSeconds, Map<Metric, Distribution> measured) {

    /** Messages sent or received a second between the first and the last; 0 when unknown. */
    public double messagesPerSecond() {
        return messageSeconds > 0 ? (producing ? sent : received) / messageSeconds : 0;
    }
}
