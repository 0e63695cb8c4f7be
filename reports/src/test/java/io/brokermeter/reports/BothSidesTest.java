package io.brokermeter.reports;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import io.brokermeter.engine.recording.GroupResult;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.reports.csv.Csv;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.directory.RunEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of a run about the generator in each interval and about each endpoint. */
class BothSidesTest {

    @TempDir
    Path directory;

    @Test
    void theGeneratorHasALineForEachInterval() throws Exception {
        try (RunDirectory run = RunDirectory.open(directory, "", Samples.CLIENT, RunEnvironment.now("1"), List.of(), null)) {
            run.interval(Samples.interval(0));
            run.interval(Samples.interval(1));
        }
        List<Map<String, String>> lines = Csv.read(directory.resolve(RunDirectory.GENERATOR));
        assertThat(lines).hasSize(2);
        assertThat(lines.getLast()).containsEntry("elapsed_seconds", "2.000").containsEntry("warmup", "false");
        for (Map<String, String> line : lines) {
            assertThat(line.keySet()).containsExactly("time", "elapsed_seconds", "warmup", "phase", "seconds",
                "cpu_percent", "resident_bytes", "heap_used_bytes", "gc_pauses", "gc_pause_millis");
            assertThat(Double.parseDouble(line.get("seconds"))).isGreaterThanOrEqualTo(0);
            assertThat(Double.parseDouble(line.get("resident_bytes"))).isGreaterThan(1 << 20);
            assertThat(Double.parseDouble(line.get("heap_used_bytes"))).isGreaterThan(1 << 16);
            assertThat(Double.parseDouble(line.get("gc_pauses"))).isGreaterThanOrEqualTo(0);
        }
    }

    @Test
    void eachEndpointHasALineWithWhatItHad() throws Exception {
        List<GroupResult> groups = List.of(
            GroupResult.of(its -> {
                its.name = "orders";
                its.producing = true;
                its.protocol = "CORE";
                its.set(Count.SENT, 30);
                its.set(Count.COMPLETED, 30);
                its.messageSeconds = 10;
                its.endpoints = List.of(new GroupResult.EndpointResult("queue://A, \"B\"", 10),
                    new GroupResult.EndpointResult("queue://C", 20));
            }),
            GroupResult.of(its -> {
                its.name = "audit";
                its.protocol = "AMQP";
                its.set(Count.RECEIVED, 30);
                its.messageSeconds = 10;
                its.endpoints = List.of(new GroupResult.EndpointResult("topic://T", 30));
            }));
        try (RunDirectory run = RunDirectory.open(directory, "", Samples.CLIENT, RunEnvironment.now("1"), List.of(), null)) {
            run.finished(Samples.success().with(its -> its.groups = groups));
        }
        assertThat(Csv.read(directory.resolve(RunDirectory.ENDPOINTS))).extracting(line -> String.join("|", line.values())).containsExactly(
            "producer|orders|1|queue://A, \"B\"|10", "producer|orders|2|queue://C|20", "consumer|audit|1|topic://T|30");
    }

    @Test
    void aLineThatWasCutOffHasTheCellsThatItHas() throws Exception {
        Path file = Files.writeString(directory.resolve("some.csv"), "a,b,c\n1,\"2\n,\n");
        assertThat(Csv.read(file)).hasSize(2).first().isEqualTo(Map.of("a", "1", "b", "2"));
        assertThat(Csv.read(directory.resolve("none.csv"))).isEmpty();
    }
}
