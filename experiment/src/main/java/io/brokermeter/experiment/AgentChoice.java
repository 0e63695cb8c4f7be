package io.brokermeter.experiment;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.engine.scenario.UsageException;

/**
 * The agents that a group of producers or consumers may be on: those with one of the names or hosts, and those with one of the labels; all
 * of them where it names neither.
 *
 * @param names names of agents or of their hosts
 * @param labels labels of agents: a name, a value, or {@code NAME=VALUE}
 * @param open whether nothing says how many producers or consumers the group has, which it needs for all agents with a label to have one
 */
public record AgentChoice(List<String> names, List<String> labels, boolean open) {

    /** All of them. */
    public static final AgentChoice SPREAD = new AgentChoice(List.of(), List.of());

    private static final String ALL = "spread";
    private static final String LABEL = "label:";

    /** Those for a group that says how many it has. */
    public AgentChoice(List<String> names, List<String> labels) {
        this(names, labels, false);
    }

    public AgentChoice {
        names = List.copyOf(names);
        labels = List.copyOf(labels);
    }

    /**
     * Reads {@code spread}, or names and {@code label:NAME} with commas between them.
     *
     * @throws UsageException with one sentence
     */
    static AgentChoice parse(String text) {
        if (text.strip().equals(ALL)) {
            return SPREAD;
        }
        List<String> names = new ArrayList<>();
        List<String> labels = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            String one = part.strip();
            boolean label = one.startsWith(LABEL);
            String name = label ? one.substring(LABEL.length()).strip() : one;
            if (name.isEmpty() || name.equals(ALL)) {
                throw new UsageException("Agents '" + text + "' must be " + ValueSyntax.AGENT_CHOICE.description() + ".");
            }
            (label ? labels : names).add(name);
        }
        return new AgentChoice(names, labels);
    }

    /**
     * Reads the value of a key: a text as {@link #parse(String)}, a label as {@code {label: NAME}}, or a list of such.
     *
     * @throws UsageException with one sentence
     */
    static AgentChoice parse(Tree tree) {
        return parse(text(tree));
    }

    private static String text(Tree tree) {
        return switch (tree) {
            case Tree.Leaf leaf -> leaf.text();
            case Tree.Items list when !list.items().isEmpty() && list.items().stream().noneMatch(Tree.Items.class::isInstance) ->
                list.items().stream().map(AgentChoice::text).collect(Collectors.joining(","));
            case Tree.Fields fields when fields.fields().size() == 1 && fields.get("label") instanceof Tree.Leaf label ->
                LABEL + label.text();
            default -> throw new UsageException("Agents '" + tree.flow() + "' must be " + ValueSyntax.AGENT_CHOICE.description() + ".");
        };
    }

    /**
     * How many they are, as far as that is known before they are there; nobody knows yet who has a label.
     *
     * @param all how many there are
     */
    int count(int all) {
        return isSpread() ? all : (int) Math.max(1, Math.min(all, names.stream().distinct().count()));
    }

    /** The same for a group of which nothing says how many it has. */
    AgentChoice left() {
        return labels.isEmpty() ? this : new AgentChoice(names, labels, true);
    }

    /** Whether any agent will do. */
    public boolean isSpread() {
        return names.isEmpty() && labels.isEmpty();
    }

    /** As an option has it. */
    @Override
    public String toString() {
        return isSpread() ? ALL : Stream.concat(names.stream(), labels.stream().map(LABEL::concat)).collect(Collectors.joining(","));
    }
}
