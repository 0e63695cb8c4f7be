package io.brokermeter.experiment;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The agents that a group of producers or consumers may be on: those with one of the names or hosts, and those with one of the labels; all
 * of them where it names neither.
 *
 * @param names names of agents or of their hosts
 * @param labels labels of agents: a name, a value, or {@code NAME=VALUE}
 */
public record AgentChoice(List<String> names, List<String> labels) {

    /** All of them. */
    public static final AgentChoice SPREAD = new AgentChoice(List.of(), List.of());

    public AgentChoice {
        names = List.copyOf(names);
        labels = List.copyOf(labels);
    }

    /** Whether any agent will do. */
    public boolean isSpread() {
        return names.isEmpty() && labels.isEmpty();
    }

    /** As a scenario file has it. */
    @Override
    public String toString() {
        List<String> parts = Stream.concat(names.stream(), labels.stream().map(label -> "{label: " + label + "}")).toList();
        return parts.isEmpty() ? "spread" : parts.size() == 1 ? parts.getFirst()
            : parts.stream().collect(Collectors.joining(", ", "[", "]"));
    }
}
