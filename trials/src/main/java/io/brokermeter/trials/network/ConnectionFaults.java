package io.brokermeter.trials.network;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

import io.brokermeter.engine.pacing.EpochClock;
import io.brokermeter.engine.run.faults.FaultActor;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.engine.scenario.measure.Counted;
import io.brokermeter.network.NetworkPath;
import io.brokermeter.network.NetworkRule;

/**
 * Carries out the faults of connections on the paths of these connections, in the process that connects. Another actor carries out all
 * other faults.
 */
public final class ConnectionFaults implements FaultActor {

    private final Function<String, Map<NetworkPath, NetworkRule>> lines;
    private final FaultActor others;

    /**
     * @param lines returns the paths that a target names, each with the rule that the scenario gives it
     * @param others carries out all other faults; closed with this object
     */
    public ConnectionFaults(Function<String, Map<NetworkPath, NetworkRule>> lines, FaultActor others) {
        this.lines = lines;
        this.others = others;
    }

    @Override
    public Effect begin(int number, Fault fault) throws Exception {
        if (fault.action().subject() != Fault.Subject.CONNECTION) {
            return others.begin(number, fault);
        }
        Map<NetworkPath, NetworkRule> between = lines.apply(fault.target());
        // All rules are computed before the first path is changed: one may be refused.
        Map<NetworkPath, NetworkRule> delayed = new LinkedHashMap<>();
        if (fault.action() == Fault.Action.DELAY) {
            between.forEach((path, rule) -> delayed.put(path, rule.delayed(Objects.requireNonNull(fault.by()))));
        }
        int connections = between.keySet().stream().mapToInt(NetworkPath::connections).sum();
        try {
            for (NetworkPath path : between.keySet()) {
                switch (fault.action()) {
                    case CUT -> path.cut();
                    case RESET -> path.reset();
                    case BLACKHOLE -> path.blackHole(true);
                    case DELAY -> path.rule(Objects.requireNonNull(delayed.get(path)));
                    default -> throw new IllegalStateException(fault.action().word());
                }
            }
        } catch (RuntimeException e) {
            // A fault that did not begin is not undone: a part of it would last to the end of the run.
            between.forEach((path, rule) -> healAfter(e, fault, path, rule));
            throw e;
        }
        return new Effect(EpochClock.nanos(), Counted.of(connections, "connection"));
    }

    private static void healAfter(RuntimeException failure, Fault fault, NetworkPath path, NetworkRule rule) {
        try {
            heal(fault, path, rule);
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    private static void heal(Fault fault, NetworkPath path, NetworkRule rule) {
        if (fault.action() == Fault.Action.DELAY) {
            path.rule(rule);
        } else {
            path.heal();
        }
    }

    @Override
    public Effect end(int number, Fault fault) throws Exception {
        if (fault.action().subject() != Fault.Subject.CONNECTION) {
            return others.end(number, fault);
        }
        lines.apply(fault.target()).forEach((path, rule) -> heal(fault, path, rule));
        return new Effect(EpochClock.nanos(), "");
    }

    @Override
    public void giveUp() {
        others.giveUp();
    }

    /** Closes the other actor only: the paths are closed with the networks that own them. */
    @Override
    public void close() {
        others.close();
    }
}
