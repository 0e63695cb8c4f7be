package io.brokermeter.driver.rocketmq.route;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The brokers that have had queues of a topic since this process knows the topic. A name server forgets a broker that is gone, together
 * with the messages waiting there. Thread-safe.
 */
public final class TopicBrokers {

    private record Place(String nameServers, String topic) {}

    private final Map<Place, Set<String>> known = new ConcurrentHashMap<>();

    /** Records the brokers of a route. */
    public void saw(String nameServers, Route route) {
        known.computeIfAbsent(new Place(nameServers, route.topic()), place -> ConcurrentHashMap.newKeySet()).addAll(route.brokers());
    }

    /** Returns whether each broker that had queues of the topic has a master at present, which can report the messages waiting there. */
    public boolean allThere(String nameServers, Route route) {
        saw(nameServers, route);
        Set<String> brokers = known.getOrDefault(new Place(nameServers, route.topic()), Set.of());
        return brokers.stream().allMatch(broker -> route.master(broker) != null);
    }

    /** Forgets a deleted topic. */
    public void forget(String nameServers, String topic) {
        known.remove(new Place(nameServers, topic));
    }
}
