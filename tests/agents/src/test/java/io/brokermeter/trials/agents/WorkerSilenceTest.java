package io.brokermeter.trials.agents;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.brokermeter.cluster.clock.ClockLine;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.plan.Share;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.experiment.Workload;
import io.brokermeter.experiment.table.Option;
import io.brokermeter.reports.PrivateFiles;
import io.brokermeter.reports.Sentences;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.trials.TemporaryDirectory;
import io.brokermeter.trials.worker.EndpointSpec;
import io.brokermeter.trials.worker.WorkerLauncher;
import io.brokermeter.trials.worker.WorkerLine;
import io.brokermeter.trials.worker.WorkerOrder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How workers of agents end whose agent stands still, with all streams between them open, and those whose run does not begin. */
class WorkerSilenceTest {

    private static final String SCENARIO = """
        name: t
        protocol: LOOPBACK
        url: loopback://b
        destinations: queue://Q
        producers: {count: 1}
        consumers: {count: 1}
        load: 100/s
        duration: 100s
        """;

    @TempDir
    Path logs;
    private @Nullable TemporaryDirectory place;
    private @Nullable Process worker;

    /** Starts a worker, and gives it an order after which the agent is silent. */
    private Process start(Class<?> main) throws IOException {
        TemporaryDirectory made = TemporaryDirectory.create();
        place = made;
        RunDirectory.write(made.path().resolve(RunDirectory.SCENARIO), SCENARIO);
        Map<String, EndpointSpec> endpoints =
            ScenarioFile.read(SCENARIO, "test", logs, Changes.NONE).trials().getFirst().workload().groups().stream()
                .collect(Collectors.toMap(Workload.Group::key, _ -> new EndpointSpec("LOOPBACK", "loopback://b", null, null, Map.of())));
        BitSet first = BitSet.valueOf(new long[] {1});
        WorkerOrder order = WorkerOrder.of(its -> {
            its.directory = made.path().toString();
            its.clock = ClockLine.SAME.text();
            its.id = "t";
            its.scenario = SCENARIO;
            its.endpoints = endpoints;
            its.share = new Share(0, first, first);
        });
        Process process = WorkerLauncher.following(main).start(PrivateFiles.file(logs.resolve("worker.log")));
        worker = process;
        OutputStream orders = process.getOutputStream();
        orders.write((order.line() + "\n").getBytes(StandardCharsets.UTF_8));
        orders.flush();
        return process;
    }

    @AfterEach
    void end() {
        if (worker != null) {
            worker.destroyForcibly();
        }
        if (place != null) {
            place.delete();
        }
    }

    /** The sentence about the silence must not wait for room. */
    @Test
    void oneWhoseOutputIsFullEndsAllTheSame() throws Exception {
        assertThat(start(FullWorkerMain.class).waitFor(60, TimeUnit.SECONDS)).as("has ended").isTrue();
        assertThat(Objects.requireNonNull(place).path()).doesNotExist();
    }

    @Test
    void oneWhoseOutputIsReadSaysWhyItEnds() throws Exception {
        Process process = start(WorkerMain.class);
        try (BufferedReader said = process.inputReader(StandardCharsets.UTF_8)) {
            assertThat(said.lines()).contains(new WorkerLine.Failed("Its agent said nothing for 4 s.").text());
        }
        assertThat(process.waitFor()).isEqualTo(1);
    }

    /** Otherwise what it created would stay on the broker. */
    @ParameterizedTest
    @ValueSource(strings = {"abort", "stop 2", "leave"})
    void oneWhoseRunDoesNotBeginCloses(String order) throws Exception {
        Process process = start(WorkerMain.class);
        OutputStream orders = process.getOutputStream();
        List<String> said = new ArrayList<>();
        boolean ordered = false;
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                said.add(line);
                if (ordered) {
                    continue;
                }
                if (WorkerLine.is(WorkerLine.Reached.class, line)) {
                    ordered = true;
                    orders.write((order + "\n").getBytes(StandardCharsets.UTF_8));
                    orders.flush();
                } else if (WorkerLine.is(WorkerLine.Alive.class, line)) {
                    // A sign of life.
                    orders.write('\n');
                    orders.flush();
                }
            }
        }
        assertThat(said).contains(new WorkerLine.Failed(new Sentences(Option::inFile).of(new Finding.StoppedConnecting())).text());
    }
}
