package io.brokermeter.cli;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Layout;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Renders the options in the help: each option group under its heading, then the options of no group. */
final class GroupedOptions implements IHelpSectionRenderer {

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
                section(help, text, heading, options);
            }
        }
        section(help, text, text.isEmpty() ? "Options" : "Other", rest);
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

    /** Sets this renderer and the widths of brokermeter's help in a command. */
    static void install(CommandSpec spec) {
        spec.usageMessage().sectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, new GroupedOptions());
        spec.usageMessage().width(110).longOptionsMaxWidth(42).abbreviateSynopsis(true);
    }
}
