package io.brokermeter.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.brokermeter.engine.scenario.Pacing;
import io.brokermeter.experiment.Option;
import io.brokermeter.experiment.Reading;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The options of the commands that run what they describe, from the table of settings. */
final class SettingOptions {

    private static final List<String> OF_SENDING = List.of("producers", "load", "message", "pacing", "realtime", "seed");

    private SettingOptions() {}

    /** Those of a command. */
    static List<Option> of(boolean sends, boolean receives) {
        List<Option> all = new ArrayList<>();
        for (Option option : Option.all()) {
            String section = option.path().replaceFirst("\\..*", "");
            boolean fits = heading(option.path()).equals(Heading.TRANSACTIONS)
                    || heading(option.path()).equals(Heading.REQUESTS) && sends && receives
                    || !heading(option.path()).equals(Heading.REQUESTS)
                    && (OF_SENDING.contains(section) ? sends : !section.equals("consumers") || receives);
            if (fits && switch (option.where()) {
                case ALL -> true;
                case LONE -> !sends;
                case PAIRED -> sends;
            }) {
                all.add(option);
            }
        }
        return all;
    }

    /** Adds them to a command, each below its heading. */
    static void install(CommandSpec spec, boolean sends, boolean receives) {
        Map<String, CommandSpec> groups = new LinkedHashMap<>();
        for (Option option : of(sends, receives)) {
            boolean flag = option.reading() == Reading.FLAG;
            boolean several = option.reading() == Reading.NAMED;
            OptionSpec.Builder one = OptionSpec.builder(option.names().toArray(String[]::new)).order(option.order())
                    .type(flag ? boolean.class : several ? List.class : String.class).paramLabel(option.label())
                    .defaultValue(option.otherwise()).description(option.doc().split("\n"))
                    .initialValue(flag ? false : null);
            if (!flag && !several) {
                one.converters(text -> option.reading().inFile(text));
            }
            if (option.reading() == Reading.PACING) {
                one.completionCandidates(Arrays.stream(Pacing.values()).map(Pacing::name).toList());
            }
            groups.computeIfAbsent(heading(option.path()), _ -> CommandSpec.create()).addOption(one.build());
        }
        groups.forEach(spec::addMixin);
    }

    private static String heading(String path) {
        int dot = path.indexOf('.');
        return switch (dot < 0 ? path : path.substring(0, dot)) {
            case "producers" -> path.startsWith("producers.request") ? Heading.REQUESTS
                    : path.equals("producers.commitInterval") ? Heading.TRANSACTIONS : Heading.LOAD;
            case "load", "pacing", "realtime", "seed" -> Heading.LOAD;
            case "message" -> Heading.MESSAGES;
            case "consumers" -> Heading.CONSUMERS;
            default -> Heading.LIMITS;
        };
    }
}
