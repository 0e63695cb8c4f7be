package io.brokermeter.reports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.stored.StoredInterval;
import io.brokermeter.reports.stored.StoredRun;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a run keeps while it goes on, and what a reader makes of it then and later. */
class RunDirectoryTest {

    @TempDir
    Path directory;

    private final List<String> warnings = new ArrayList<>();

    private RunDirectory open() {
        return open(warnings::add);
    }

    private RunDirectory open(@Nullable Consumer<String> hears) {
        Map<String, Object> environment = new LinkedHashMap<>();
        environment.put("format", RunDirectory.FORMAT);
        environment.put("labels", Map.of("build", "117"));
        return RunDirectory.open(directory.resolve("run"), "name: x\n", Samples.CLIENT, new RunEnvironment(environment), List.of(),
            hears);
    }

    /** A name that no file can take the place of. */
    private void bar(String name) throws IOException {
        Path file = directory.resolve("run").resolve(name);
        Files.delete(file);
        Files.createDirectories(file.resolve("in the way"));
    }

    @Test
    void whatCannotBeKeptOfTheEnvironmentIsSaid() throws Exception {
        try (RunDirectory files = open(null)) {
            bar(RunDirectory.ENVIRONMENT);
            assertThatThrownBy(() -> files.environment("git", Map.of())).isInstanceOf(UsageException.class)
                .hasMessageContaining("The files of the run cannot be written to " + directory.resolve("run"));
        }
    }

    @Test
    void aResultTellsWhereItsFilesEndWhicheverCouldNotBeWritten() throws Exception {
        try (RunDirectory files = open()) {
            files.interval(Samples.interval(0));
            bar(RunDirectory.ENVIRONMENT);
            files.environment("git", Map.of());
            files.environment("more", Map.of());
            files.finished(Samples.success());
        }
        assertThat(warnings).singleElement().asString().contains("are not complete");
        String result = Files.readString(directory.resolve("run").resolve(RunDirectory.RESULT));
        assertThat(JsonText.map(JsonText.read(result).get("filesEnd"))).containsKey("reason");
    }

    private StoredRun read() {
        return StoredRun.read(directory.resolve("run"));
    }

    @Test
    void aRunIsReadWhileItGoesOnAndWhenItHasEnded() throws Exception {
        try (RunDirectory files = open()) {
            files.environment("git", Map.of("commit", "0123abcd", "changes", true));
            files.interval(Samples.interval(0));
            assertThat(RunDirectory.isRunning(files.directory())).isTrue();
            assertThat(read().state()).isEqualTo(StoredRun.State.RUNNING);
            assertThat(read().notes()).singleElement().asString()
                .isEqualTo("The run goes on. What follows is made of the 1 intervals so far.");
            files.interval(Samples.interval(1));
            files.finished(Samples.success());
            assertThat(read().state()).isEqualTo(StoredRun.State.ENDED);
        }
        assertThat(RunDirectory.isRunning(directory.resolve("run"))).isFalse();
        StoredRun run = read();
        assertThat(run.notes()).isEmpty();
        assertThat(run.format()).isEqualTo(2);
        assertThat(run.labels()).containsOnly(Map.entry("build", "117"), Map.entry("git.commit", "0123abcd"),
            Map.entry("git.changes", "true"));
        assertThat(run.intervals()).extracting(StoredInterval::sent).containsExactly(7316L, 7316L);
        assertThat(run.intervals().getFirst().blocked()).isEqualTo(6632);
        assertThat(run.intervals().getFirst().completed()).isEqualTo(7320);
        assertThat(run.intervals().getFirst().received()).isEqualTo(7317);
        assertThat(run.result().number(ResultField.SENT)).isEqualTo(70194);
    }

    @Test
    void aLiveResultIsWhatTheFileOfItSays() throws Exception {
        try (RunDirectory files = open()) {
            files.finished(Samples.success());
        }
        assertThat(ResultJson.stored(Samples.success(), Samples.CLIENT).values()).isEqualTo(read().result().values());
    }

    /** Nobody typed an option that names it. */
    @Test
    void aFullDiskIsToldByTheFileItself() throws Exception {
        Path run = Files.createDirectory(directory.resolve("run"));
        Files.createSymbolicLink(run.resolve(RunDirectory.INTERVALS), Path.of("/dev/full"));
        try (RunDirectory files = open()) {
            files.interval(Samples.interval(0));
        }
        assertThat(warnings).singleElement().asString().doesNotContain("--")
            .contains(run.resolve(RunDirectory.INTERVALS) + " could not be written: ");
    }

    @Test
    void nothingOfAFileThatCouldNotBeWrittenStays() throws IOException {
        Path run = Files.createDirectory(directory.resolve("run"));
        Path target = Files.createDirectories(run.resolve("result.json").resolve("in the way"));
        assertThatThrownBy(() -> RunDirectory.write(target.getParent(), "{}")).isInstanceOf(IOException.class);
        assertThat(run.toFile().list()).containsExactly("result.json");
    }
}
