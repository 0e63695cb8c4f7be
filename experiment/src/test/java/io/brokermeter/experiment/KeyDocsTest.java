package io.brokermeter.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What is shipped for editors and readers says what the code does. */
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

    private static void assertUpToDate(Path file, String wanted) throws IOException {
        if (Boolean.getBoolean("brokermeter.update")) {
            Files.writeString(file, wanted);
        }
        assertThat(Files.readString(file)).as(file + ": " + MARK + " Run this test with "
            + "-Dbrokermeter.update=true to write it anew.").isEqualTo(wanted);
    }
}
