package io.brokermeter.experiment.access;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.measure.Counted;
import io.brokermeter.experiment.table.NestedSections;
import io.brokermeter.experiment.table.SectionValues;
import io.brokermeter.experiment.table.Validator;
import io.brokermeter.experiment.table.ValueSyntax;
import io.brokermeter.experiment.tree.Tree;
import org.jspecify.annotations.Nullable;

/** Reads the agents of a workload, and the agents on which each of its groups may be placed. */
public final class AgentReader {

    private static final String AGENTS = "agents";
    private static final List<String> BESIDE = List.of("keyFile", "onLoss", "expect", "within", "deploy");

    private AgentReader() {}

    /** Returns whether a file says which agents there are. */
    public static boolean areNamed(Tree.Fields file) {
        Tree agents = file.get(AGENTS);
        Tree hosts = agents instanceof Tree.Fields keys ? keys.get("hosts") : agents;
        return !Tree.isNothing(hosts);
    }

    /** Reads the agents of a file; mistakes are added to the file's errors. */
    public static Agents agents(SectionValues file) {
        SectionValues section = file.below(AGENTS);
        if (section == null) {
            return Agents.NONE;
        }
        Agents.Who who = new Agents.Nobody();
        Tree hosts = section.fields().get("hosts");
        if (section.has("hosts") && hosts != null) {
            try {
                who = Agents.who(text(hosts));
            } catch (UsageException e) {
                section.wrong("hosts", Validator.sentence(e));
                return Agents.NONE;
            }
        } else {
            BESIDE.stream().filter(section::has)
                .forEach(name -> section.wrong(name, "it needs " + section.name("hosts") + ", which says where agents are."));
        }
        if (who instanceof Agents.Nobody) {
            return Agents.NONE;
        }
        Agents agents = new Agents(who, key(section), section.read("onLoss", Agents.Loss.END, AgentReader::loss),
            section.number("expect", 0), section.read("within", Agents.WITHIN, ValueSyntax::time),
            section.read("deploy", false, AgentReader::deploys));
        if (agents.deployed() && !(who instanceof Agents.On)) {
            section.wrong("deploy", "it needs hosts in " + section.name("hosts") + ", to which ssh can go.");
        }
        if (agents.deployed() && agents.key() == null && !section.has("keyFile")) {
            section.wrong("deploy", "it needs " + section.name("keyFile") + ", which agents get with it.");
        }
        if (agents.key() == null && agents.areElsewhere() && !section.has("keyFile")) {
            section.wrong("hosts", "it needs " + section.name("keyFile") + ": agents on other machines are reached with the key of their "
                + "cluster alone.");
        }
        int named = agents.named();
        if (agents.expect() > named && !(who instanceof Agents.Behind)) {
            section.wrong("expect", "it is more than the " + Counted.of(named, "agent") + " that "
                + section.name("hosts") + " names.");
        }
        return agents;
    }

    private static @Nullable Path key(SectionValues section) {
        String text = section.text("keyFile");
        if (text == null) {
            return null;
        }
        return section.read("keyFile", section.base(), path -> ValueSyntax.path(path, section.base()));
    }

    private static boolean deploys(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "none" -> false;
            case "ssh" -> true;
            default -> throw new UsageException("'" + text + "' must be none or ssh.");
        };
    }

    private static Agents.Loss loss(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "end" -> Agents.Loss.END;
            case "continue" -> Agents.Loss.CONTINUE;
            default -> throw new UsageException("'" + text + "' must be end or continue.");
        };
    }

    /**
     * Returns a text, or the texts of a list joined by commas.
     *
     * @throws UsageException for anything else
     */
    public static String text(Tree tree) {
        return switch (tree) {
            case Tree.Leaf leaf -> leaf.text();
            case Tree.Items list when !list.items().isEmpty() && list.items().stream().allMatch(Tree.Leaf.class::isInstance) ->
                list.items().stream().map(Tree::flow).collect(Collectors.joining(","));
            default -> throw new UsageException("Agents '" + tree.flow() + "' must be " + ValueSyntax.AGENTS.description() + ".");
        };
    }

    /** Reads the agents on which a group may be placed; mistakes are added to the group's errors. */
    public static AgentChoice choice(SectionValues group, SectionValues file, Agents agents) {
        Tree on = group.fields().get("on");
        if (on == null || !group.has("on")) {
            return AgentChoice.SPREAD;
        }
        try {
            AgentChoice choice = AgentChoice.parse(on);
            if (!choice.isSpread() && !agents.areAny()) {
                boolean options = group.complaints().areOptions();
                SectionValues section =
                    new SectionValues(NestedSections.AGENTS, Tree.Fields.none(on.location()), AGENTS, file.base(), file.complaints());
                group.wrong("on",
                    "it needs " + (options ? section.name("hosts") : "'agents'") + ": without agents there is nothing to be on.");
            }
            return choice;
        } catch (UsageException e) {
            group.wrong("on", Validator.sentence(e));
            return AgentChoice.SPREAD;
        }
    }
}
