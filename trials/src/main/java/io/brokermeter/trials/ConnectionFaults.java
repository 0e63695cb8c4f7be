package io.brokermeter.trials;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;

import io.brokermeter.engine.pacing.EpochClock;
import io.brokermeter.engine.run.FaultActor;
import io.brokermeter.engine.scenario.Counted;
import io.brokermeter.engine.scenario.Fault;
import io.brokermeter.network.Line;
import io.brokermeter.network.NetworkRule;

/** Makes the faults of connections on the lines that they lead through, in the process that connects; another one makes the others. */
final class ConnectionFaults implements FaultActor {

    private final Distance between;
    private final FaultActor others;

    ConnectionFaults(Distance between, FaultActor others) {
        this.between = between;
        this.others = others;
    }

    @Override
    public Effect begin(int number, Fault fault) throws Exception {
        if (fault.action().subject() != Fault.Subject.CONNECTION) {
            return others.begin(number, fault);
        }
        Map<Line, NetworkRule> lines = between.lines(fault.target());
        int connections = lines.keySet().stream().mapToInt(Line::connections).sum();
        lines.forEach((line, rule) -> {
            switch (fault.action()) {
                case CUT -> line.cut();
                case RESET -> line.reset();
                case BLACKHOLE -> line.blackHole(true);
                case DELAY -> line.rule(delayed(rule, Objects.requireNonNull(fault.by())));
                default -> throw new IllegalStateException(fault.action().word());
            }
        });
        return new Effect(EpochClock.nanos(), Counted.of(connections, "connection"));
    }

    private static NetworkRule delayed(NetworkRule rule, Duration by) {
        return new NetworkRule(rule.rtt().plus(by.multipliedBy(2)), rule.jitter(), rule.bandwidth(), rule.loss());
    }

    @Override
    public Effect end(int number, Fault fault) throws Exception {
        if (fault.action().subject() != Fault.Subject.CONNECTION) {
            return others.end(number, fault);
        }
        between.lines(fault.target()).forEach((line, rule) -> {
            if (fault.action() == Fault.Action.DELAY) {
                line.rule(rule);
            } else {
                line.heal();
            }
        });
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
