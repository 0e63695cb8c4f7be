package io.brokermeter.trials.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class WorkerProcessTest {

    @TempDir
    Path directory;

    /** Starts a worker that reports that it is alive and ignores every request. */
    private WorkerProcess deaf() throws IOException {
        WorkerLauncher place = log -> new ProcessBuilder("sh", "-c", "exec 3<&0; while sleep 0.1; do echo '{\"@type\":\"Alive\"}'; done")
            .redirectError(log.toFile()).start();
        WorkerOrder order = WorkerOrder.of(its -> {
            its.id = "id";
            its.scenario = "";
        });
        return WorkerProcess.start(place, order, directory.resolve("worker.log"), _ -> {});
    }

    @Test
    void theLimitOfASignalThatCameFirstHoldsForTheWaitThatBeginsLater() throws Exception {
        try (WorkerProcess worker = deaf()) {
            worker.stop(2, Duration.ofMillis(100));
            assertThat(worker.await(Duration.ofDays(7))).endsWith("did not end in the time that the trial may take and was ended.");
        }
    }

    @Test
    void aSignalMakesTheWaitNoLonger() throws Exception {
        try (WorkerProcess worker = deaf()) {
            worker.stop(2, Duration.ofDays(7));
            assertThat(worker.await(Duration.ofMillis(100))).endsWith("did not end in the time that the trial may take and was ended.");
        }
    }
}
