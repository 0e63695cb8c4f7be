package io.brokermeter.driver.rocketmq;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * The groups in which this process receives from a queue's topic: consumers with different selectors are in different groups. Thread-safe.
 */
final class QueueGroups {

    private record Place(String nameServers, String topic) {}

    private final Map<Place, Set<String>> known = new ConcurrentHashMap<>();
    private final Set<String> given = ConcurrentHashMap.newKeySet();

    /**
     * Records the group of a consumer.
     *
     * @param isGiven whether the user named the group
     */
    void saw(String nameServers, String topic, String group, boolean isGiven) {
        if (isGiven) {
            given.add(group);
        }
        known.computeIfAbsent(new Place(nameServers, topic), place -> ConcurrentHashMap.newKeySet()).add(group);
    }

    /**
     * Returns the group for which messages wait in the topic.
     *
     * @param usual the group if nobody has received from the topic yet
     * @return empty if there are several groups, since messages skipped by one of them may wait for another
     */
    Optional<String> only(String nameServers, String topic, String usual) {
        Set<String> groups = known.getOrDefault(new Place(nameServers, topic), Set.of(usual));
        return groups.size() == 1 ? groups.stream().findAny() : Optional.empty();
    }

    /**
     * Forgets the groups of a topic that is being deleted. Returns those to delete with it, which excludes groups named by the user, since
     * they may have positions on other topics.
     */
    Set<String> forget(String nameServers, String topic) {
        Set<String> groups = known.remove(new Place(nameServers, topic));
        return groups == null ? Set.of() : groups.stream().filter(group -> !given.contains(group)).collect(Collectors.toSet());
    }
}
