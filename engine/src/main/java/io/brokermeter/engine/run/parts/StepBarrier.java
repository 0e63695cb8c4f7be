package io.brokermeter.engine.run.parts;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The state of the processes that run the shares of a plan: which step each has reached, and which steps all may pass. It decides and has
 * no other effect; reports may come in any order. Not thread-safe.
 *
 * <p>A step may be passed when every process that is left has reached it. {@link RunCoordination.Step#DRAINED} may be passed earlier, when the
 * deliveries to all processes together are those that are due from all together, and so may {@link RunCoordination.Step#COUNTS_DRAINED} when no
 * process publishes counts any more. If more was delivered than was due, because messages of
 * unknown fate came, such a message may hide one that is due and missing: then the drain goes on up to the limit of each process.
 */
public final class StepBarrier {

    private final Set<Integer> present = new TreeSet<>();
    /** The processes that ended without waiting for the others, and removed nothing that the others use. */
    private final Set<Integer> ended = new HashSet<>();
    private final Map<RunCoordination.Step, Set<Integer>> reached = new EnumMap<>(RunCoordination.Step.class);
    private final Map<Integer, RunCoordination.Balance> balances = new HashMap<>();
    /** The balances of the processes that publish no counts any more, which these include. */
    private final Map<Integer, RunCoordination.Balance> withCounts = new HashMap<>();
    private final Map<Integer, Set<Integer>> declared = new HashMap<>();
    private final Map<Integer, Set<Integer>> made = new HashMap<>();
    private final Set<RunCoordination.Step> passed = EnumSet.noneOf(RunCoordination.Step.class);

    /** @param shares numbers of the shares */
    public StepBarrier(Set<Integer> shares) {
        present.addAll(shares);
        for (RunCoordination.Step step : RunCoordination.Step.values()) {
            reached.put(step, new HashSet<>());
        }
    }

    /** Notes that a process has reached a step, and with it all steps before. */
    public void reached(int share, RunCoordination.Step step) {
        for (RunCoordination.Step each : RunCoordination.Step.values()) {
            if (each.compareTo(step) <= 0) {
                of(each).add(share);
            }
        }
    }

    /** Sets what a process knows of deliveries that are due and that came. */
    public void owes(int share, RunCoordination.Balance balance) {
        balances.put(share, balance);
        if (of(RunCoordination.Step.COUNTED).contains(share)) {
            withCounts.put(share, balance);
        }
    }

    /** Sets the numbers of the destinations that a process declared, and of those among them that it created. */
    public void declared(int share, Set<Integer> all, Set<Integer> fresh) {
        declared.put(share, Set.copyOf(all));
        made.put(share, Set.copyOf(fresh));
    }

    /**
     * Returns who removes destinations whose creators are gone: by number of the destination, the share of the first remaining process that
     * declared it, too.
     */
    public Map<Integer, Integer> cleanupOwners() {
        Map<Integer, Integer> cleanupOwners = new HashMap<>();
        made.forEach((share, destinations) -> {
            if (!isThere(share)) {
                destinations.forEach(destination -> present.stream().filter(this::isThere)
                    .filter(other -> declared.getOrDefault(other, Set.of()).contains(destination)).findFirst()
                    .ifPresent(owner -> cleanupOwners.put(destination, owner)));
            }
        });
        return cleanupOwners;
    }

    private boolean isThere(int share) {
        return present.contains(share) && !ended.contains(share);
    }

    /**
     * Notes that a process has ended by itself, or that it no longer waits for the others. Returns whether it did so before all had closed,
     * so that others remove what it created for all.
     */
    public boolean ended(int share) {
        if (!mayPass(RunCoordination.Step.CLOSED)) {
            ended.add(share);
        }
        return ended.contains(share);
    }

    /** Removes a process that is gone, so that nobody waits for it. */
    public void lost(int share) {
        present.remove(share);
        balances.remove(share);
        withCounts.remove(share);
    }

    /** Returns the numbers of the shares whose processes are left. */
    public Set<Integer> present() {
        return Set.copyOf(present);
    }

    /** Returns whether a step may be passed. Once it may, it always may. */
    public boolean mayPass(RunCoordination.Step step) {
        if (of(step).containsAll(present) || step == RunCoordination.Step.DRAINED && isDrained(balances)
            || step == RunCoordination.Step.COUNTS_DRAINED && isDrained(withCounts)) {
            passed.add(step);
        }
        return passed.contains(step);
    }

    /** Returns the number of the share whose turn it is to declare destinations; -1 for none. */
    public int declaring() {
        if (!of(RunCoordination.Step.CONNECTED).containsAll(present)) {
            return -1;
        }
        return present.stream().filter(share -> !of(RunCoordination.Step.DECLARED).contains(share)).findFirst().orElse(-1);
    }

    private boolean isDrained(Map<Integer, RunCoordination.Balance> known) {
        return known.keySet().containsAll(present) && sum(known).isSettled();
    }

    /** Returns the number of deliveries that are missing according to the reports of the processes, by number of the destination. */
    public Map<Integer, Long> missing() {
        Map<Integer, Long> missing = new HashMap<>(sum(balances).missing());
        missing.values().removeIf(count -> count <= 0);
        return missing;
    }

    private static RunCoordination.Balance sum(Map<Integer, RunCoordination.Balance> known) {
        return known.values().stream().reduce(RunCoordination.Balance.EMPTY, RunCoordination.Balance::plus);
    }

    private Set<Integer> of(RunCoordination.Step step) {
        return reached.getOrDefault(step, Set.of());
    }
}
