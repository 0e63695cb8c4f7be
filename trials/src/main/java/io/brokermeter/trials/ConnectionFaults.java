package io.brokermeter.trials;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

import io.brokermeter.engine.pacing.EpochClock;
import io.brokermeter.engine.run.FaultActor;
import io.brokermeter.engine.scenario.Counted;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.network.Line;
import io.brokermeter.network.NetworkRule;

/** Makes the faults of connections on the lines that they lead through, in the process that connects; another one makes the others. */
final class ConnectionFaults implements FaultActor {

    private final Function<String, Map<Line, NetworkRule>> lines;
    private final FaultActor others;

    /** @param lines those that a target is about, each with the rule that the scenario gives it */
    ConnectionFaults(Function<String, Map<Line, NetworkRule>> lines, FaultActor others) {
        this.lines = lines;
        this.others = others;
    }

    @Override
    public Effect begin(int number, Fault fault) throws Exception {
        if (fault.action().subject() != Fault.Subject.CONNECTION) {
            return others.begin(number, fault);
        }
        Map<Line, NetworkRule> between = lines.apply(fault.target());
        // All of them before the first is changed: one may be refused.
        Map<Line, NetworkRule> delayed = new LinkedHashMap<>();
        if (fault.action() == Fault.Action.DELAY) {
            between.forEach((line, rule) -> delayed.put(line, rule.delayed(Objects.requireNonNull(fault.by()))));
        }
        int connections = between.keySet().stream().mapToInt(Line::connections).sum();
        try {
            for (Line line : between.keySet()) {
                switch (fault.action()) {
                    case CUT -> line.cut();
                    case RESET -> line.reset();
                    case BLACKHOLE -> line.blackHole(true);
                    case DELAY -> line.rule(Objects.requireNonNull(delayed.get(line)));
                    default -> throw new IllegalStateException(fault.action().word());
                }
            }
        } catch (RuntimeException e) {
            // Nobody undoes what was not made: a part of it would last to the end of the run.
            between.forEach((line, rule) -> healAfter(e, fault, line, rule));
            throw e;
        }
        return new Effect(EpochClock.nanos(), Counted.of(connections, "connection"));
    }

    private static void healAfter(RuntimeException failure, Fault fault, Line line, NetworkRule rule) {
        try {
            heal(fault, line, rule);
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    private static void heal(Fault fault, Line line, NetworkRule rule) {
        if (fault.action() == Fault.Action.DELAY) {
            line.rule(rule);
        } else {
            line.heal();
        }
    }

    @Override
    public Effect end(int number, Fault fault) throws Exception {
        if (fault.action().subject() != Fault.Subject.CONNECTION) {
            return others.end(number, fault);
        }
        lines.apply(fault.target()).forEach((line, rule) -> heal(fault, line, rule));
        return new Effect(EpochClock.nanos(), "");
    }

    @Override
    public void giveUp() {
        others.giveUp();
    }

    /** The lines end with what they belong to. */
    @Override
    public void close() {
        others.close();
    }
}
