package io.brokermeter.engine.run.receive;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.brokermeter.engine.plan.ConsumerGroup;
import io.brokermeter.engine.plan.Plan;
import io.brokermeter.engine.plan.Share;
import io.brokermeter.engine.run.parts.RunCoordination;
import org.jspecify.annotations.Nullable;

/**
 * The limits on the number of messages that groups of consumers may take, and the numbers that were taken: here, and in other processes as
 * far as they said so. The load ends when all groups with a limit have reached it, or are gone with their processes. Not thread-safe, apart
 * from each {@link Quota}.
 */
public final class Quotas {

    /** The interval at which other processes are told what was taken here, in nanoseconds; a quota that is used up is reported at once. */
    private static final long TELL_EVERY = 500_000_000;

    private final Plan plan;
    /** What may be taken, and was taken in this process, by number of the group; without groups that have no limit. */
    private final Map<Integer, Quota> here = new LinkedHashMap<>();
    /** Number of messages taken in other processes, by number of the share and number of the group. */
    private final Map<Integer, Map<Integer, Long>> elsewhere = new HashMap<>();
    /** Numbers of the groups that take no more, whatever was taken. */
    private final Set<Integer> over = new HashSet<>();
    private Map<Integer, Long> told = Map.of();
    private long toldUsedUp;
    private long toldAt;

    public Quotas(Plan plan) {
        this.plan = plan;
        plan.quotas().forEach((group, count) -> here.put(group, new Quota(count)));
    }

    /** Returns the quota of a group in this process; null for no limit. */
    public @Nullable Quota of(ConsumerGroup group) {
        return here.get(group.index());
    }

    /** Notes how many messages the process of a share has taken so far, by number of the group. */
    public void took(int share, Map<Integer, Long> byGroup) {
        elsewhere.put(share, Map.copyOf(byGroup));
    }

    /** Notes which processes are left: nobody takes what the groups of the others were to take. */
    public void left(Collection<Share> shares) {
        plan.consumers().stream()
            .filter(group -> group.consumers().stream().noneMatch(c -> shares.stream().anyMatch(share -> share.has(c))))
            .forEach(group -> over.add(group.index()));
    }

    /** Notes the numbers of groups that take no more, as is known of all processes. */
    public void over(Set<Integer> groups) {
        over.addAll(groups);
    }

    /** Returns whether a group has a limit, and has taken all messages that it may take or takes no more. */
    public boolean isUsedUp(int group) {
        Quota quota = here.get(group);
        return quota != null && (quota.isUsedUp() || over.contains(group)
            || quota.taken() + elsewhere.values().stream().mapToLong(own -> own.getOrDefault(group, 0L)).sum() >= quota.count());
    }

    /** Returns the numbers of the groups that have taken all messages that they may take, or of whose consumers none is left. */
    public Set<Integer> usedUp() {
        return here.keySet().stream().filter(this::isUsedUp).collect(Collectors.toSet());
    }

    /** Returns whether there are groups with a limit, and all of them have taken all messages that they may take. */
    public boolean areUsedUp() {
        return !here.isEmpty() && here.keySet().stream().allMatch(this::isUsedUp);
    }

    /** Returns the number of messages that each group with a limit took in this process, by number of the group. */
    public Map<Integer, Long> taken() {
        Map<Integer, Long> taken = new LinkedHashMap<>();
        here.forEach((group, quota) -> taken.put(group, quota.taken()));
        return taken;
    }

    /** Reports to other processes what was taken here: at once when a group has used up its quota here, otherwise from time to time. */
    public void tell(RunCoordination coordination, long now) {
        if (here.isEmpty()) {
            return;
        }
        long usedUp = here.values().stream().filter(Quota::isUsedUp).count();
        if (usedUp > toldUsedUp || now - toldAt >= TELL_EVERY) {
            toldUsedUp = usedUp;
            toldAt = now;
            Map<Integer, Long> taken = taken();
            if (!taken.equals(told)) {
                told = taken;
                coordination.took(taken);
            }
        }
    }
}
