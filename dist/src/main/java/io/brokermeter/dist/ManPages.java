package io.brokermeter.dist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

import io.brokermeter.cli.Main;
import io.brokermeter.cli.options.SettingOptions;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Writes a manual page for the program and for each of its commands, from what their help is made of. Runs while the archive is built. */
public final class ManPages {

    private final StringBuilder page = new StringBuilder();

    private ManPages() {}

    /** Writes the pages into the directory of the first argument, for the version in the second, and those of the help into that of the third. */
    public static void main(String[] arguments) throws IOException {
        Path directory = Files.createDirectories(Path.of(arguments[0]));
        CommandLine root = Main.root();
        List<String> names = root.getSubcommands().keySet().stream().map(name -> "brokermeter-" + name).toList();
        Files.writeString(directory.resolve("brokermeter.1"), page("brokermeter", root, arguments[1], names));
        for (Map.Entry<String, CommandLine> command : root.getSubcommands().entrySet()) {
            String name = "brokermeter-" + command.getKey();
            Files.writeString(directory.resolve(name + ".1"), page(name, command.getValue(), arguments[1], List.of("brokermeter")));
        }
        HelpPages.write(Path.of(arguments[2]));
    }

    private static String page(String name, CommandLine command, String version, List<String> others) {
        ManPages made = new ManPages();
        CommandSpec spec = command.getCommandSpec();
        String description = plain(spec.usageMessage().description());
        made.line(".TH \"" + name.toUpperCase(Locale.ROOT) + "\" \"1\" \"\" \"brokermeter " + version + "\" \"brokermeter\"");
        // Words are not broken, and lines are not stretched: options would be hard to find.
        made.line(".nh").line(".ad l");
        int sentence = description.indexOf(". ");
        made.line(".SH NAME")
            .text(name + " - " + (sentence < 0 ? description : description.substring(0, sentence + 1)).replaceAll("\\.$", ""));
        made.line(".SH SYNOPSIS").text(new Help(spec, Help.defaultColorScheme(Ansi.OFF)).abbreviatedSynopsis().strip());
        made.line(".SH DESCRIPTION").text(description);
        made.commands(command);
        made.options(spec);
        made.footer(spec);
        made.line(".SH SEE ALSO").text(String.join(", ", others.stream().map(other -> other + "(1)").toList()));
        return made.page.toString();
    }

    private void commands(CommandLine command) {
        if (!command.getSubcommands().isEmpty()) {
            line(".SH COMMANDS");
            command.getSubcommands().forEach((name, one) -> line(".TP").line(".B " + escaped(name))
                .text(plain(one.getCommandSpec().usageMessage().description())));
        }
    }

    private void options(CommandSpec spec) {
        List<OptionSpec> rest = new ArrayList<>(spec.options());
        rest.removeIf(OptionSpec::hidden);
        if (spec.positionalParameters().isEmpty() && rest.isEmpty()) {
            return;
        }
        line(".SH OPTIONS");
        for (PositionalParamSpec one : spec.positionalParameters()) {
            line(".TP").line(".I " + escaped(one.paramLabel())).text(meaning(one));
        }
        List<String> headings = SettingOptions.HEADINGS.stream().filter(spec.mixins()::containsKey).toList();
        for (String heading : headings) {
            CommandSpec group = Objects.requireNonNull(spec.mixins().get(heading));
            List<OptionSpec> own = rest.stream().filter(option -> group.findOption(option.longestName()) != null).toList();
            rest.removeAll(own);
            options(heading, own);
        }
        options(headings.isEmpty() ? "" : "Other", rest);
    }

    private void options(String heading, List<OptionSpec> options) {
        if (!options.isEmpty() && !heading.isEmpty()) {
            line(".SS " + escaped(heading));
        }
        options.stream().sorted(Comparator.comparingInt(OptionSpec::order)).forEach(option -> {
            String names = String.join(", ", List.of(option.names()).stream().map(name -> "\\fB" + escaped(name) + "\\fR").toList());
            line(".TP").line(names + (option.arity().max() == 0 ? "" : " \\fI" + escaped(option.paramLabel()) + "\\fR"))
                .text(meaning(option));
        });
    }

    private static String meaning(ArgSpec arg) {
        return plain(arg.description()).replace("${DEFAULT-VALUE}", String.valueOf(arg.defaultValue()));
    }

    private void footer(CommandSpec spec) {
        String heading = plain(spec.usageMessage().footerHeading()).replace(":", "");
        String[] footer = spec.usageMessage().footer();
        if (footer.length > 0) {
            line(".SH " + (heading.isBlank() ? "NOTES" : escaped(heading.strip().toUpperCase(Locale.ROOT)))).line(".nf");
            for (String one : footer) {
                if (one.isBlank()) {
                    line(".sp");
                } else {
                    text(one.replace("%%", "%").strip());
                }
            }
            line(".fi");
        }
    }

    private static String plain(String... lines) {
        return String.join(" ", lines).replace("%n", " ").replace("%%", "%").replaceAll("\\s+", " ").strip();
    }

    private ManPages line(String line) {
        page.append(line).append('\n');
        return this;
    }

    private ManPages text(String text) {
        if (!text.isEmpty()) {
            String escaped = escaped(text);
            line(escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped);
        }
        return this;
    }

    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder();
        text.codePoints().forEach(c -> {
            switch (c) {
                case '\\' -> escaped.append("\\e");
                case '-' -> escaped.append("\\-");
                case '\'' -> escaped.append("\\(aq");
                case '"' -> escaped.append("\\(dq");
                case '^' -> escaped.append("\\(ha");
                case '~' -> escaped.append("\\(ti");
                case '`' -> escaped.append("\\(ga");
                default -> {
                    if (c < 128) {
                        escaped.append((char) c);
                    } else {
                        escaped.append("\\[u%04X]".formatted(c));
                    }
                }
            }
        });
        return escaped.toString();
    }
}
