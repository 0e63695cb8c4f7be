package io.brokermeter.dist;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

import io.brokermeter.cli.Main;
import io.brokermeter.cli.options.SettingOptions;

/**
 * Writes what the program prints when it is asked for help, coloured, into a file for each question. The launcher shows these files, which
 * takes milliseconds where a JVM takes a quarter of a second. Runs while the archive is built.
 */
final class HelpPages {

    private static final String HELP = "--help";

    private HelpPages() {}

    /** Writes the pages into a directory, each under the words of its question with blanks between them. */
    static void write(Path directory) throws IOException {
        System.setProperty("picocli.ansi", "true");
        Files.createDirectories(directory);
        for (List<String> words : questions()) {
            try (PrintStream page = new PrintStream(directory.resolve(String.join(" ", words)).toFile(), StandardCharsets.UTF_8)) {
                if (new Main(page, System.err, Map.of()).run(words.toArray(String[]::new)) != 0 || page.checkError()) {
                    throw new IOException("There is no help for " + words + ".");
                }
            }
        }
    }

    /** Returns the command lines that ask for help about the program, a command, all of its options, and each of its subjects. */
    static List<List<String>> questions() {
        List<List<String>> questions = new ArrayList<>(List.of(List.of(HELP)));
        Main.root().getSubcommands().forEach((name, line) -> {
            questions.add(List.of(name, HELP));
            if (line.getCommandSpec().findOption("--help-all") != null) {
                questions.add(List.of(name, "--help-all"));
            }
            SettingOptions.HEADINGS.stream().filter(line.getCommandSpec().mixins()::containsKey)
                .map(heading -> heading.toLowerCase(Locale.ROOT))
                .flatMap(heading -> Stream.concat(Stream.of(heading), Stream.of(heading.split(" ")).filter(word -> word.length() > 3)))
                .distinct().forEach(subject -> questions.add(List.of(name, HELP, subject)));
        });
        return questions;
    }
}
