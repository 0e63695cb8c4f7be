package io.brokermeter.trials.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.reports.stored.StoredSweep;
import io.brokermeter.reports.table.TableView;
import io.brokermeter.trials.CommandContext;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.LoopbackFile;
import io.brokermeter.trials.ObservationRequest;
import io.brokermeter.trials.Speaking;
import io.brokermeter.trials.worker.WorkerLauncher;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SweepFilesTest {

    @TempDir
    Path directory;

    /** The answer of an interrupted {@code window} does not include the trials that {@code run --resume} adds. */
    @Test
    void anAnswerGoesWithTheTrialsThatItKnew() throws Exception {
        Experiment experiment = LoopbackFile.read(directory);
        SweepPlan plan = SweepPlan.of(List.of(experiment), Drivers.load(), null, false);
        SweepFiles files = SweepFiles.create(directory.resolve("sweep"), List.of(), plan, null, null);
        Path answer = Files.writeString(files.directory().resolve(StoredSweep.WINDOW), "{}");

        files.begin(plan.steps().getFirst());

        assertThat(answer).doesNotExist();
    }

    /** A sweep that began on a local broker, or on brokers that it starts itself, continues in the same way, whatever listens now. */
    @Test
    void theRestOfASweepHasTheBrokerThatItBeganOn() throws Exception {
        for (String unnamed : List.of(SweepPlan.LOCAL, "artemis")) {
            boolean started = !unnamed.equals(SweepPlan.LOCAL);
            Path place = directory.resolve(unnamed);
            Experiment experiment = ScenarioFile.read("{name: t, destinations: queue://Q, producers: 1, load: {messages: 1}}", "test",
                directory, Changes.NONE);
            SweepPlan begun = SweepPlan.of(List.of(experiment), Speaking.ONLY, null, false, unnamed);
            assertThat(begun.steps().getFirst().broker() != null).isEqualTo(started);
            SweepFiles files = SweepFiles.create(place, List.of(), begun, null, null);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            PrintStream nowhere = new PrintStream(PrintStream.nullOutputStream());
            WorkerLauncher none = _ -> {
                throw new IOException("A dry run has no worker");
            };
            SweepRun.Settings settings = new SweepRun.Settings(Speaking.ONLY, null, new ObservationRequest(null, null, null, List.of()),
                TableView.MARKDOWN, false, new CommandContext(none, new PrintStream(out, true, StandardCharsets.UTF_8),
                    nowhere));

            assertThat(SweepRun.resume(place, settings, _ -> SweepPurpose.TABLES, true)).isZero();

            assertThat(out.toString(StandardCharsets.UTF_8)).contains(started ? "broker artemis;" : "a broker that runs;");
            files.requireLocal(begun, SweepPurpose.TABLES, () -> true);
            if (started) {
                files.requireLocal(begun, SweepPurpose.TABLES, () -> false);
            } else {
                assertThatThrownBy(() -> files.requireLocal(begun, SweepPurpose.TABLES, () -> false)).isInstanceOf(UsageException.class)
                    .hasMessage("The sweep in " + place + " was begun on the broker at localhost:61616, and none listens there now; "
                        + "start it again, or begin a new sweep.");
                files.end(begun.steps().getFirst(), SweepFiles.State.PASSED, List.of());
                files.requireLocal(begun, SweepPurpose.TABLES, () -> false);
            }
        }
    }

    /** A plan that grows while the disk is full, or whose process ends at that moment, leaves the smaller one. */
    @Test
    void aSweepWhoseGrowingWasCutGoesOn() throws Exception {
        SweepPlan begun = SweepPlan.of(List.of(LoopbackFile.read(directory)), Drivers.load(), null, false);
        SweepFiles files = SweepFiles.create(directory.resolve("sweep"), List.of(), begun, null, null);
        Path plan = files.directory().resolve(StoredSweep.SWEEP);
        SweepPlan larger =
            SweepPlan.of(List.of(LoopbackFile.read(directory, "sweep: {load.messages: [1, 2]}")), Drivers.load(), null, false);
        Path kept = Files.move(plan, directory.resolve("kept"));
        Path inTheWay = Files.createDirectories(plan.resolve("x"));

        assertThatThrownBy(() -> files.grow(larger)).isInstanceOf(IOException.class);

        Files.delete(inTheWay);
        Files.delete(plan);
        Files.move(kept, plan);
        SweepFiles rest = SweepFiles.open(files.directory());
        assertThat(rest.experiments().getFirst().trials()).hasSize(1);
        rest.resume(begun);
        for (int i = 0; i < 2; i++) {
            rest.grow(larger);
            assertThat(SweepFiles.open(files.directory()).experiments().getFirst().trials()).hasSize(2);
            try (Stream<Path> all = Files.list(files.directory().resolve("experiments"))) {
                assertThat(all).hasSize(1);
            }
        }
    }

    /** Sweeps of earlier versions do not record the broker, and those whose trials all have a URL need not. */
    @Test
    void whereNothingIsKeptOfTheBrokerItIsLookedFor() throws Exception {
        Experiment experiment = ScenarioFile.read("{name: t, url: 'tcp://h:1', destinations: queue://Q, producers: 1, load: {messages: 1}}",
            "test", directory, Changes.NONE);
        SweepFiles.create(directory.resolve("sweep"), List.of(), SweepPlan.of(List.of(experiment), Speaking.ONLY, null), null,
            null);

        SweepFiles read = SweepFiles.open(directory.resolve("sweep"));

        assertThat(read.unnamed()).isNull();
        assertThat(SweepPlan.of(read.experiments(), Speaking.ONLY, null, false, read.unnamed()).unnamed()).isNull();
    }
}
