package io.brokermeter.experiment.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.experiment.Axis;
import io.brokermeter.experiment.Changes;
import io.brokermeter.experiment.Experiment;
import io.brokermeter.experiment.ScenarioFile;
import io.brokermeter.experiment.Workload;
import io.brokermeter.experiment.access.AgentChoice;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The schema and the tables of keys in {@code docs} are up to date. */
class KeyDocsTest {

    private static final Path DOCS = Path.of(System.getProperty("brokermeter.root", ".."), "docs");
    private static final String MARK = "it is out of date.";

    @Test
    void theShippedSchemaIsTheOneOfTheKeys() throws IOException {
        assertUpToDate(DOCS.resolve("scenario.schema.json"), KeyDocs.jsonSchema());
    }

    @Test
    void theTablesOfTheDocumentationAreThoseOfTheKeys() throws IOException {
        Path file = DOCS.resolve("scenarios.md");
        String text = Files.readString(file);
        int end = text.indexOf("-->", text.indexOf("<!-- The rest")) + "-->\n\n".length();
        assertUpToDate(file, text.substring(0, end) + KeyDocs.markdown());
    }

    @Test
    void theSchemaIsJsonWhoseReferencesLeadSomewhere() {
        JsonNode schema = new JsonMapper().readTree(KeyDocs.jsonSchema());
        assertThat(schema.get("properties").get("producers").get("anyOf").get(0).get("$ref").asString())
            .isEqualTo("#/$defs/producers");
        for (JsonNode reference : schema.findValues("$ref")) {
            assertThat(schema.get("$defs").has(reference.asString().substring("#/$defs/".length()))).as(reference.asString()).isTrue();
        }
        assertThat(schema.get("additionalProperties").asBoolean()).isFalse();
    }

    @Test
    void theExampleOfAgentsIsAScenario() throws IOException {
        String text = Files.readString(DOCS.resolve("scenarios.md"));
        int begin = text.indexOf("```yaml\nagents:") + "```yaml\n".length();
        Workload workload =
            ScenarioFile.read(text.substring(begin, text.indexOf("```", begin)), "scenarios.md", DOCS, Changes.NONE).trials()
                .getFirst().workload();
        assertThat(workload.agents().needed()).isEqualTo(3);
        assertThat(workload.places().values()).extracting(AgentChoice::toString).containsExactly("host1,host2", "label:near");
    }

    @Test
    void theFirstExampleIsAScenario() throws IOException {
        String text = Files.readString(DOCS.resolve("scenarios.md"));
        int begin = text.indexOf("```yaml\n") + "```yaml\n".length();
        Experiment read = ScenarioFile.read(text.substring(begin, text.indexOf("```", begin)), "scenarios.md", DOCS, Changes.NONE);
        assertThat(read.trials()).hasSize(4 * 3);
    }

    @Test
    void theFirstExampleOfAnOverrideMakesTheLoadThatItSets() throws IOException {
        String text = Files.readString(DOCS.resolve("scenarios.md"));
        int begin = text.indexOf("```yaml\n") + "```yaml\n".length();
        String command = text.lines().filter(line -> line.contains("async-send.yaml --set")).findFirst().orElseThrow();
        List<String> sets = List.of(command.substring(command.indexOf("--set") + "--set".length()).strip().split(" --set "));
        assertThat(sets).contains("load.rate=20k/s");
        Experiment read = ScenarioFile.read(text.substring(begin, text.indexOf("```", begin)), "scenarios.md", DOCS,
            new Changes(sets, false));
        assertThat(read.trials()).hasSize(2 * 3).allSatisfy(trial -> assertThat(trial.workload().scenario().producers().getFirst().load())
            .isEqualTo(new Load.Constant(Rate.perSecond(20_000))));
        assertThat(read.axes()).extracting(Axis::path).containsExactly("destinations.0.queues");
    }

    private static void assertUpToDate(Path file, String wanted) throws IOException {
        if (Boolean.getBoolean("brokermeter.update")) {
            Files.writeString(file, wanted);
        }
        assertThat(Files.readString(file)).as(file + ": " + MARK + " Run this test with "
            + "-Dbrokermeter.update=true to write it anew.").isEqualTo(wanted);
    }
}
