package io.brokermeter.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.brokermeter.cli.Main;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Model.CommandSpec;

/** The manual pages that the archive holds. */
class ManPagesTest {

    private static final Path PAGES = Path.of(System.getProperty("brokermeter.home"), "share", "man", "man1");
    private static final long LIMIT_SECONDS = 240;

    @TempDir
    Path directory;

    @Test
    void thereIsOneForTheProgramAndOneForEachCommand() throws Exception {
        try (Stream<Path> files = Files.list(PAGES)) {
            assertThat(files.map(file -> file.getFileName().toString())).containsExactlyInAnyOrderElementsOf(Stream.concat(
                Stream.of("brokermeter.1"), Main.root().getSubcommands().keySet().stream().map(name -> "brokermeter-" + name + ".1"))
                .toList());
        }
    }

    @Test
    void eachNamesAllOptionsOfItsCommand() throws Exception {
        for (var command : Main.root().getSubcommands().entrySet()) {
            String page = Files.readString(PAGES.resolve("brokermeter-" + command.getKey() + ".1"));
            CommandSpec spec = command.getValue().getCommandSpec();
            spec.options().stream().filter(option -> !option.hidden()).forEach(option -> assertThat(page).as(command.getKey())
                .contains(Stream.of(option.names()).map(name -> "\\fB" + name.replace("-", "\\-") + "\\fR").toList()));
        }
    }

    /** With all warnings that the program has of a page's form. */
    @Test
    void theyAreShownWithoutAWarning() throws Exception {
        String program = Stream.of("mandoc", "groff").filter(ManPagesTest::isHere).findFirst().orElse("");
        assumeTrue(!program.isEmpty(), "There is neither mandoc nor groff here.");
        try (Stream<Path> files = Files.list(PAGES)) {
            for (Path page : files.sorted().toList()) {
                Path shown = directory.resolve("shown");
                Path said = directory.resolve("said");
                List<String> command = program.equals("mandoc") ? List.of("mandoc", "-Tutf8", "-Wwarning", page.toString())
                    : List.of("groff", "-man", "-ww", "-Tutf8", "-P-c", page.toString());
                Process process = new ProcessBuilder(command).redirectOutput(shown.toFile()).redirectError(said.toFile()).start();
                assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).as("the end of " + command).isTrue();
                assertThat(Files.readString(said)).as(page.toString()).isEmpty();
                assertThat(process.exitValue()).isZero();
                // Bold letters are struck twice.
                assertThat(Files.readString(shown).replaceAll(".\b", "")).contains("NAME", "SYNOPSIS", "brokermeter");
            }
        }
    }

    private static boolean isHere(String program) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator)).anyMatch(path -> Files.isExecutable(Path.of(path, program)));
    }
}
