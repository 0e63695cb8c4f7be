package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.brokermeter.cli.Tool.Finished;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of the workflow on the page about continuous integration, executed with a broker in memory or planned. */
class BuildPageTest {

    private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");

    @TempDir
    Path directory;

    private static List<String> page() throws Exception {
        return Files.readAllLines(Path.of(System.getProperty("brokermeter.root"), "docs", "ci.md"));
    }

    private static List<String> words(List<String> lines) {
        List<String> all = new ArrayList<>();
        for (String line : lines) {
            Matcher words = WORD.matcher(line);
            while (words.find()) {
                all.add(words.group(1) != null ? words.group(1) : words.group(2) != null ? words.group(2) : words.group(3));
            }
        }
        assertThat(all.removeFirst()).isEqualTo("brokermeter/brokermeter");
        return all;
    }

    @Test
    void theComparisonOfTheWorkflowIsOneThatCanBePlanned() throws Exception {
        List<String> scenario =
            page().stream().dropWhile(line -> !line.equals("name: ci")).takeWhile(line -> !line.startsWith("```")).toList();
        Files.write(directory.resolve("ci.yaml"), scenario);
        List<String> command =
            words(page().stream().filter(line -> line.strip().startsWith("brokermeter/brokermeter ab ")).toList());
        command = new ArrayList<>(command.subList(0, command.indexOf(">>")));
        // Only a repository knows whether these versions exist, so they are replaced.
        command.replaceAll(word -> word.equals("broker.version=2.44.0") ? "broker.heap=256m"
            : word.equals("broker.version=2.55.0") ? "broker.heap=512m" : word);
        command.add("--dry-run");

        Finished finished = new Tool(directory).run(command.toArray(String[]::new)).exits(0);
        assertThat(finished.out() + finished.err()).contains("one pair", "heap");
    }

    @Test
    void theActionPlansTheComparisonOfItsInputs() throws Exception {
        List<String> action = Files.readAllLines(Path.of(System.getProperty("brokermeter.root"), "action.yml"));
        String script = action.stream().dropWhile(line -> !line.strip().equals("run: |")).skip(1).map(String::strip)
            .collect(Collectors.joining("\n"));
        Files.writeString(directory.resolve("ci.yaml"),
            "name: ci\nurl: loopback://a\nduration: 1s\ndestinations: [queue://CI]\nproducers: {}\n");
        Path program = Files.writeString(directory.resolve("brokermeter"), "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        Path words = directory.resolve("words");
        ProcessBuilder builder = new ProcessBuilder("bash", "-e", "-c", script).inheritIO();
        builder.environment().putAll(Map.of("GITHUB_ACTION_PATH", directory.toString(), "GITHUB_STEP_SUMMARY", words.toString(), "SCENARIO",
            directory.resolve("ci.yaml").toString(), "A", "producers.maxPending=5\nmessage.size=1KiB\n", "B", "producers.maxPending=50",
            "FAIL_IF",
            "throughput < 0.97\nresponse.p50 > 1.05", "TIME", "12m"));
        Process process = builder.start();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).isZero();
        List<String> command = new ArrayList<>(Files.readAllLines(words));
        assertThat(command).containsSequence("--a", "producers.maxPending=5", "--a", "message.size=1KiB", "--b", "producers.maxPending=50",
            "--fail-if",
            "throughput < 0.97", "--fail-if", "response.p50 > 1.05", "--time", "12m");
        command.add("--dry-run");

        Finished finished = new Tool(directory).run(command.toArray(String[]::new)).exits(0);
        assertThat(finished.out() + finished.err()).contains("one pair", "maxPending");
    }

    @Test
    void theCommandOfTheWorkflowRunsAndLeavesWhatItSays() throws Exception {
        List<String> command = words(page().stream().dropWhile(line -> !line.strip().startsWith("brokermeter/brokermeter "))
            .takeWhile(line -> line.startsWith("        ")).toList());
        Path summary = directory.resolve("summary.md");
        command.replaceAll(word -> switch (word) {
            case "--broker" -> "--url";
            case "artemis" -> "loopback://ci";
            case "10s" -> "500ms";
            case "40s" -> "4s";
            case "$GITHUB_STEP_SUMMARY" -> summary.toString();
            default -> word;
        });

        Finished finished = new Tool(directory).run(command.toArray(String[]::new));
        // A run that misses more than half of its rate because of a stall fails, one of a starved generator is invalid, and both are repeated.
        for (int again = 0; again < 2 && (finished.status() == 1 || finished.status() == 3); again++) {
            Files.deleteIfExists(summary);
            finished = new Tool(directory).run(command.toArray(String[]::new));
        }

        // The CPU time of a broker in memory is unknown, and a busy machine may miss other thresholds.
        finished.exits(99);
        assertThat(finished.out()).contains("kept (lost == 0: 0)", "missed (broker.cpuPerMessage < 500us: it is not known)");
        assertThat(Files.readString(summary)).startsWith("### brokermeter client: THRESHOLD MISSED");
        assertThat(Files.readString(directory.resolve("junit.xml"))).contains("tests=\"5\"");
        assertThat(directory.resolve("report.json")).exists();
    }
}
