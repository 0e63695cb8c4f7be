package io.brokermeter.reports.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.Samples;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.EnvironmentDocument;
import io.brokermeter.reports.document.GeneratorRow;
import io.brokermeter.reports.document.JsonText;
import io.brokermeter.reports.json.ResultJson;
import io.brokermeter.reports.stored.StoredInterval;
import io.brokermeter.reports.stored.StoredRun;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that a run writes, and how they are read during the run and after it. */
class RunDirectoryTest {

    @TempDir
    Path directory;

    private final List<String> warnings = new ArrayList<>();

    private RunDirectory open() {
        return open(warnings::add);
    }

    private RunDirectory open(@Nullable Consumer<String> hears) {
        EnvironmentDocument environment = DocumentJson.read(EnvironmentDocument.class,
            Map.of("format", RunDirectory.FORMAT, "labels", Map.of("build", "117")));
        return RunDirectory.open(directory.resolve("run"), "name: x\n", Samples.CLIENT, new RunEnvironment(environment), List.of(),
            hears);
    }

    /** Replaces a file of the run by a directory that is not empty, so that the file cannot be written again. */
    private void bar(String name) throws IOException {
        Path file = directory.resolve("run").resolve(name);
        Files.delete(file);
        Files.createDirectories(file.resolve("in the way"));
    }

    @Test
    void whatCannotBeKeptOfTheEnvironmentIsSaid() throws Exception {
        try (RunDirectory files = open(null)) {
            bar(RunDirectory.ENVIRONMENT);
            assertThatThrownBy(() -> files.environment(its -> its.withOneWay(RunDirectory.JUDGED))).isInstanceOf(UsageException.class)
                .hasMessageContaining("The files of the run cannot be written to " + directory.resolve("run"));
        }
    }

    @Test
    void aResultTellsWhereItsFilesEndWhicheverCouldNotBeWritten() throws Exception {
        try (RunDirectory files = open()) {
            files.interval(Samples.interval(0));
            bar(RunDirectory.ENVIRONMENT);
            files.environment(its -> its.withOneWay(RunDirectory.JUDGED));
            files.environment(its -> its.withOneWay(RunDirectory.LEFT_OUT));
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
            files.environment(its -> its.with(new EnvironmentDocument.Git("0123abcd", null, true)));
            files.interval(Samples.interval(0));
            assertThat(RunDirectory.isRunning(files.directory())).isTrue();
            assertThat(read().state()).isEqualTo(StoredRun.State.RUNNING);
            assertThat(read().notes()).singleElement().asString()
                .isEqualTo("The run goes on. What follows is made of the 1 interval so far.");
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
        assertThat(ResultJson.stored(Samples.success(), Samples.CLIENT)).isEqualTo(read().result());
    }

    private static final String HEAD =
        "time,elapsed_seconds,warmup,phase,seconds,cpu_percent,resident_bytes,heap_used_bytes,gc_pauses,gc_pause_millis\n";

    private void agent(String name, String... rows) throws IOException {
        Path files = Files.createDirectories(directory.resolve("run").resolve(RunDirectory.AGENTS).resolve(name));
        Files.writeString(files.resolve(RunDirectory.GENERATOR), HEAD + String.join("\n", rows) + "\n");
    }

    /** The resource usage of the coordinator is not part of the cost of the load. */
    @Test
    void aRunOnAgentsHasWhatTheseUsedTogether() throws Exception {
        try (RunDirectory files = open()) {
            files.isMadeByOthers();
            files.interval(Samples.interval(0));
            files.finished(Samples.success());
        }
        assertThat(read().generator()).isEmpty();
        agent("near", "t,1.001,true,,1.001,50.00,100,60,1,5", "t,2.002,false,,1.001,70.5,110,50,0,0", "t,3.000,false,,0.998,10,110,50,0,0");
        agent("far", "t,1.000,true,,1.000,100.00,200,70,0,0", "t,3.010,false,,2.010,30.25,,80,2,9");
        assertThat(read().generator())
            .extracting(row -> row.elapsedSeconds() + " " + row.seconds() + " " + row.cpuPercent() + " " + row.residentBytes() + " "
                + row.heapUsedBytes() + " " + row.gcPauseMillis())
            .containsExactly("1.001 1.001 150.0 300.0 130.0 5.0", "2.002 1.001 70.5 110.0 50.0 0.0", "3.01 2.01 40.25 NaN 130.0 9.0");
    }

    /**
     * The readings at 4.25 s cover the rest of an interval, and the second one of {@code far} is late. Each is combined with the reading of
     * the same interval.
     */
    @Test
    void anAgentWithSeveralReadingsInAnIntervalCountsOnceThere() throws Exception {
        try (RunDirectory files = open()) {
            files.isMadeByOthers();
            files.interval(Samples.interval(0));
            files.finished(Samples.success());
        }
        agent("far", "t1,1.000,true,,1.000,20,200,70,0,0", "t2,2.600,false,,1.500,40,210,90,1,4", "t3,3.000,false,,0.500,80,220,80,2,5",
            "t4,4.000,false,,1.000,20,230,75,0,0", "t5,4.250,false,,0.250,70,225,95,1,2");
        agent("near", "u1,1.000,true,,1.000,10,100,50,0,0", "u2,2.000,false,,1.000,10,100,50,0,0", "u3,3.000,false,,1.000,10,100,50,0,0",
            "u4,4.000,false,,1.000,10,100,50,0,0", "u5,4.250,false,,0.250,60,110,50,1,1");
        assertThat(read().generator())
            .containsExactly(new GeneratorRow("t1", 1, true, "", 1, 30, 300, 120, 0, 0),
                new GeneratorRow("u2", 2, false, "", 1, 10, 100, 50, 0, 0),
                new GeneratorRow("t3", 3, false, "", 2, 60, 320, 140, 3, 9),
                new GeneratorRow("t5", 4.25, false, "", 1.25, 50, 340, 145, 2, 3));
    }

    /** No option names the file, so the warning names the file itself. */
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
