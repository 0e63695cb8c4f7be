package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.StoredResult;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Workload and driver files of the OpenMessaging Benchmark repository, as copies of their keys and values. All of them are planned, those
 * that differ in nothing but their numbers once per number of digits, and three pairs are executed.
 */
@Order(1)
class OmbRepositoryTest {

    /** Parts of the names of driver files for clients that brokermeter does not support. */
    private static final List<String> OTHERS = List.of("bookkeeper", "kop/", "nats-streaming", "nsq", "pravega", "pulsar", "kafka-jms",
        "rocketmq5");

    /** A strong reference, since a logger that is garbage collected loses its level. */
    private static final Logger CLIENTS = Logger.getLogger("org.apache");

    @TempDir
    Path directory;

    @BeforeEach
    void layOut() throws IOException {
        CLIENTS.setLevel(Level.WARNING);
        Files.createDirectory(directory.resolve("payload"));
        Files.writeString(directory.resolve("payload/payload-100b.data"), "x".repeat(100));
        Files.writeString(directory.resolve("payload/payload-1Kb.data"), "x".repeat(1024));
        for (Map.Entry<String, String> workload : workloads().entrySet()) {
            Files.writeString(directory.resolve(workload.getKey() + ".yaml"), workload.getValue());
        }
        for (Map.Entry<String, String> driver : drivers().entrySet()) {
            Path file = directory.resolve(driver.getKey());
            Files.createDirectories(file.getParent());
            Files.writeString(file, driver.getValue());
        }
    }

    @TestFactory
    Stream<DynamicTest> everyWorkloadIsPlanned() {
        Set<String> planned = new HashSet<>();
        return workloads().entrySet().stream()
            .filter(each -> planned.add(each.getValue().replaceAll("name: [^,}]*|producerRate: [1-9][0-9]*", "").replaceAll("[0-9]", "9")))
            .map(Map.Entry::getKey).map(name -> dynamicTest(name, () -> {
                Outcome outcome = dryRun(name, "driver-kafka/kafka-throughput.yaml");
                if (isTooLarge(name)) {
                    assertThat(outcome.status()).isEqualTo(2);
                    assertThat(outcome.err()).contains("key 'topics'", "more than 100,000");
                } else if (name.matches("([0-9]+k|500)-topic.*") && outcome.status() == 2) {
                    // The outcome depends on the memory of this JVM: thousands of Kafka's clients take a gigabyte and more.
                    assertThat(outcome.err()).containsPattern("[0-9],000 producers and [0-9]+,000 consumers need").contains("JAVA_ARGS");
                } else {
                    assertThat(outcome.status()).as(outcome.err()).isZero();
                }
            }));
    }

    @TestFactory
    Stream<DynamicTest> everyDriverIsPlannedOrRefusedInOneSentence() {
        Map<String, String> drivers = drivers();
        return drivers.keySet().stream().map(name -> dynamicTest(name, () -> {
            Outcome outcome = dryRun("simple-workload", name);
            if (OTHERS.stream().noneMatch(name::contains)) {
                assertThat(outcome.status()).as(outcome.err()).isZero();
                return;
            }
            assertThat(outcome.status()).isEqualTo(2);
            assertThat(outcome.err().lines()).hasSize(1);
            String driver = drivers.get(name).lines().filter(line -> line.startsWith("driverClass:")).findFirst().orElseThrow();
            assertThat(outcome.err()).contains(driver.substring("driverClass: ".length()));
        }));
    }

    /**
     * Uses rates that a small machine can keep beside the broker, and resets settings that a single broker does not support. Each
     * subscription receives all sent messages, even if the rate is missed.
     */
    @ParameterizedTest
    @CsvSource({
        "1-topic-16-partitions-1kb,                 driver-kafka/kafka-throughput.yaml,          kafka,     'properties.replicas=1 properties.topic-config=min.insync.replicas=1'",
        "1-topic-1-partition-1kb,                   driver-redis/redis.yaml,                     redis,     ''",
        "simple-workload,                           driver-nats/nats.yaml,                       nats,      'properties.replicas=1'"})
    void itRuns(String workload, String driver, String broker, String sets) throws IOException {
        List<String> command = new ArrayList<>(List.of("run", "--omb", directory.resolve(workload + ".yaml").toString(), "--driver",
            directory.resolve(driver).toString(), "--set", "broker=" + broker, "--set", "connectTimeout=60s", "--set", "drainTimeout=60s",
            "--set",
            "warmup=0s", "--set", "duration=1s", "--set", "load.rate=100/s"));
        for (String set : sets.isEmpty() ? new String[0] : sets.split(" ")) {
            command.addAll(List.of("--set", set));
        }
        Outcome outcome;
        List<StoredResult> results;
        int tries = 0;
        do {
            // A stall of the machine for all of the load leaves no time to send.
            Path out = directory.resolve("out" + tries);
            List<String> whole = new ArrayList<>(command);
            whole.addAll(List.of("--out", out.toString()));
            outcome = run(whole);
            results = results(out);
        } while (results.stream().anyMatch(result -> !(result.number(ResultField.SENT) > 0)) && ++tries < 3);
        assertThat(outcome.status() == 0 || failedByItsRateAlone(outcome, results)).as("%s%n%s", outcome.out(), outcome.err()).isTrue();
        double subscriptions = Double.parseDouble(workloads().getOrDefault(workload, "")
            .replaceFirst("(?s).*subscriptionsPerTopic: (\\d+).*", "$1"));
        assertThat(results).isNotEmpty().allSatisfy(result -> {
            assertThat(result.number(ResultField.SENT)).isPositive();
            assertThat(result.number(ResultField.COMPLETED)).isEqualTo(result.number(ResultField.SENT));
            assertThat(result.number(ResultField.RECEIVED)).as("what was sent, by each subscription")
                .isGreaterThanOrEqualTo(subscriptions * result.number(ResultField.SENT));
            for (ResultField missing : List.of(ResultField.LOST, ResultField.LEFT, ResultField.UNDELIVERED)) {
                assertThat(result.number(missing)).as("%s", missing).isZero();
            }
        });
    }

    private static List<StoredResult> results(Path out) throws IOException {
        try (Stream<Path> files = Files.walk(out)) {
            return files.filter(Files::isDirectory).flatMap(trial -> StoredResult.in(trial).stream()).toList();
        }
    }

    /** Returns whether only the rate was not as asked: the machine may stall for most of so short a run, which makes its trial invalid too. */
    private static boolean failedByItsRateAlone(Outcome outcome, List<StoredResult> results) {
        List<String> causes = results.stream().flatMap(result -> result.causes().stream()).toList();
        return causes.isEmpty() ? outcome.out().contains(", invalid")
            : causes.stream().allMatch(cause -> cause.startsWith("The asked rate was missed by more than half"));
    }

    private static boolean isTooLarge(String workload) {
        return workload.matches("(\\d{3}k|50k|1m)-topic-.*");
    }

    private Outcome dryRun(String workload, String driver) {
        return run(List.of("run", "--dry-run", "--omb", directory.resolve(workload + ".yaml").toString(), "--driver",
            directory.resolve(driver).toString()));
    }

    private record Outcome(int status, String out, String err) {}

    private static Outcome run(List<String> command) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int status = new Main(new PrintStream(out, true, StandardCharsets.UTF_8), new PrintStream(err, true, StandardCharsets.UTF_8),
            Map.of()).run(command.toArray(String[]::new));
        return new Outcome(status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** Returns the text of each workload by its name. */
    private static Map<String, String> workloads() {
        Map<String, String> all = new LinkedHashMap<>();
        lines("workloads.txt").filter(line -> !line.startsWith("#")).forEach(line -> {
            int colon = line.indexOf(": ");
            all.put(line.substring(0, colon), line.substring(colon + 2) + "\n");
        });
        return all;
    }

    /** Returns the text of each driver file by its path. */
    private static Map<String, String> drivers() {
        Map<String, String> all = new LinkedHashMap<>();
        List<String> name = new ArrayList<>();
        lines("drivers.txt").forEach(line -> {
            if (line.startsWith("=== ")) {
                name.clear();
                name.add(line.substring(4));
                all.put(name.getFirst(), "");
            } else {
                all.computeIfPresent(name.getFirst(), (path, text) -> text + line + "\n");
            }
        });
        return all;
    }

    private static Stream<String> lines(String resource) {
        try (InputStream in = OmbRepositoryTest.class.getResourceAsStream("/omb/" + resource)) {
            if (in == null) {
                throw new IllegalStateException(resource + " is missing");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
