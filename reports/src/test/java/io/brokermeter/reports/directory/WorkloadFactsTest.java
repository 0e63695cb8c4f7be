package io.brokermeter.reports.directory;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.brokermeter.engine.scenario.ConsumerGroupSpec;
import io.brokermeter.engine.scenario.Endpoint;
import io.brokermeter.engine.scenario.Limits;
import io.brokermeter.engine.scenario.Scenario;
import io.brokermeter.engine.scenario.Start;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.EnvironmentDocument;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Facts about the scenario in the environment of a run. */
class WorkloadFactsTest {

    @ParameterizedTest
    @CsvSource({"30s 10s, 10", "30s after-producers, 30", "30s 0s,", "after-producers:5s,"})
    void theFirstConsumersStartWithTheLeastDelay(String starts, @Nullable Double seconds) throws Exception {
        Endpoint endpoint = new Endpoint("LOOPBACK", new ConnectionSettings("loopback://b", null, null, null, Duration.ofSeconds(5)));
        Scenario scenario =
            Scenario.of("t", new Limits(Duration.ZERO, Duration.ofSeconds(60), Duration.ofSeconds(5), Duration.ofSeconds(1)),
                its -> its.consumers = Stream.of(starts.split(" ")).map(Start::parse)
                    .map(start -> ConsumerGroupSpec.plain(endpoint, List.of(Destination.parse("queue://Q")))
                        .with(side -> side.start = start))
                    .toList());
        EnvironmentDocument.Workload facts = WorkloadFacts.of(scenario);
        assertThat(facts.consumersStartSeconds()).isEqualTo(seconds == null ? (Double) Double.NaN : seconds);
        Path schema = Path.of(System.getProperty("brokermeter.root", ".."), "docs", "report.schema.json");
        JsonNode known = new JsonMapper().readTree(Files.readString(schema)).findValue("workload").get("properties");
        assertThat(known.propertyNames()).as("names that the published schema describes").containsAll(DocumentJson.tree(facts).keySet());
    }
}
