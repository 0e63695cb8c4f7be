package io.brokermeter.trials.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import io.brokermeter.experiment.Experiment;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.directory.RunEnvironment;
import io.brokermeter.reports.formats.SweepTables;
import io.brokermeter.reports.stored.StoredSweep;
import io.brokermeter.reports.table.TableView;
import io.brokermeter.trials.Drivers;
import io.brokermeter.trials.LoopbackFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SweepResultsTest {

    @TempDir
    Path directory;

    /** A result does not contain whether a miss was intended, nor whether the worker had to be killed; the sweep does. */
    @Test
    void aTrialIsWhatTheSweepMadeOfIt() throws Exception {
        Experiment experiment = LoopbackFile.read(directory, "sweep: {load.rate: [10/s, 20/s]}");
        SweepPlan plan = SweepPlan.of(List.of(experiment), Drivers.load(), null, false);
        SweepFiles files = SweepFiles.create(directory.resolve("sweep"), List.of(), plan, null, null);
        end(files, plan.steps().getFirst(), SweepFiles.State.PASSED, false, "The rate was missed.");
        end(files, plan.steps().getLast(), SweepFiles.State.FAILED, true, "The worker did not end.");
        SweepResults results = new SweepResults(plan, files, RunEnvironment.now("0.1.0"));
        results.write();

        List<String> lines = Files.readAllLines(files.directory().resolve("table.csv"));
        int state = List.of(lines.getFirst().split(",")).indexOf("state");
        assertThat(lines.subList(1, 3)).extracting(line -> line.split(",", -1)[state]).containsExactlyInAnyOrder("passed", "failed");
        assertThat(results.text(TableView.MARKDOWN)).contains("(7.50)", "The worker did not end.").doesNotContain("The rate was missed.");
    }

    /** Two experiments may have the same name, and {@code report} shows later what the sweep showed at its end. */
    @Test
    void aSweepOfSeveralExperimentsHasASummaryAlsoWhenItIsReadLater() throws Exception {
        Experiment first = LoopbackFile.read(directory, "sweep: {load.rate: [10/s, 20/s]}");
        Experiment second = LoopbackFile.read(directory, "title: again", "sweep: {load.rate: [30/s, 40/s, 50/s]}");
        SweepPlan plan = SweepPlan.of(List.of(first, second), Drivers.load(), null, false);
        SweepFiles files = SweepFiles.create(directory.resolve("sweep"), List.of(), plan, null, null);
        end(files, plan.steps().get(0), SweepFiles.State.PASSED, true, "");
        end(files, plan.steps().get(1), SweepFiles.State.FAILED, false, "The worker did not end.");
        end(files, plan.steps().get(2), SweepFiles.State.PASSED, true, "");
        SweepResults results = new SweepResults(plan, files, RunEnvironment.now("0.1.0"));
        results.write();

        String later = SweepTables.markdown(StoredSweep.read(files.directory()));
        assertThat(later).isEqualTo(results.text(TableView.MARKDOWN)).contains("## t\n", "## t: again\n").endsWith("""

            ## Summary

            | experiment | trials | passed | failed | not run |
            |---|---:|---:|---:|---:|
            | t | 2 | 1 | 1 | 0 |
            | t | 3 | 1 | 0 | 2 |
            """);
        assertThat(Files.readString(files.directory().resolve("table.md"))).startsWith(later);
        assertThat(Files.readAllLines(files.directory().resolve("table-02-t.csv"))).hasSize(2);
    }

    private static void end(SweepFiles files, SweepPlan.Step step, SweepFiles.State state, boolean success, String cause) throws Exception {
        Path trial = files.begin(step);
        RunDirectory.write(trial.resolve(RunDirectory.RESULT), "{\"success\":" + success
            + ",\"sends\":true,\"messages\":{\"sent\":7},\"rates\":{\"measuredSentPerSecond\":7.5,\"completedPerSecond\":7.5,\"sentPerSecond\":7.5}}");
        files.end(step, state, List.of(cause));
    }
}
