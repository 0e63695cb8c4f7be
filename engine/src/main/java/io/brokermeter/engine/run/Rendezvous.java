package io.brokermeter.engine.run;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Where the processes that run the shares of a plan meet: who has come how far, and what all may pass. It decides and does nothing; what is reported to it
 * may come in any order. Not thread-safe.
 *
 * <p>A step may be passed when everybody who is left has reached it. {@link Peers.Step#DRAINED} may be passed before, when what was delivered to all
 * together is what was due from all together. Where more was delivered than was due, since messages of unknown fate came, one of them may
 * stand for a message that is due and still missing: then the drain goes on to the limit that each process has for it.
 */
public final class Rendezvous {

    private final Set<Integer> present = new TreeSet<>();
    /** Those that ended without waiting for the others, and removed nothing that these use. */
    private final Set<Integer> ended = new HashSet<>();
    private final Map<Peers.Step, Set<Integer>> reached = new EnumMap<>(Peers.Step.class);
    private final Map<Integer, Peers.Balance> balances = new HashMap<>();
    private final Map<Integer, Set<Integer>> declared = new HashMap<>();
    private final Map<Integer, Set<Integer>> made = new HashMap<>();
    private final Set<Peers.Step> passed = EnumSet.noneOf(Peers.Step.class);

    /** @param shares their numbers */
    public Rendezvous(Set<Integer> shares) {
        present.addAll(shares);
        for (Peers.Step step : Peers.Step.values()) {
            reached.put(step, new HashSet<>());
        }
    }

    /** A process has come so far, and with that through all steps before. */
    public void reached(int share, Peers.Step step) {
        for (Peers.Step each : Peers.Step.values()) {
            if (each.compareTo(step) <= 0) {
                of(each).add(share);
            }
        }
    }

    /** What a process knows of messages that are due. */
    public void owes(int share, Peers.Balance balance) {
        balances.put(share, balance);
    }

    /** What a process declared, and what of it it made, by numbers of destinations. */
    public void declared(int share, Set<Integer> all, Set<Integer> fresh) {
        declared.put(share, Set.copyOf(all));
        made.put(share, Set.copyOf(fresh));
    }

    /** Who removes what processes made that are gone: the number of the first process that declared it too, by the number of the destination. */
    public Map<Integer, Integer> heirs() {
        Map<Integer, Integer> heirs = new HashMap<>();
        made.forEach((share, destinations) -> {
            if (!isThere(share)) {
                destinations.forEach(destination -> present.stream().filter(this::isThere)
                    .filter(other -> declared.getOrDefault(other, Set.of()).contains(destination)).findFirst()
                    .ifPresent(heir -> heirs.put(destination, heir)));
            }
        });
        return heirs;
    }

    private boolean isThere(int share) {
        return present.contains(share) && !ended.contains(share);
    }

    /**
     * A process has ended by itself, or says before that it waits for the others no longer. Answers whether it did so before all had closed, so that
     * others remove what it made for all.
     */
    public boolean ended(int share) {
        if (!mayPass(Peers.Step.CLOSED)) {
            ended.add(share);
        }
        return ended.contains(share);
    }

    /** A process is gone; nobody waits for it. */
    public void lost(int share) {
        present.remove(share);
        balances.remove(share);
    }

    /** Those that are left. */
    public Set<Integer> present() {
        return Set.copyOf(present);
    }

    /** Whether a step may be passed; once it may, it always may. */
    public boolean mayPass(Peers.Step step) {
        if (of(step).containsAll(present) || step == Peers.Step.DRAINED && isDrained()) {
            passed.add(step);
        }
        return passed.contains(step);
    }

    /** The share whose turn it is to declare destinations, -1 for none. */
    public int declaring() {
        if (!of(Peers.Step.CONNECTED).containsAll(present)) {
            return -1;
        }
        return present.stream().filter(share -> !of(Peers.Step.DECLARED).contains(share)).findFirst().orElse(-1);
    }

    private boolean isDrained() {
        return balances.keySet().containsAll(present) && sum().isSettled();
    }

    /** How many deliveries are missing by what the processes reported, by number of the destination. */
    public Map<Integer, Long> missing() {
        Map<Integer, Long> missing = new HashMap<>(sum().missing());
        missing.values().removeIf(count -> count <= 0);
        return missing;
    }

    private Peers.Balance sum() {
        return balances.values().stream().reduce(Peers.Balance.EMPTY, Peers.Balance::plus);
    }

    private Set<Integer> of(Peers.Step step) {
        return reached.getOrDefault(step, Set.of());
    }
}
