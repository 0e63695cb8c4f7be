package io.brokermeter.driver.rocketmq;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which brokers had queues of a topic since this process knows it. A name server forgets a broker that is gone, and what waits there with it.
 * Thread-safe.
 */
final class TopicBrokers {

    private record Place(String nameServers, String topic) {}

    private final Map<Place, Set<String>> known = new ConcurrentHashMap<>();

    /** Notes the brokers of a route. */
    void saw(String nameServers, Route route) {
        known.computeIfAbsent(new Place(nameServers, route.topic()), place -> ConcurrentHashMap.newKeySet()).addAll(route.brokers());
    }

    /** Whether each broker that had queues of the topic has a master now, which can say what waits there. */
    boolean allThere(String nameServers, Route route) {
        saw(nameServers, route);
        Set<String> brokers = known.getOrDefault(new Place(nameServers, route.topic()), Set.of());
        return brokers.stream().allMatch(broker -> route.master(broker) != null);
    }

    /** The topic was deleted. */
    void forget(String nameServers, String topic) {
        known.remove(new Place(nameServers, topic));
    }
}
