package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;

import io.brokermeter.cli.Tool.Finished;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Options that change when a load goes out, over LOOPBACK. */
class LoadOptionsTest {

    @RegisterExtension
    static final OneProcess PROGRAM = new OneProcess();

    @TempDir
    Path directory;

    /** 1,000/s are due each millisecond, so they wait 0 to 4 ms for the ends of ticks of 5 ms, however late they are sent after that. */
    @ParameterizedTest
    @ValueSource(strings = {"client --url loopback://x", "producer --url loopback://x --producers 3",
        "producer --url loopback://x --producers 2 --agents 2"})
    void whatTicksCostStandsBesideTheVerdictAndInTheResult(String command) throws Exception {
        String out = directory.resolve("run").toString();
        Finished finished = PROGRAM
            .run((command + " --rate 1000 --message-count 1000 --pacing tick=5ms --format screen --out " + out + " --summary " + out
                + ".md").split(" "));

        // A stall for most of the second makes the run miss its rate.
        assertThat(finished.status()).as(finished.out()).isIn(0, 1);
        assertThat(finished.out()).contains("tick        5.00 ms; messages awaited its end: mean 2.00 ms, max 4.00 ms");
        assertThat(result(directory.resolve("run")).at("/health/tick").toString())
            .isEqualTo("{\"lengthMicros\":5000,\"waitMeanMicros\":2000,\"waitMaxMicros\":4000}");
        assertThat(Path.of(out + ".md")).content().contains("| tick | 5.00 ms; messages awaited its end: mean 2.00 ms");
    }

    @Test
    void theTicksOfAFileGoForEachOfItsTrials() throws Exception {
        Path file = Files.writeString(directory.resolve("ticks.yaml"), """
            url: loopback://x
            pacing: tick=5ms
            destinations: queue://A
            producers: {count: 1}
            load: {messages: 500}
            sweep: {load.rate: [1000, poisson:2k]}
            """);
        // On a busy machine it may miss its rate, or be invalid.
        assertThat(PROGRAM.run("run", file.toString(), "--out", directory.resolve("sweep").toString()).status()).isIn(0, 1, 3);
        try (var trials = Files.list(directory.resolve("sweep/trials"))) {
            assertThat(trials.toList()).hasSize(2)
                .allSatisfy(trial -> assertThat(result(trial).at("/health/tick/waitMaxMicros").asDouble()).isBetween(3_999.0, 5_000.0));
        }
    }

    @Test
    void connectionsComeAtTheirRateAndFromTheirAddresses() throws Exception {
        Path out = directory.resolve("run");
        String said = PROGRAM.run("client", "--broker", "mosquitto", "--producers", "10", "--consumers", "10", "--message-count", "100",
            "--connect-rate", "100", "--source-address", "127.0.0.2-127.0.0.4", "--format", "screen", "--out", out.toString(), "topic://T")
            .exits(0).out();

        assertThat(said).containsPattern("connects +20, .* of 100/s asked: p50 ");
        JsonNode connects = result(out).at("/connects");
        assertThat(connects.at("/count").asInt()).isEqualTo(20);
        assertThat(connects.at("/askedPerSecond").asDouble()).isEqualTo(100);
        assertThat(connects.at("/maxMicros").asDouble()).isGreaterThanOrEqualTo(connects.at("/p50Micros").asDouble()).isPositive();
    }

    private static JsonNode result(Path run) throws Exception {
        return new ObjectMapper().readTree(Files.readString(run.resolve("result.json")));
    }
}
