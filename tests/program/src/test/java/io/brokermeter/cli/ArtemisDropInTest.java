package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.brokermeter.brokers.ArtemisCli;
import io.brokermeter.cli.Tool.Finished;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/**
 * Compares the real {@code artemis perf} with brokermeter, with the same arguments on one broker: a script must be able to read the same
 * lines of the output and the same keys of the report, in the same forms and types.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(1800) // all attempts of one test
class ArtemisDropInTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    /** The later half has three minutes each, since a machine with a load of 50 may need more than a minute for the start alone. */
    private static final int ATTEMPTS = 12;

    private TestBroker broker;
    private String theirClassPath;

    @TempDir
    Path directory;

    @BeforeAll
    void start() throws Exception {
        theirClassPath = ArtemisCli.classPath().stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        broker = TestBroker.start();
    }

    @AfterAll
    void stop() {
        broker.close();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        // few samples, so that there are none beyond the percentiles of the tail
        "client   | --duration 3 --warmup 1 --rate 40 --max-pending 10 --show-latency queue://DROPIN_A",
        "producer | --message-count 30 --rate 25 --show-latency --persistent queue://DROPIN_D",
    })
    void aScriptReadsTheSame(String command, String options) throws Exception {
        List<String> args = new ArrayList<>(List.of(command, "--url", broker.url() + "?confirmationWindowSize=20000"));
        args.addAll(List.of(options.strip().split(" ")));
        String theirs = theirs(args, "theirs.json");
        args.addAll(List.of("--json", "ours.json"));
        Finished ours = new Tool(directory).run(args.toArray(String[]::new)).exitsWellAtAnyRate();
        compare(theirs, ours.out());
    }

    @Test
    void aScriptReadsTheSameFromAConsumer() throws Exception {
        for (String who : List.of("theirs", "ours")) {
            new Tool(directory).run("producer", "--url", broker.url(), "--message-count", "40", "--max-pending", "10",
                "queue://DROPIN_" + who).exits(0);
        }
        List<String> args = List.of("consumer", "--url", broker.url(), "--message-count", "40", "--show-latency");
        String theirs = theirs(plus(args, "queue://DROPIN_theirs"), "theirs.json");
        Finished ours = new Tool(directory).run(plus(args, "--json", "ours.json", "queue://DROPIN_ours").toArray(String[]::new)).exits(0);
        compare(theirs, ours.out());
    }

    private void compare(String theirs, String ours) throws Exception {
        PerfOutput expected = PerfOutput.parse(theirs);
        PerfOutput actual = PerfOutput.parse(ours);
        assertThat(actual.summary()).isEqualTo(expected.summary());
        expected.blocks().stream().findFirst()
            .ifPresent(block -> assertThat(actual.blocks()).allSatisfy(own -> assertThat(own).isEqualTo(block)));
        Map<String, JsonNode> theirReport = samples("theirs.json");
        Map<String, JsonNode> ourReport = samples("ours.json");
        assertThat(ourReport.keySet()).containsAll(theirReport.keySet());
        theirReport.forEach((type, sample) -> covers(ourReport.get(type), sample, type));
    }

    /** Returns one object of each type; all objects of a type have the same keys. */
    private Map<String, JsonNode> samples(String file) throws Exception {
        Map<String, JsonNode> samples = new HashMap<>();
        for (JsonNode sample : JSON.readTree(Files.readString(directory.resolve(file)))) {
            samples.put(sample.get("sampleType").asString(), sample);
        }
        return samples;
    }

    private static void covers(JsonNode ours, JsonNode theirs, String path) {
        for (String key : theirs.propertyNames()) {
            String below = path + "." + key;
            assertThat(ours.get(key)).as(below).isNotNull();
            JsonNode their = theirs.get(key);
            if (their.isObject()) {
                covers(ours.get(key), their, below);
            } else if (key.equals("mean")) {
                // artemis perf writes a text in the user's locale, which is a defect; brokermeter writes a number.
                assertThat(ours.get(key).isNumber()).as(below).isTrue();
            } else {
                assertThat(kind(ours.get(key))).as(below).isEqualTo(kind(their));
            }
        }
    }

    private static String kind(JsonNode node) {
        return node.isNumber() ? "number" : node.getNodeType().name();
    }

    private static List<String> plus(List<String> list, String... more) {
        List<String> all = new ArrayList<>(list);
        all.addAll(List.of(more));
        return all;
    }

    /**
     * Runs {@code artemis perf} and returns its standard output. The run is repeated, since with few messages every third run of its
     * producer does not end, and more on a busy machine.
     */
    private String theirs(List<String> args, String json) throws Exception {
        Path out = directory.resolve("theirs.txt");
        Path err = directory.resolve("theirs.err");
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m",
            "-cp", theirClassPath, "org.apache.activemq.artemis.cli.Artemis", "perf"));
        command.addAll(args);
        command.addAll(List.of("--json", directory.resolve(json).toString()));
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            Process process = new ProcessBuilder(command).directory(directory.toFile()).redirectInput(new File("/dev/null"))
                .redirectOutput(out.toFile()).redirectError(err.toFile()).start();
            try {
                if (process.waitFor(attempt <= ATTEMPTS / 2 ? 60 : 180, TimeUnit.SECONDS)) {
                    assertThat(process.exitValue()).as("%s%n%s", Files.readString(out), Files.readString(err)).isZero();
                    return Files.readString(out);
                }
            } finally {
                process.destroyForcibly().waitFor();
            }
        }
        throw new AssertionError("artemis perf did not end in " + ATTEMPTS + " attempts: " + Files.readString(out));
    }
}
