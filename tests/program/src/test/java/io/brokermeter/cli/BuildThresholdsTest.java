package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;

import io.brokermeter.cli.Tool.Finished;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Thresholds, and the files for build servers that report them. */
class BuildThresholdsTest extends ToolInDirectory {

    @RegisterExtension
    static final OneProcess PROGRAM = new OneProcess();

    /**
     * Without a rate: a run of a fraction of a second would fail if a busy machine stalled for half a second. Those that are missed are about
     * counts, which are judged whatever the verdict on the generator.
     */
    private static final String SWEEP = """
        name: limits
        url: loopback://limits
        producers: {destinations: [queue://A], load: {messages: 40}}
        consumers: {destinations: [queue://A]}
        thresholds: [lost == 0, {check: 'received > 40'}]
        sweep: {producers.message.size: [100B, 200B]}
        """;

    @Test
    void aMissedThresholdEndsTheProgramWith99AndIsInEveryReport() throws Exception {
        Path junit = directory.resolve("junit.xml");
        Path summary = Files.writeString(directory.resolve("summary.md"), "# Before\n");
        Finished finished = PROGRAM.run("client", "--url", "loopback://x", "--message-count", "40", "--threshold",
            "received > 40", "--threshold", "lost == 0", "--junit", junit.toString(), "--summary", summary.toString(), "--out",
            directory.resolve("run").toString()).exits(99);
        assertThat(finished.out()).contains("--- result:         threshold missed",
            "--- threshold:            missed (received > 40: 40)",
            "--- threshold:              kept (lost == 0: 0)");
        assertThat(Files.readString(junit)).contains("tests=\"3\" failures=\"1\"");
        assertThat(Files.readString(summary)).startsWith("# Before\n").contains("THRESHOLD MISSED");
        JsonNode thresholds = new ObjectMapper().readTree(directory.resolve("run").resolve("result.json").toFile()).get("thresholds");
        assertThat(thresholds).hasSize(2);
        assertThat(thresholds.get(0).get("passed").asBoolean()).isFalse();
        assertThat(thresholds.get(0).get("value").asInt()).isEqualTo(40);
        assertThat(thresholds.get(0).get("unit").asString()).isEqualTo("messages");
        assertThat(thresholds.get(1).get("expression").asString()).isEqualTo("lost == 0");
        assertThat(thresholds.get(1).get("value").asInt()).isZero();
        PROGRAM.run("replay", directory.resolve("run").toString(), "--out", "none").exits(99);
    }

    @Test
    void aThresholdThatMayEndTheRunDoes() throws Exception {
        // Without a rate: most of it would be missed if the run ended right after a stall, which fails it.
        Finished finished = PROGRAM.run("client", "--url", "loopback://x?delay=20ms", "--max-pending", "100",
            "--duration", "600", "--interval", "200ms", "--threshold", "transfer.p50 < 1ms, abort").exitsAtAnyRate(99);
        assertThat(finished.err()).contains("the run ends, since a threshold is not kept: transfer.p50 < 1ms");
        assertThat(finished.total("lost")).isZero();
    }

    @Test
    void aThresholdThatCannotBeIsRefusedBeforeAnythingConnects() throws Exception {
        PROGRAM.run("producer", "--url", "tcp://127.0.0.1:1", "--threshold", "response.p99 < 10ms").exits(2)
            .saysOnly("Threshold 'response.p99 < 10ms' is about 'response.p99', which this run does not have: it needs consumers.");
        PROGRAM.run("client", "--url", "tcp://127.0.0.1:1", "--threshold", "lots == 0").exits(2).saysOnly("did you mean 'lost'?");
        Path file = Files.writeString(directory.resolve("t.yaml"), SWEEP.replace("lost == 0", "phase(a).sent > 1"));
        PROGRAM.run("run", file.toString()).exits(2).saysOnly("t.yaml:5: key 'thresholds.0", "it has no phases.");
    }

    @Test
    void aSweepWhoseTrialsMissAThresholdEndsWith99() throws Exception {
        Path file = Files.writeString(directory.resolve("t.yaml"), SWEEP);
        Finished finished = PROGRAM.run("run", file.toString(), "--out", directory.resolve("sweep").toString()).exits(99);
        assertThat(finished.out()).contains("threshold missed: received > 40: ", "| threshold missed |",
            "Thresholds that were missed:");
    }

    @Test
    void aThresholdOfTheCommandLineHoldsForEveryTrialAndIsInTheFilesForABuild() throws Exception {
        Path file = Files.writeString(directory.resolve("t.yaml"), SWEEP);
        Path summary = Files.writeString(directory.resolve("summary.md"), "before\n");
        Path junit = directory.resolve("t.xml");
        Finished finished = PROGRAM.run("run", file.toString(), "--set", "thresholds=null", "--threshold", "received < 3", "--threshold",
            "lost == 0", "--junit", junit.toString(), "--summary", summary.toString(), "--out", "none").exits(99);
        assertThat(finished.out()).contains("threshold missed: received < 3: ").doesNotContain("received > 40");
        assertThat(summary).content().startsWith("before\n").contains("| threshold missed |", "received < 3: ");
        assertThat(junit).content().contains("<testsuite", "threshold received &lt; 3", "<failure");
        PROGRAM.run("run", file.toString(), "--threshold", "lots == 0").exits(2).saysOnly("--threshold 'lots == 0'",
            "did you mean 'lost'?");
        PROGRAM.run("run", file.toString(), "--junit", directory.toString()).exits(2).saysOnly("is a directory");
        PROGRAM.run("run", file.toString(), "--junit", summary.toString(), "--summary", summary.toString()).exits(2)
            .saysOnly("--junit and --summary must not name the same file");
        PROGRAM.run("run", "--resume", "last", "--threshold", "lost == 0").exits(2).saysOnly("it takes no files and no");
    }

    @Test
    void jsonOnStandardOutputStandsThereAlone() throws Exception {
        Finished finished =
            PROGRAM.run("client", "--url", "loopback://x", "--message-count", "20", "--json", "-", "--out", "none")
                .exits(0);
        JsonNode report = new ObjectMapper().readTree(finished.out());
        assertThat(report.get(report.size() - 1).get("totalReceived").asInt()).isEqualTo(20);
        assertThat(finished.err()).contains("Connection brokerURL = loopback://x", "--- SUMMARY");
    }

    @Test
    void aScreenThatIsNoTerminalHasNoColours() throws Exception {
        Finished finished = PROGRAM.run("client", "--url", "loopback://x", "--message-count", "20", "--format", "screen").exits(0);
        assertThat(finished.out())
            .contains("1 producer, 1 consumer, queue://TEST, LOOPBACK, 1 KiB, as fast as it\ngoes, 20 messages", "sent        20 of 20, ",
                "next        brokermeter ")
            .doesNotContain("\033", "--- SUMMARY", "\r");
        assertThat(finished.out().lines().skip(1).toList()).hasSizeLessThanOrEqualTo(24)
            .allSatisfy(line -> assertThat(line.startsWith("files") || line.length() < 80).as(line).isTrue());
    }
}
