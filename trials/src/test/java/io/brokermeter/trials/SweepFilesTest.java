package io.brokermeter.trials;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.reports.stored.StoredSweep;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SweepFilesTest {

    @TempDir
    Path directory;

    /** What {@code window} knew when it was interrupted is no answer for trials that {@code run --resume} adds. */
    @Test
    void anAnswerGoesWithTheTrialsThatItKnew() throws Exception {
        Experiment experiment = ScenarioFile.read("""
            name: t
            protocol: LOOPBACK
            url: loopback://b
            destinations: queue://Q
            producers: 1
            load: {messages: 1}
            """, "test", directory, Changes.NONE);
        SweepPlan plan = SweepPlan.of(List.of(experiment), Drivers.load(), null, false);
        SweepFiles files = SweepFiles.create(directory.resolve("sweep"), List.of(), plan, Map.of(), Map.of());
        Path answer = Files.writeString(files.directory().resolve(StoredSweep.WINDOW), "{}");

        files.begin(plan.steps().getFirst());

        assertThat(answer).doesNotExist();
    }
}
