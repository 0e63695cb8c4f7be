package io.brokermeter.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.brokermeter.cli.Main;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The help that the archive holds as files, and the launcher that shows it. */
class HelpPagesTest {

    private static final Path HOME = Path.of(System.getProperty("brokermeter.home"));
    private static final String COLOURS = "picocli.ansi";
    private static final long LIMIT_SECONDS = 240;

    @TempDir
    Path directory;

    @AfterEach
    void forgetColours() {
        System.clearProperty(COLOURS);
    }

    /** Returns what the program prints without the launcher. */
    private static String printed(boolean coloured, String... words) {
        System.setProperty(COLOURS, String.valueOf(coloured));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new Main(new PrintStream(out, true, StandardCharsets.UTF_8), System.err, Map.of()).run(words);
        return out.toString(StandardCharsets.UTF_8);
    }

    /** Returns what the launcher prints, under some variables of the environment. */
    private String shown(Map<String, String> variables, String... words) throws IOException, InterruptedException {
        Path out = directory.resolve("out");
        List<String> command = new ArrayList<>(List.of(HOME.resolve("bin/brokermeter").toString()));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(directory.resolve("err").toFile());
        // Whatever starts a JVM fails.
        builder.environment().keySet().removeAll(List.of("NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"));
        builder.environment().put("JAVA_ARGS", "-XX:NoSuchFlag");
        builder.environment().putAll(variables);
        Process process = builder.start();
        assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).as("the end of " + command).isTrue();
        assertThat(process.exitValue()).as(Files.readString(directory.resolve("err"))).isZero();
        return Files.readString(out);
    }

    @Test
    void thereIsAPageForEachQuestionWithWhatTheProgramPrints() throws Exception {
        try (Stream<Path> files = Files.list(HOME.resolve("help"))) {
            assertThat(files.map(file -> file.getFileName().toString()))
                .containsExactlyInAnyOrderElementsOf(HelpPages.questions().stream().map(words -> String.join(" ", words)).toList());
        }
        for (List<String> words : HelpPages.questions()) {
            assertThat(Files.readString(HOME.resolve("help").resolve(String.join(" ", words)))).as(words.toString())
                .isEqualTo(printed(true, words.toArray(String[]::new)));
        }
    }

    @ParameterizedTest
    @CsvSource({"--help,--help", "-h,--help", "help,--help", "client --help,client --help", "client -h,client --help",
        "help client,client --help", "client --help-all,client --help-all", "run --help network,run --help network",
        "client --help consumers,client --help consumers", "broker --help,broker --help"})
    void theLauncherShowsWhatTheProgramPrints(String words, String meaning) throws Exception {
        assertThat(shown(Map.of(), words.split(" "))).isNotBlank().isEqualTo(printed(false, meaning.split(" ")));
    }

    @Test
    void coloursAreAskedForAndRefusedByTheUsualVariables() throws Exception {
        String coloured = printed(true, "client", "--help");
        assertThat(coloured).contains("\033[");
        assertThat(shown(Map.of("CLICOLOR_FORCE", "1"), "client", "--help")).isEqualTo(coloured);
        String plain = printed(false, "client", "--help");
        assertThat(shown(Map.of("CLICOLOR_FORCE", "0"), "client", "--help")).isEqualTo(plain);
        assertThat(shown(Map.of("CLICOLOR_FORCE", "1", "NO_COLOR", "1"), "client", "--help")).isEqualTo(plain);
    }
}
