package io.brokermeter.experiment.access;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.table.ValueSyntax;
import io.brokermeter.experiment.tree.Tree;

/**
 * The agents on which a group of producers or consumers may be placed: those with one of the names or hosts, and those with one of the
 * labels; all agents where both lists are empty. Immutable.
 *
 * @param names names of agents or of their hosts
 * @param labels labels of agents: a name, a value, or {@code NAME=VALUE}
 * @param open whether the group has agents by label but no explicit number of producers or consumers, so that it may have fewer of them
 *     than there are such agents
 */
public record AgentChoice(List<String> names, List<String> labels, boolean open) {

    /** The choice of all agents. */
    public static final AgentChoice SPREAD = new AgentChoice(List.of(), List.of());

    private static final String ALL = "spread";
    private static final String LABEL = "label:";

    /** Creates the choice of a group whose number of producers or consumers is known. */
    public AgentChoice(List<String> names, List<String> labels) {
        this(names, labels, false);
    }

    public AgentChoice {
        names = List.copyOf(names);
        labels = List.copyOf(labels);
    }

    /**
     * Parses {@code spread}, or names and {@code label:NAME}, separated by commas.
     *
     * @throws UsageException with one sentence
     */
    public static AgentChoice parse(String text) {
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
     * Parses the value of a key: a text as of {@link #parse(String)}, a label as {@code {label: NAME}}, or a list of these.
     *
     * @throws UsageException with one sentence
     */
    public static AgentChoice parse(Tree tree) {
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
     * Returns the number of chosen agents, as far as it is known before the agents are there: agents with a label are not known yet.
     *
     * @param all number of all agents
     */
    public int count(int all) {
        return isSpread() ? all : (int) Math.max(1, Math.min(all, names.stream().distinct().count()));
    }

    /** Returns this choice for a group without an explicit number of producers or consumers; it is {@link #open} if it has labels. */
    public AgentChoice left() {
        return labels.isEmpty() ? this : new AgentChoice(names, labels, true);
    }

    /** Returns whether the group may be on any agent. */
    public boolean isSpread() {
        return names.isEmpty() && labels.isEmpty();
    }

    /** Returns the choice as the value of an option. */
    @Override
    public String toString() {
        return isSpread() ? ALL : Stream.concat(names.stream(), labels.stream().map(LABEL::concat)).collect(Collectors.joining(","));
    }
}
