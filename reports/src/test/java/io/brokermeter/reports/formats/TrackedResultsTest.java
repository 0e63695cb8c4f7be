package io.brokermeter.reports.formats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.Numbers;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.csv.Csv;
import io.brokermeter.reports.stored.Fixtures;
import io.brokermeter.reports.stored.StoredRun;
import io.brokermeter.reports.stored.StoredSweep;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Results for services that follow them, in the forms that their documentation describes. */
class TrackedResultsTest {

    @TempDir
    Path directory;

    private final StoredRun run = StoredRun.read(Fixtures.RUN);

    private static JsonNode json(String text) {
        return new JsonMapper().readTree(text);
    }

    /** Returns the run with intervals of two figures, which files of its version do not have. */
    private StoredRun withIntervals() throws Exception {
        Path copy = Fixtures.copy(Fixtures.RUN, directory.resolve("with-intervals"));
        Path result = copy.resolve("result.json");
        String text = Files.readString(result);
        Files.writeString(result, text
            .replaceFirst("(\"response\" *: *\\{)", "$1\"interval95\":{\"p99Micros\":{\"low\":3000.0,\"high\":4000.5}},")
            .replaceFirst("(\"rates\" *: *\\{)", "$1\"interval95\":{\"measuredSentPerSecond\":{\"low\":990.0,\"high\":1010.0}},"));
        return StoredRun.read(copy);
    }

    /** From the JSON Schema of the Bencher Metric Format: objects of objects of numbers, of which the value is required. */
    @Test
    void bencherFindsAMetricForEachMeasure() throws Exception {
        StoredRun known = withIntervals();
        JsonNode measures = json(TrackedResults.bencher(known)).get("with-intervals");
        assertThat(measures.propertyNames()).contains("sent-per-second", "received-per-second", "response-p50-us", "response-p99-us")
            .allSatisfy(name -> assertThat(name).matches("[a-z0-9-]{1,64}"));
        measures.forEach(metric -> assertThat(metric.get("value").isNumber()).isTrue());
        assertThat(measures.get("response-p99-us").get("value").asDouble()).isEqualTo(known.result().micros(Metric.RESPONSE, "p99"));
        assertThat(measures.get("response-p99-us").get("lower_value").asDouble()).isEqualTo(3000);
        assertThat(measures.get("response-p99-us").get("upper_value").asDouble()).isEqualTo(4000.5);
        assertThat(measures.get("response-p50-us").propertyNames()).as("no interval is known").containsExactly("value");
    }

    @Test
    void theActionFindsRatesInOneFileAndTimesInTheOther() throws Exception {
        StoredRun known = withIntervals();
        JsonNode more = json(TrackedResults.biggerIsBetter(known));
        assertThat(more.valueStream().map(one -> one.get("name").asString()).toList()).containsExactly("with-intervals: sent",
            "with-intervals: received");
        assertThat(more.get(0).get("unit").asString()).isEqualTo("msg/s");
        assertThat(more.get(0).get("value").asDouble()).isEqualTo(known.result().number(ResultField.MEAN_SENT));
        Map<String, JsonNode> less = json(TrackedResults.smallerIsBetter(known)).valueStream()
            .collect(Collectors.toMap(one -> one.get("name").asString(), one -> one));
        JsonNode p99 = less.get("with-intervals: response p99");
        double value = known.result().micros(Metric.RESPONSE, "p99");
        assertThat(p99.get("unit").asString()).isEqualTo("us");
        // The action reads a number behind this sign.
        assertThat(p99.get("range").asString()).isEqualTo("± " + Numbers.plain(Math.max(value - 3000, 4000.5 - value)));
        assertThat(p99.get("extra").asString()).contains("95 % interval 3000 to 4000.5", "ActiveMQ Artemis 2.55.0");
        assertThat(less.get("with-intervals: response p50").has("range")).isFalse();
    }

    @Test
    void otavaFindsATimeACommitAndAColumnForEachFigure() throws Exception {
        Path file = Files.writeString(directory.resolve("otava.csv"), TrackedResults.otava(run));
        List<Map<String, String>> rows = Csv.read(file);
        assertThat(rows).hasSize(1);
        assertThat(rows.getFirst()).containsEntry("benchmark", "format-1").containsEntry("run", "format-1").containsKeys("commit",
            "branch");
        assertThat(rows.getFirst().get("time")).isEqualTo("2026-11-22T09:25:11Z");
        assertThat(Double.parseDouble(rows.getFirst().get("response_p99_us"))).isEqualTo(run.result().micros(Metric.RESPONSE, "p99"));
        assertThat(rows.getFirst()).doesNotContainKey("round_trip_p50_us");
    }

    /** A figure of a run that failed would enter the history as a change for the better or the worse. */
    @Test
    void whatDidNotPassIsNotFollowed() throws Exception {
        Path copy = Fixtures.copy(Fixtures.RUN, directory.resolve("failed"));
        Path result = copy.resolve("result.json");
        Files.writeString(result, Files.readString(result).replaceFirst("\"success\" *: *true", "\"success\":false"));
        StoredRun failed = StoredRun.read(copy);
        assertThatThrownBy(() -> TrackedResults.otava(failed)).isInstanceOf(UsageException.class)
            .hasMessage(copy + " did not pass (failed), so it has no figures that may be followed.");
        StoredSweep sweep = StoredSweep.read(Fixtures.SWEEP);
        assertThatThrownBy(() -> TrackedResults.bencher(sweep)).isInstanceOf(UsageException.class).hasMessageStartingWith("No trial of ");
    }

    @Test
    void repeatsAreOneBenchmarkWithTheirMedianAndRange() throws Exception {
        Path sweep = Fixtures.copy(Fixtures.SWEEP, directory.resolve("sweep"));
        Path document = sweep.resolve("sweep.json");
        Files.writeString(document,
            """
                {"format":2,"experiments":[{"name":"e"}],"trials":[
                {"number":1,"index":0,"experiment":"e","experimentNumber":1,"point":{"load.rate":"1k/s"},"round":1,"state":"passed","directory":"a"},
                {"number":2,"index":0,"experiment":"e","experimentNumber":1,"point":{"load.rate":"1k/s"},"round":2,"state":"passed","directory":"b"}]}
                """);
        for (String trial : List.of("a", "b")) {
            Path copy = Fixtures.copy(Fixtures.RUN, sweep.resolve("trials").resolve(trial));
            Path result = copy.resolve("result.json");
            Files.writeString(result, Files.readString(result).replaceFirst("\"measuredReceivedPerSecond\" *: *[0-9.]+",
                "\"measuredReceivedPerSecond\":" + (trial.equals("a") ? 900 : 1000)));
        }
        JsonNode received = json(TrackedResults.bencher(StoredSweep.read(sweep))).get("e: load.rate 1k/s").get("received-per-second");
        assertThat(received.get("value").asDouble()).isEqualTo(950);
        assertThat(received.get("lower_value").asDouble()).isEqualTo(900);
        assertThat(received.get("upper_value").asDouble()).isEqualTo(1000);
        assertThat(TrackedResults.otava(StoredSweep.read(sweep)).lines()).hasSize(3);
    }
}
