package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import picocli.CommandLine.ParameterException;

/** The command lines that stand in README.md and docs/ are understood by the commands that they name. */
class CommandLinesOfDocsTest {

    private static final Path ROOT = Path.of(System.getProperty("brokermeter.root"));
    /** A line of a code block that begins with the program, perhaps behind another one that runs it. */
    private static final Pattern CALL = Pattern.compile("\\s*(?:run: |ssh \\S+ |source <\\()?(?:[\\w./]*/)?brokermeter ([a-z].*)");
    private static final Pattern WORD = Pattern.compile("'[^']*'|\"[^\"]*\"|[^\\s'\"]+");
    private static final Pattern NAME = Pattern.compile("`(--?[A-Za-z][A-Za-z-]*)");

    private record Call(Path page, String text) {}

    private static List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(Stream.of(ROOT.resolve("README.md")), files.filter(file -> file.toString().endsWith(".md")).sorted())
                .toList();
        }
    }

    private static List<Call> calls() throws IOException {
        List<Call> calls = new ArrayList<>();
        for (Path page : pages()) {
            boolean fenced = false;
            for (Iterator<String> lines = Files.readAllLines(page).iterator(); lines.hasNext();) {
                String line = lines.next();
                fenced ^= line.strip().startsWith("```");
                Matcher call = CALL.matcher(line);
                if ((fenced || line.startsWith("    ")) && call.matches()) {
                    StringBuilder text = new StringBuilder(call.group(1));
                    while (text.charAt(text.length() - 1) == '\\' && lines.hasNext()) {
                        text.setLength(text.length() - 1);
                        text.append(lines.next().strip());
                    }
                    calls.add(new Call(page, text.toString()));
                }
            }
        }
        return calls;
    }

    /** Returns the words of a command line as a shell would, up to a comment, a pipe or a redirection. */
    private static List<String> words(String text) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        int end = 0;
        for (Matcher next = WORD.matcher(text); next.find(); end = next.end()) {
            if (next.start() > end && !word.isEmpty()) {
                words.add(word.toString());
                word.setLength(0);
            }
            String part = next.group();
            if (word.isEmpty() && Set.of("#", "|", ">", ">>", "2>&1", "&&", "&").contains(part)) {
                return words;
            }
            boolean quoted = part.startsWith("'") || part.startsWith("\"");
            word.append(quoted ? part.substring(1, part.length() - 1) : part);
        }
        if (!word.isEmpty()) {
            words.add(word.toString());
        }
        return words;
    }

    @Test
    void theirCommandsUnderstandThem() throws IOException {
        List<Call> calls = calls();
        assertThat(calls).hasSizeGreaterThan(60);
        List<String> wrong = new ArrayList<>();
        for (Call call : calls) {
            List<String> words = words(call.text().replaceAll("\\)$", ""));
            try {
                Main.line(words.getFirst()).parseArgs(words.subList(1, words.size()).toArray(String[]::new));
            } catch (ParameterException | IllegalArgumentException e) {
                wrong.add(ROOT.relativize(call.page()) + ": " + call.text() + ": " + e.getMessage());
            }
        }
        assertThat(wrong).isEmpty();
    }

    /** In docs/comparison.md a name of another tool that is "the same" is an option here, and so is each name in the second column. */
    @Test
    void theNamesForThoseWhoMoveOverExist() throws IOException {
        Set<String> loads = names(List.of("client", "producer", "consumer"));
        Set<String> all = names(Main.root().getSubcommands().keySet());
        Set<String> missing = new TreeSet<>();
        int same = 0;
        for (String line : Files.readAllLines(ROOT.resolve("docs/comparison.md")).stream().dropWhile(l -> !l.equals("## Moving over"))
            .toList()) {
            if (line.startsWith("| ")) {
                String[] cells = line.split(" \\| |^\\| ");
                boolean as = cells[2].startsWith("the same");
                same += as ? 1 : 0;
                NAME.matcher(as ? cells[1] : cells[2]).results().map(found -> found.group(1))
                    .filter(name -> !(as ? loads : all).contains(name)).forEach(missing::add);
            }
        }
        assertThat(same).isGreaterThan(5);
        assertThat(missing).isEmpty();
    }

    private static Set<String> names(Iterable<String> commands) {
        Set<String> names = new TreeSet<>();
        for (String command : commands) {
            names.addAll(Main.line(command).getCommandSpec().options().stream().flatMap(option -> Stream.of(option.names()))
                .collect(Collectors.toSet()));
        }
        return names;
    }
}
