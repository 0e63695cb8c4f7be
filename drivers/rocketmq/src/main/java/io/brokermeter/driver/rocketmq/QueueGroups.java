package io.brokermeter.driver.rocketmq;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** In which groups this process receives from the topic of a queue: consumers with different selectors are in different ones. Thread-safe. */
final class QueueGroups {

    private record Place(String nameServers, String topic) {}

    private final Map<Place, Set<String>> known = new ConcurrentHashMap<>();
    private final Set<String> given = ConcurrentHashMap.newKeySet();

    /**
     * Notes the group of a consumer.
     *
     * @param isGiven whether the user named it
     */
    void saw(String nameServers, String topic, String group, boolean isGiven) {
        if (isGiven) {
            given.add(group);
        }
        known.computeIfAbsent(new Place(nameServers, topic), place -> ConcurrentHashMap.newKeySet()).add(group);
    }

    /**
     * The group for which messages wait in the topic.
     *
     * @param usual the group where nobody has received yet
     * @return empty when there are several: what one of them has passed over may wait for another one
     */
    Optional<String> only(String nameServers, String topic, String usual) {
        Set<String> groups = known.getOrDefault(new Place(nameServers, topic), Set.of(usual));
        return groups.size() == 1 ? groups.stream().findAny() : Optional.empty();
    }

    /** The topic is being deleted. Returns the groups that go with it: one that the user named may have positions on other topics. */
    Set<String> forget(String nameServers, String topic) {
        Set<String> groups = known.remove(new Place(nameServers, topic));
        return groups == null ? Set.of() : groups.stream().filter(group -> !given.contains(group)).collect(Collectors.toSet());
    }
}
