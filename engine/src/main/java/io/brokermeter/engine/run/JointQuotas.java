package io.brokermeter.engine.run;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.Share;

/**
 * The limits on the number of messages that groups of consumers may take, and the numbers that several processes have taken together. The
 * load ends when all groups with a limit have reached it, or are gone with their processes. Not thread-safe.
 */
public final class JointQuotas {

    /** Number of messages that a group may take, by number of the group. */
    private final Map<Integer, Long> quotas;
    /** Number of messages taken, by number of the share and number of the group. */
    private final Map<Integer, Map<Integer, Long>> taken = new HashMap<>();

    /** Numbers of the groups of whose consumers none is left. */
    private final Set<Integer> gone = new HashSet<>();
    private final Plan plan;

    public JointQuotas(Plan plan) {
        this.plan = plan;
        quotas = plan.quotas();
    }

    /** Notes how many messages the process of a share has taken so far, by number of the group. */
    public void took(int share, Map<Integer, Long> byGroup) {
        taken.put(share, Map.copyOf(byGroup));
    }

    /** Notes which processes are left: nobody takes what the groups of the others were to take. */
    public void left(Collection<Share> shares) {
        plan.consumers().stream()
            .filter(group -> group.consumers().stream().noneMatch(c -> shares.stream().anyMatch(share -> share.has(c))))
            .forEach(group -> gone.add(group.index()));
    }

    /** Returns the numbers of the groups that have taken all messages that they may take, or of whose consumers none is left. */
    public Set<Integer> usedUp() {
        return quotas.entrySet().stream()
            .filter(quota -> gone.contains(quota.getKey())
                || taken.values().stream().mapToLong(own -> own.getOrDefault(quota.getKey(), 0L)).sum() >= quota.getValue())
            .map(Map.Entry::getKey).collect(Collectors.toSet());
    }

    /** Returns whether there are groups with a limit, and all of them have taken all messages that they may take. */
    public boolean areUsedUp() {
        return !quotas.isEmpty() && usedUp().containsAll(quotas.keySet());
    }
}
