package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.brokermeter.cli.options.SettingOptions;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The tables of options in docs/commands.md, each after a marker, are generated from the options. */
class CommandDocsTest {

    private static final Path FILE = Path.of(System.getProperty("brokermeter.root"), "docs", "commands.md");
    private static final String MARK = "<!-- options: ";
    private static final List<String> RUNS = List.of("client", "producer", "consumer");

    @Test
    void thePageOfCommandsHasEveryOptionOfItsHelp() throws IOException {
        StringBuilder wanted = new StringBuilder();
        List<String> marks = new ArrayList<>();
        for (Iterator<String> lines = Files.readAllLines(FILE).iterator(); lines.hasNext();) {
            String line = lines.next();
            wanted.append(line).append('\n');
            if (line.startsWith(MARK)) {
                String what = line.substring(MARK.length(), line.indexOf(" -->"));
                marks.add(what);
                wanted.append(lines.next()).append('\n').append(table(what)).append('\n');
                while (lines.hasNext() && !lines.next().isEmpty()) {} // skips the existing table
            }
        }
        assertThat(marks).containsAll(SettingOptions.HEADINGS.stream().filter(heading -> !heading.equals("Login")).toList())
            .containsAll(Main.root().getSubcommands().keySet().stream()
                .filter(command -> !RUNS.contains(command) && own(command).findAny().isPresent()).toList());
        if (Boolean.getBoolean("brokermeter.update")) {
            Files.writeString(FILE, wanted);
        }
        assertThat(Files.readString(FILE)).as(FILE + " is out of date. Run this test with -Dbrokermeter.update=true to write it anew.")
            .isEqualTo(wanted.toString());
    }

    @Test
    void thePageOfCommandsNamesEveryCommandFirst() throws IOException {
        List<String> named = Files.readAllLines(FILE).stream().dropWhile(line -> !line.startsWith("| command |")).skip(2)
            .takeWhile(line -> line.startsWith("| `")).map(line -> line.substring(3).split("[` ]")[0]).toList();
        assertThat(named).containsExactlyInAnyOrderElementsOf(Main.root().getSubcommands().keySet());
    }

    private static String table(String what) {
        return SettingOptions.HEADINGS.contains(what) ? ofHeading(what) : "| option | value | default | meaning |\n|---|---|---|---|\n"
            + String.join("", own(what).map(option -> row(option) + "\n").toList());
    }

    /** Returns the options that a command does not share with the other runs, then those of the login. */
    private static Stream<OptionSpec> own(String command) {
        CommandSpec spec = Main.line(command).getCommandSpec();
        List<OptionSpec> shared = spec.mixins().entrySet().stream()
            .filter(group -> SettingOptions.HEADINGS.contains(group.getKey()) && !group.getKey().equals("Login"))
            .flatMap(group -> group.getValue().options().stream()).toList();
        return spec.options().stream().filter(option -> !option.usageHelp() && !option.versionHelp()
            && shared.stream().noneMatch(other -> other.longestName().equals(option.longestName())))
            .sorted(Comparator.comparing((OptionSpec option) -> spec.mixins().containsKey("Login")
                && spec.mixins().get("Login").findOption(option.longestName()) != null).thenComparing(OptionSpec::order));
    }

    private static String ofHeading(String heading) {
        Map<String, List<String>> commands = new LinkedHashMap<>();
        for (String command : RUNS) {
            CommandSpec group = Main.line(command).getCommandSpec().mixins().get(heading);
            if (group != null) {
                group.options().stream().sorted(Comparator.comparingInt(OptionSpec::order))
                    .forEach(option -> commands.computeIfAbsent(row(option), _ -> new ArrayList<>()).add(command));
            }
        }
        StringBuilder table = new StringBuilder("| option | value | default | meaning | commands |\n|---|---|---|---|---|\n");
        commands.forEach((row, which) -> table.append(row).append(' ').append(which.equals(RUNS) ? "all" : String.join(", ", which))
            .append(" |\n"));
        return table.toString();
    }

    /** Returns the row of an option. Its help ends with its default. */
    private static String row(OptionSpec option) {
        String help = String.join(" ", option.description()).replace("%%", "%");
        int end = help.lastIndexOf("Default: ");
        String otherwise = end < 0 ? "off" : help.substring(end + "Default: ".length(), help.length() - 1)
            .replace("${DEFAULT-VALUE}", String.valueOf(option.defaultValue()));
        return "| `" + String.join("` `", option.names()) + "` | " + cell(option.arity().max() == 0 ? "" : option.paramLabel()) + "| "
            + cell(otherwise) + "| " + cell(end < 0 ? help : help.substring(0, end).strip()) + "|";
    }

    private static String cell(String text) {
        return text.isEmpty() ? "" : text.replace("|", "\\|") + " ";
    }
}
