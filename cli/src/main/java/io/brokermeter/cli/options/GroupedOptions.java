package io.brokermeter.cli.options;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Layout;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Renders the options in the help: each option group under its heading, then the options of no group. A command with groups has so many that
 * {@code --help} shows those that people use, {@code --help SUBJECT} a group, and {@code --help-all} all.
 */
public final class GroupedOptions implements IHelpSectionRenderer {

    private static final List<String> HELP = List.of("--help", "-h");
    private static final String ALL = "--help-all";
    private static final Set<String> COMMON =
        Set.of("--url", "--broker", "--protocol", "--user", "--password-file", "--network", "--agents", "--rate",
            "--producers", "--consumers", "--max-pending", "--message-size", "--persistent", "--message-count", "--duration", "--warmup",
            "--threshold", "--fault", "--show-latency", "--json", "--out");

    /** Whether a heading is shown whole, and whether the common options of the others are shown. */
    private final Predicate<String> headings;
    private final boolean common;

    private GroupedOptions(Predicate<String> headings, boolean common) {
        this.headings = headings;
        this.common = common;
    }

    @Override
    public String render(Help help) {
        CommandSpec spec = help.commandSpec();
        List<OptionSpec> rest = new ArrayList<>(spec.options());
        StringBuilder text = new StringBuilder();
        Map<String, CommandSpec> groups = spec.mixins();
        for (String heading : SettingOptions.HEADINGS) {
            CommandSpec group = groups.get(heading);
            if (group != null) {
                List<OptionSpec> options = new ArrayList<>(rest);
                options.removeIf(o -> group.findOption(o.longestName()) == null);
                rest.removeAll(options);
                if (!headings.test(heading)) {
                    options.removeIf(option -> !common || Stream.of(option.names()).noneMatch(COMMON::contains));
                }
                section(help, text, heading, options);
            }
        }
        if (common) {
            section(help, text, text.isEmpty() ? "Options" : "Other", rest);
        }
        return text.toString();
    }

    private static void section(Help help, StringBuilder text, String heading, List<OptionSpec> options) {
        List<OptionSpec> visible = new ArrayList<>(options);
        visible.removeIf(OptionSpec::hidden);
        if (visible.isEmpty()) {
            return;
        }
        visible.sort(Comparator.comparingInt(OptionSpec::order));
        Layout layout = help.createDefaultLayout();
        layout.addOptions(visible, help.createDefaultParamLabelRenderer());
        text.append(String.format("%n%s:%n", heading)).append(layout);
    }

    /** Shows what the words of a command line ask for; all options unless this is called. */
    public static void narrow(CommandSpec spec, List<String> words) {
        List<String> subjects = SettingOptions.HEADINGS.stream().filter(spec.mixins()::containsKey).toList();
        if (words.contains(ALL) || subjects.isEmpty()) {
            return;
        }
        int asked = words.stream().filter(HELP::contains).findFirst().map(words::indexOf).orElse(-1) + 1;
        String subject = asked > 0 && asked < words.size() ? words.get(asked).toLowerCase(Locale.ROOT) : "";
        Predicate<String> fits = heading -> !subject.isEmpty() && heading.toLowerCase(Locale.ROOT).contains(subject);
        boolean known = subjects.stream().anyMatch(fits);
        Map<String, IHelpSectionRenderer> sections = spec.usageMessage().sectionMap();
        sections.put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, new GroupedOptions(known ? fits : _ -> false, !known));
        if (known) {
            Stream.of(UsageMessageSpec.SECTION_KEY_FOOTER, UsageMessageSpec.SECTION_KEY_FOOTER_HEADING).forEach(sections::remove);
        } else {
            String all = subjects.stream().map(heading -> heading.toLowerCase(Locale.ROOT)).collect(Collectors.joining(", "));
            sections.put(UsageMessageSpec.SECTION_KEY_END_OF_OPTIONS, _ -> String.format(
                "%nAll %d options: %s %s%nThose of a subject: %2$s --help SUBJECT%nSubjects: %s.%n", spec.options().size(),
                spec.qualifiedName(),
                ALL, all.replaceAll("(.{80,100},) ", "$1" + System.lineSeparator() + "          ")));
        }
    }

    /** Sets this renderer and the widths of brokermeter's help in a command. */
    public static void install(CommandSpec spec) {
        if (SettingOptions.HEADINGS.stream().anyMatch(spec.mixins()::containsKey)) {
            spec.addOption(OptionSpec.builder(ALL).usageHelp(true).order(98).description("Show all options and exit.").build());
        }
        spec.usageMessage().sectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, new GroupedOptions(_ -> true, true));
        spec.usageMessage().width(110).longOptionsMaxWidth(42).abbreviateSynopsis(true);
    }
}
