package io.brokermeter.reports.html;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;

import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.formats.RunJson;
import io.brokermeter.reports.formats.SchemaCheck;
import io.brokermeter.reports.stored.StoredRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Output of {@code report --json} for a run with faults. */
class FaultsAsJsonTest {

    @TempDir
    Path directory;

    @Test
    void everyFigureIsThereAndDescribed() throws Exception {
        new MadeRun().with(MadeFault::twice).in(directory);
        Path events = directory.resolve(RunDirectory.EVENTS);
        Files.writeString(events, Files.readString(events)
            + "{\"elapsedSeconds\":9.5,\"kind\":\"error\",\"finding\":\"of-agent\",\"sentence\":\"far: it broke\",\"agent\":\"far\"}\n");
        JsonNode report = JsonMapper.shared().readTree(RunJson.of(StoredRun.read(directory)));
        assertThat(report.get("result").get("failover").get("further").get(0).get("withoutSendSeconds").asDouble()).isEqualTo(1.2);
        assertThat(report.get("events").get(0).get("fault").get("effectiveSeconds").asDouble()).isEqualTo(8.004);
        assertThat(report.get("events").get(4).get("agent").asString()).isEqualTo("far");
        assertThat(report.get("faultCourse").size()).isEqualTo(140);
        assertThat(report.get("faultCourse").get(0).get("longestWaitMicros").asDouble()).isEqualTo(2000);
        JsonNode schema = JsonMapper.shared()
            .readTree(Files.readString(Path.of(System.getProperty("brokermeter.root", ".."), "docs", "report.schema.json")));
        assertThat(new SchemaCheck(schema).of(report, "run")).isEmpty();
        Path unjudged = Files.createDirectory(directory.resolve("unjudged"));
        new MadeRun().with(MadeFault::tooEarly).in(unjudged);
        JsonNode early = JsonMapper.shared().readTree(RunJson.of(StoredRun.read(unjudged)));
        assertThat(early.get("result").get("failover").get("recovered").isNull()).isTrue();
        assertThat(new SchemaCheck(schema).of(early, "run")).isEmpty();
    }
}
