package io.brokermeter.trials.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.brokermeter.experiment.Experiment;
import io.brokermeter.reports.document.SweepDocument;
import io.brokermeter.reports.table.TableView;
import io.brokermeter.trials.CommandContext;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.LoopbackFile;
import io.brokermeter.trials.ObservationRequest;
import io.brokermeter.trials.RunFiles;
import io.brokermeter.trials.worker.WorkerLauncher;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SweepRunTest {

    @TempDir
    Path directory;

    /** The warning is printed although other trials have a measured part, and once for all trials concerned. */
    @Test
    void aWarmUpThatIsAllOfTheDurationIsWarnedOf() throws Exception {
        Experiment experiment = LoopbackFile.read(directory, "repeat: 2", "duration: 3s", "sweep: {warmup: [1s, 3s]}");
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        SweepRun.Settings settings = new SweepRun.Settings(Drivers.load(), null, new ObservationRequest(null, null, null, List.of()),
            TableView.MARKDOWN, false, new CommandContext(_ -> {
                throw new IOException("Nothing is started.");
            }, new PrintStream(PrintStream.nullOutputStream()), new PrintStream(err, true, StandardCharsets.UTF_8)));

        assertThat(SweepRun.begin(List.of(experiment), List.of(), RunFiles.of("none", settings.around().err()), settings,
            SweepPurpose.TABLES, true)).isZero();
        assertThat(err.toString(StandardCharsets.UTF_8).lines()).containsExactly("warning: t: key 'warmup' is all of key 'duration', so "
            + "nothing is measured: the totals count, and no rates and times follow.");
    }

    /** The next trial is still run, since the machine may have a process for it. */
    @Test
    void aTrialFailsWhoseWorkerTheMachineHasNoProcessFor() throws Exception {
        Experiment experiment = LoopbackFile.read(directory, "repeat: 2");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream nowhere = new PrintStream(PrintStream.nullOutputStream());
        WorkerLauncher full = _ -> {
            throw new IOException("Resource temporarily unavailable");
        };
        SweepRun.Settings settings = new SweepRun.Settings(Drivers.load(), null, new ObservationRequest(null, null, null, List.of()),
            TableView.MARKDOWN, false, new CommandContext(full, new PrintStream(out, true, StandardCharsets.UTF_8), nowhere));

        int status = SweepRun.begin(List.of(experiment), List.of(), RunFiles.of(directory.resolve("out").toString(), nowhere), settings,
            SweepPurpose.TABLES, false);

        assertThat(status).isEqualTo(1);
        for (int trial = 1; trial <= 2; trial++) {
            assertThat(out.toString(StandardCharsets.UTF_8)).contains("trial " + trial + " of 2 (t, repeat " + trial
                + "): failed: The worker process could not be started: resource temporarily unavailable.");
        }
    }

    private record Paused(String reason) implements SweepPurpose {

        @Override
        public boolean isEnough(Path directory, PrintStream out) {
            return true;
        }

        @Override
        public SweepDocument.Question kept() {
            return SweepDocument.Question.of(new SweepDocument.AskedPairs(List.of(), 0, List.of(), 0, List.of(), 0, "", reason));
        }
    }

    /** If the resumed sweep is cut off, its files must not state any longer that its time was up. */
    @Test
    void whatIsKeptIsWrittenBeforeTheFirstTrialOfASweepThatGoesOn() throws Exception {
        Experiment experiment = LoopbackFile.read(directory, "repeat: 2");
        Path kept = directory.resolve("out");
        List<String> seen = new ArrayList<>();
        PrintStream nowhere = new PrintStream(PrintStream.nullOutputStream());
        SweepRun.Settings settings = new SweepRun.Settings(Drivers.load(), null, new ObservationRequest(null, null, null, List.of()),
            TableView.MARKDOWN, false, new CommandContext(_ -> {
                SweepDocument.Question question = Objects.requireNonNull(SweepFiles.open(kept).comparison());
                seen.add(Objects.requireNonNull(question.paired()).paused());
                throw new IOException("Nothing is started.");
            }, nowhere, nowhere));

        SweepRun.begin(List.of(experiment), List.of(), RunFiles.of(kept.toString(), nowhere), settings, new Paused("The time was up."),
            false);
        SweepRun.resume(kept, settings, _ -> new Paused(""), false);

        assertThat(seen).containsExactly("The time was up.", "");
    }

    /** The first trial has failed, which counts as run. */
    @Test
    void aDryRunOfASweepThatGoesOnHasWhatIsLeftOfIt() throws Exception {
        Experiment experiment = LoopbackFile.read(directory, "repeat: 3", "duration: 10s");
        Path kept = directory.resolve("out");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        SweepRun.Settings settings = new SweepRun.Settings(Drivers.load(), null, new ObservationRequest(null, null, null, List.of()),
            TableView.MARKDOWN, false, new CommandContext(_ -> {
                throw new IOException("Nothing is started.");
            }, new PrintStream(out, true, StandardCharsets.UTF_8), new PrintStream(PrintStream.nullOutputStream())));
        SweepRun.begin(List.of(experiment), List.of(), RunFiles.of(kept.toString(), settings.around().err()), settings, new Paused(""),
            false);
        out.reset();

        SweepRun.resume(kept, settings, _ -> SweepPurpose.TABLES, true);

        assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("2 of 3 trials left\nt\n").contains("\n     2  ", "\n     3  ")
            .doesNotContain("\n     1  ").endsWith("\n2 trials, about 24 s\n");
    }
}
