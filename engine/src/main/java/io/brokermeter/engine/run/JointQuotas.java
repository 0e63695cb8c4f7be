package io.brokermeter.engine.run;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.brokermeter.engine.plan.Plan;

/**
 * How much several processes have taken together of the numbers of messages that groups of consumers may take. When all groups that have one took it, the
 * load ends. Not thread-safe.
 */
public final class JointQuotas {

    /** By number of the group. */
    private final Map<Integer, Long> quotas;
    /** By number of the share, and of the group. */
    private final Map<Integer, Map<Integer, Long>> taken = new HashMap<>();

    public JointQuotas(Plan plan) {
        quotas = plan.consumers().stream().filter(group -> group.side().messageCount() > 0)
            .collect(Collectors.toMap(group -> group.index(), group -> group.side().messageCount()));
    }

    /** What a process has taken so far, by number of the group. */
    public void took(int share, Map<Integer, Long> byGroup) {
        taken.put(share, Map.copyOf(byGroup));
    }

    /** Numbers of the groups that took all that they may take. */
    public Set<Integer> usedUp() {
        return quotas.entrySet().stream()
            .filter(quota -> taken.values().stream().mapToLong(own -> own.getOrDefault(quota.getKey(), 0L)).sum() >= quota.getValue())
            .map(Map.Entry::getKey).collect(Collectors.toSet());
    }
}
