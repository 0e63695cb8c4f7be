package io.brokermeter.trials;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import io.brokermeter.engine.pacing.EpochClock;
import io.brokermeter.engine.run.FaultActor;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.network.Line;
import io.brokermeter.network.NetworkRule;

/** Makes the faults of connections on the lines that they lead through, in the process that connects; another one makes the others. */
final class ConnectionFaults implements FaultActor {

    private final Distance between;
    private final FaultActor others;
    /** The rules that lines had before a fault, by its number. */
    private final Map<Integer, Map<Line, NetworkRule>> before = new ConcurrentHashMap<>();

    ConnectionFaults(Distance between, FaultActor others) {
        this.between = between;
        this.others = others;
    }

    @Override
    public Effect begin(int number, Fault fault) throws Exception {
        if (fault.action().subject() != Fault.Subject.CONNECTION) {
            return others.begin(number, fault);
        }
        List<Line> lines = between.lines(fault.target());
        int connections = lines.stream().mapToInt(Line::connections).sum();
        for (Line line : lines) {
            switch (fault.action()) {
                case CUT -> line.cut();
                case RESET -> line.reset();
                case BLACKHOLE -> line.blackHole(true);
                case DELAY -> delay(number, line, Objects.requireNonNull(fault.by()));
                default -> throw new IllegalStateException(fault.action().word());
            }
        }
        return new Effect(EpochClock.nanos(), connections + (connections == 1 ? " connection" : " connections"));
    }

    private void delay(int number, Line line, Duration by) {
        NetworkRule rule = line.rule();
        before.computeIfAbsent(number, _ -> new ConcurrentHashMap<>()).put(line, rule);
        line.rule(new NetworkRule(rule.rtt().plus(by.multipliedBy(2)), rule.jitter(), rule.bandwidth(), rule.loss()));
    }

    @Override
    public Effect end(int number, Fault fault) throws Exception {
        if (fault.action().subject() != Fault.Subject.CONNECTION) {
            return others.end(number, fault);
        }
        for (Line line : between.lines(fault.target())) {
            if (fault.action() == Fault.Action.DELAY) {
                line.rule(before.getOrDefault(number, Map.of()).getOrDefault(line, NetworkRule.NONE));
            } else {
                line.heal();
            }
        }
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
