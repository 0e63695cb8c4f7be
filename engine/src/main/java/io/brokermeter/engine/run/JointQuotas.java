package io.brokermeter.engine.run;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.brokermeter.engine.plan.Plan;

/**
 * The limits on the number of messages that groups of consumers may take, and the numbers that several processes have taken together. The
 * load ends when all groups with a limit have reached it. Not thread-safe.
 */
public final class JointQuotas {

    /** Number of messages that a group may take, by number of the group. */
    private final Map<Integer, Long> quotas;
    /** Number of messages taken, by number of the share and number of the group. */
    private final Map<Integer, Map<Integer, Long>> taken = new HashMap<>();

    public JointQuotas(Plan plan) {
        quotas = plan.quotas();
    }

    /** Notes how many messages the process of a share has taken so far, by number of the group. */
    public void took(int share, Map<Integer, Long> byGroup) {
        taken.put(share, Map.copyOf(byGroup));
    }

    /** Returns the numbers of the groups that have taken all messages that they may take. */
    public Set<Integer> usedUp() {
        return quotas.entrySet().stream()
            .filter(quota -> taken.values().stream().mapToLong(own -> own.getOrDefault(quota.getKey(), 0L)).sum() >= quota.getValue())
            .map(Map.Entry::getKey).collect(Collectors.toSet());
    }

    /** Returns whether there are groups with a limit, and all of them have taken all messages that they may take. */
    public boolean areUsedUp() {
        return !quotas.isEmpty() && usedUp().containsAll(quotas.keySet());
    }
}
