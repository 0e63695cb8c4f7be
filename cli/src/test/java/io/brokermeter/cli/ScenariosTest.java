package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Scenario files that are distributed with the tool. */
class ScenariosTest {

    private static final Path SCENARIOS = Path.of(System.getProperty("brokermeter.root"), "scenarios");

    @TestFactory
    List<DynamicTest> everyFileIsPlanned() throws IOException {
        try (Stream<Path> all = Files.walk(SCENARIOS)) {
            List<Path> files = all.filter(path -> path.toString().endsWith(".yaml")).sorted().toList();
            assertThat(files).hasSizeGreaterThan(40);
            return files.stream().map(file -> dynamicTest(SCENARIOS.relativize(file).toString(), () -> {
                var out = new ByteArrayOutputStream();
                var err = new ByteArrayOutputStream();
                int status = new Main(new PrintStream(out, true, StandardCharsets.UTF_8),
                    new PrintStream(err, true, StandardCharsets.UTF_8), Map.of()).run("run", "--dry-run", file.toString());
                assertThat(status).as(err.toString(StandardCharsets.UTF_8)).isZero();
                assertThat(out.toString(StandardCharsets.UTF_8)).containsPattern("  trials +\\d+");
            })).toList();
        }
    }
}
