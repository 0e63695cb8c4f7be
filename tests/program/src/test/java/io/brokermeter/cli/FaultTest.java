package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.cli.Tool.Finished;
import io.brokermeter.cli.Tool.Running;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Faults that the program injects into real throwaway brokers. */
@Timeout(value = 600, unit = TimeUnit.SECONDS)
@Order(1)
class FaultTest {

    /** A broker that starts at once: what a fault does to a process or a connection is the same for all. */
    private static final List<String> CLIENT = List.of("client", "--broker", "nats", "--silent");
    @RegisterExtension
    static final OneProcess PROGRAM = new OneProcess();

    @TempDir
    private Path directory;

    private static String[] words(List<String> first, String... more) {
        return Stream.concat(first.stream(), Stream.of(more)).toArray(String[]::new);
    }

    /** The proxy that the fault needs takes each connection, so the client sees a reset of an address that the user never gave. */
    @ParameterizedTest
    @ValueSource(strings = {"tcp", "nats"})
    void aBrokerThatIsAbsentIsNamedAlthoughAProxyStandsBeforeIt(String scheme) throws Exception {
        String url = scheme + "://127.0.0.1:1";
        Finished finished =
            PROGRAM.run("client", "--url", url, "--fault", "cut connection at 1s for 1s", "--duration", "4", "--out", "none");
        assertThat(finished.exits(1).err()).contains("Cannot connect to " + url + ": nobody listens on 127.0.0.1 port 1")
            .doesNotContain("proxy", "reset");
    }

    private static char state(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"), StandardCharsets.ISO_8859_1);
            return stat.charAt(stat.lastIndexOf(')') + 2);
        } catch (IOException e) {
            return '?';
        }
    }

    private static void awaitGone(long pid) throws Exception {
        Waiting.until("process " + pid + " is gone", () -> state(pid) == '?');
    }

    /** Returns each event as {@code ACTION STEP}. */
    private static List<String> steps(List<JsonNode> faults) {
        return faults.stream().map(event -> event.get("fault").get("action").asString() + " " + event.get("fault").get("step").asString())
            .toList();
    }

    /** Returns the events of a run with an object {@code fault}, by fault: each fault has a thread of its own, which may be late. */
    private static List<JsonNode> faults(Path run) throws IOException {
        List<JsonNode> all = new ArrayList<>();
        for (String line : Files.readAllLines(run.resolve("events.jsonl"))) {
            JsonNode event = new JsonMapper().readTree(line);
            if (event.has("fault")) {
                all.add(event);
            }
        }
        all.sort(Comparator.comparingInt(event -> event.get("fault").get("number").asInt()));
        return all;
    }

    /**
     * Returns whether each fault was over before the next one began, not much sooner than asked, and none was due after the load. After a
     * stall of several seconds faults may coincide; the attempt of a test that needs them apart then proves nothing.
     */
    private static boolean areOneByOne(List<JsonNode> faults) {
        List<Double> moments = faults.stream().map(event -> event.get("fault").path("effectiveSeconds")).filter(JsonNode::isNumber)
            .map(JsonNode::asDouble).toList();
        return moments.equals(moments.stream().sorted().toList()) && areApart(faults)
            && faults.stream().noneMatch(event -> event.get("finding").asString().startsWith("fault-not-"));
    }

    /** Returns whether at least half of the time that was asked for lies between the beginnings of faults. */
    private static boolean areApart(List<JsonNode> faults) {
        List<JsonNode> begun = faults.stream().map(event -> event.get("fault"))
            .filter(fault -> fault.path("step").asString("").equals("began") && fault.path("effectiveSeconds").isNumber()).toList();
        for (int i = 1; i < begun.size(); i++) {
            double asked = begun.get(i).get("askedSeconds").asDouble() - begun.get(i - 1).get("askedSeconds").asDouble();
            double real = begun.get(i).get("effectiveSeconds").asDouble() - begun.get(i - 1).get("effectiveSeconds").asDouble();
            if (real < asked / 2) {
                return false;
            }
        }
        return true;
    }

    /** A run, its directory, and the events of its faults. */
    private record Injected(Finished finished, Path out, List<JsonNode> faults) {}

    private Injected inject(String... words) throws Exception {
        return injectBy(Double.MAX_VALUE, words);
    }

    /** Executes a command, and repeats it up to twice if its faults were not one by one and over by this second. */
    private Injected injectBy(double second, String... words) throws Exception {
        List<String> line = new ArrayList<>(List.of(words));
        if (!line.contains("--reconnect")) {
            // A stall of the machine for ten seconds delays the answers of a broker by as much.
            line.addAll(List.of("--connect-timeout", "60s"));
        }
        for (int tries = 1;; tries++) {
            Path out = directory.resolve("run" + tries);
            Finished finished = PROGRAM.run(words(line, "--out", out.toString()));
            // A run that a busy machine did not let connect has no files.
            boolean began = Files.exists(out.resolve("events.jsonl"));
            List<JsonNode> faults = began ? faults(out) : List.of();
            if (tries == 3 || began && areOneByOne(faults)
                && faults.stream().allMatch(event -> event.get("fault").path("effectiveSeconds").asDouble(0) <= second)) {
                return new Injected(finished, out, faults);
            }
        }
    }

    @Test
    void aPausedBrokerGoesOnAndNothingIsLost() throws Exception {
        Injected run = inject(words(CLIENT, "--rate", "200", "--message-count", "700", "--fault",
            "pause broker at 1s for 500ms", "--fault", "run echo pids $BROKER_PIDS; exit 0 at 2500ms"));
        Path out = run.out();
        Finished finished = run.finished();

        finished.exitsWellAtAnyRate().leavesNothing();
        assertThat(finished.total("total sent")).isEqualTo(700);
        assertThat(finished.err())
            .containsPattern("fault \\([0-9.]+ s\\): fault 1, pause broker: stopped at [0-9.]+ s, asked for 1.000 s \\(pid \\d+\\)")
            .contains("fault 1, pause broker: going on at", "fault 2, run", "ended with exit status 0");
        List<JsonNode> faults = run.faults();
        assertThat(faults).hasSize(4);
        assertThat(faults.get(0).get("kind").asString()).isEqualTo("fault");
        assertThat(faults.get(0).get("fault").get("action").asString()).isEqualTo("pause");
        assertThat(faults.get(0).get("fault").get("step").asString()).isEqualTo("began");
        assertThat(faults.get(0).get("fault").get("askedSeconds").asDouble()).isEqualTo(1);
        assertThat(faults.get(0).get("fault").get("effectiveSeconds").asDouble()).isGreaterThanOrEqualTo(1)
            .isCloseTo(faults.get(0).get("elapsedSeconds").asDouble(), within(0.001));
        assertThat(faults.get(3).get("fault").get("exitStatus").asInt()).isZero();
        assertThat(out.resolve("fault-2.log")).content().matches("pids \\d+\\n");
        assertThat(Files.readString(out.resolve("scenario.yaml"))).contains("pause broker at 1s for 500ms");
        PROGRAM.run("report", out.toString(), "--html", directory.resolve("run.html").toString()).exits(0);
        assertThat(Files.readString(directory.resolve("run.html"))).contains("fault 1, pause broker: stopped at");
    }

    @Test
    void aKilledBrokerComesBackOnItsPort() throws Exception {
        Path out;
        Finished finished;
        int tries = 0;
        do {
            out = directory.resolve("run" + tries);
            finished = PROGRAM.run(words(CLIENT, "--reconnect", "100ms", "--allow-loss", "--rate", "60", "--message-count",
                "360", "--fault", "kill broker at 1s for 300ms", "--fault", "restart broker at 3s", "--out", out.toString()));
            // If a busy machine is slow with both starts, the load is over before a broker serves it.
        } while ((finished.total("total received") <= 100 || !areOneByOne(faults(out))) && ++tries < 3);

        finished.leavesNothing();
        List<JsonNode> faults = faults(out);
        assertThat(steps(faults)).as(finished.err()).containsExactly("kill began", "kill ended", "restart began", "restart ended");
        // a broker that did not end by itself was killed, which is reported after its process id
        List<String> pids = faults.stream().map(event -> event.get("fault").get("detail").asString().replaceAll(";.*", "")).toList();
        assertThat(pids).allMatch(pid -> pid.matches("pid \\d+"));
        assertThat(pids.get(1)).isNotEqualTo(pids.get(0)).isEqualTo(pids.get(2));
        assertThat(pids.get(3)).isNotEqualTo(pids.get(2));
        assertThat(finished.total("total received")).as("it serves after that").isGreaterThan(100);
    }

    /** Messages of 50 KiB soon use up the credit of a client. */
    @Test
    void aBrokerWhoseDiskIsFullTakesNothingUntilThereIsRoomAgain() throws Exception {
        // A fault that begins right before the end of the load would hardly hold up any send.
        Injected run = injectBy(5, "client", "--broker", "artemis", "--broker-heap", "300m", "--silent", "--persistent", "--rate",
            "60", "--message-size", "50KiB", "--max-pending", "10", "--duration", "6", "--drain-timeout", "30", "--fault",
            "fill broker at 1s for 2s");
        Path out = run.out();
        Finished finished = run.finished();

        // Whether a busy machine catches up in time is not checked.
        finished.leavesNothing();
        assertThat(finished.err()).contains("fill broker: its disk is full at", "fill broker: its disk has room again at");
        List<JsonNode> faults = run.faults();
        assertThat(faults).extracting(event -> event.get("fault").get("step").asString()).containsExactly("began", "ended");
        JsonNode result = new JsonMapper().readTree(Files.readString(out.resolve("result.json")));
        double full = faults.get(1).get("fault").get("effectiveSeconds").asDouble()
            - faults.get(0).get("fault").get("effectiveSeconds").asDouble();
        assertThat(result.get("failover").get("withoutSendSeconds").asDouble()).as("of %s s", full).isGreaterThan(full / 4);
        assertThat(finished.total("total received")).isEqualTo(finished.total("total sent"));
    }

    @Test
    void ofAPairOnlyTheOneThatServesIsFilled() throws Exception {
        Injected run = inject("client", "--broker", "activemq", "--broker-topology", "master-slave", "--broker-heap", "300m",
            // Long before the end of the load: after a stall until then the fault would no longer be injected.
            "--silent", "--persistent", "--rate", "20", "--duration", "4", "--drain-timeout", "30", "--fault",
            "fill broker at 100ms for 500ms");
        Finished finished = run.finished();

        finished.leavesNothing();
        assertThat(run.faults()).as(finished.err()).extracting(event -> event.get("fault").get("step").asString())
            .containsExactly("began", "ended");
        assertThat(run.faults())
            .allSatisfy(event -> assertThat(event.get("fault").get("detail").asString()).matches("master pid \\d+"));
        assertThat(finished.total("total received")).isEqualTo(finished.total("total sent")).isPositive();
    }

    /** The command kills the backup, which only waits for a failure of the primary. */
    @Test
    void ofAPairWhoseOtherHalfIsDeadTheOneThatServesIsHit() throws Exception {
        Path out;
        Finished finished;
        int tries = 0;
        do {
            out = directory.resolve("run" + tries);
            finished = PROGRAM.run("client", "--connect-timeout", "60s", "--broker", "artemis", "--broker-topology", "primary-backup",
                "--broker-heap",
                "300m", "--silent", "--persistent", "--rate", "20", "--duration", "8", "--drain-timeout", "30",
                "--fault", "run kill -9 ${BROKER_PIDS##* } at 1s", "--fault", "pause broker at 3s for 300ms", "--fault",
                "fill broker at 4500ms for 300ms", "--fault", "fill backup at 6s for 300ms", "--out", out.toString());
        } while (!areOneByOne(faults(out)) && ++tries < 3);

        finished.leavesNothing();
        List<JsonNode> faults = faults(out).stream().filter(event -> !event.get("fault").get("action").asString().equals("run")).toList();
        assertThat(steps(faults)).as("the last one was not made: %s", finished.err())
            .containsExactly("pause began", "pause ended", "fill began", "fill ended", "fill began");
        for (int i = 0; i < 4; i += 2) {
            assertThat(faults.get(i).get("fault").get("detail").asString()).matches("primary pid \\d+; gone already: backup pid \\d+");
            assertThat(faults.get(i + 1).get("fault").get("detail").asString()).matches("primary pid \\d+");
        }
        assertThat(finished.out() + finished.err()).containsPattern("its process, backup pid \\d+, is gone already");
        assertThat(finished.total("total received")).isEqualTo(finished.total("total sent")).isPositive();
    }

    @Test
    void connectionsAreHeldUpAndNothingIsLost() throws Exception {
        Injected run = inject(words(CLIENT, "--rate", "100", "--message-count", "350", "--fault",
            "blackhole connection at 500ms for 500ms", "--fault", "delay producers by 60ms at 2s for 500ms"));
        Finished finished = run.finished();

        finished.exitsWellAtAnyRate().leavesNothing();
        assertThat(finished.total("total received")).isEqualTo(350);
        List<JsonNode> faults = run.faults();
        assertThat(steps(faults)).containsExactly("blackhole began", "blackhole ended", "delay began", "delay ended");
        assertThat(faults.getFirst().get("fault").get("detail").asString()).matches("\\d+ connections");
        assertThat(finished.micros("aggregated send time", "max")).as("a send that waited").isGreaterThan(120_000);
    }

    @Test
    void connectionsAreCutAndHealed() throws Exception {
        Injected run = inject(words(CLIENT, "--rate", "100", "--duration", "5", "--reconnect", "100ms", "--allow-loss",
            "--fault", "cut connection at 1s for 300ms", "--fault", "reset consumers at 3s"));
        Path out = run.out();
        Finished finished = run.finished();

        finished.leavesNothing();
        List<JsonNode> faults = run.faults();
        assertThat(steps(faults)).as(finished.err()).containsExactly("cut began", "cut ended", "reset began");
        assertThat(faults.getFirst().get("fault").get("detail").asString()).matches("[1-9] connections");
        assertThat(Files.readString(out.resolve("events.jsonl"))).contains("\"connection-lost\"");
    }

    @Test
    void ctrlCInAPauseLetsTheBrokerGoOnAndEndsTheRun() throws Exception {
        // Without a rate: less than half of it would be reached when the signal arrives a second after the pause.
        try (Running running = new Tool(directory).start(words(CLIENT, "--duration", "60", "--out", "none", "--fault",
            "pause broker at 500ms for 30s", "--fault", "run sleep 1000 at 500ms for 50s"))) {
            long broker = running.brokerPid("NATS");
            running.awaitErr("pause broker: stopped").awaitErr("run sleep 1000: started").signal("INT");
            Finished finished = running.await().exits(130);
            assertThat(finished.err()).contains("pause broker: going on", "run sleep 1000: ended with exit status");
            awaitGone(broker);
            finished.leavesNothing();
        }
    }

    @Test
    void aBrokerOfAWorkerIsPausedByItsParent() throws Exception {
        Path file = Files.writeString(directory.resolve("pause.yaml"), """
            broker: nats
            destinations: [queue://Q]
            producers: {}
            consumers: {}
            load: 200
            duration: 3s
            faults:
              - {at: 500ms, pause: broker, for: 300ms}
              - {at: 1500ms, run: ./script}
            """);
        Files.createFile(directory.resolve("script"), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.writeString(directory.resolve("script"), "#!/bin/sh\necho here; exit 4\n");
        Finished finished;
        Path sweep;
        int tries = 0;
        do {
            sweep = directory.resolve("sweep" + tries);
            finished = new Tool(directory).run("run", file.toString(), "--out", sweep.toString());
        } while (!areOneByOne(faults(trial(sweep))) && ++tries < 3);

        finished.exits(1);
        assertThat(finished.out() + finished.err()).contains("Fault 2, run ./script, was not right: its exit status is 4");
        assertThat(faults(trial(sweep))).extracting(event -> event.get("finding").asString())
            .containsExactly("fault-done", "fault-done", "fault-done", "fault-done", "fault-failed");
        assertThat(trial(sweep).resolve("fault-2.log")).content().isEqualTo("here\n");
        finished.leavesNothing();
    }

    /** Returns the directory of the only trial. */
    private static Path trial(Path sweep) throws IOException {
        try (Stream<Path> trials = Files.list(sweep.resolve("trials"))) {
            return trials.findFirst().orElseThrow();
        }
    }

    @Test
    void aBrokerOfSomebodyElseIsPausedWhenItsOwnerSaysSo() throws Exception {
        try (Broker broker = Broker.start(BrokerName.parse("nats"))) {
            Finished finished =
                inject("client", "--url", broker.url(), "--rate", "100", "--max-pending", "100", "--message-count",
                    "300", "--silent",
                    "--i-own-this-broker", "--fault", "pause broker at 500ms for 300ms", "--fault", "pause port "
                        + broker.port() + " at 1500ms for 300ms")
                    .finished();

            finished.exitsWellAtAnyRate();
            assertThat(finished.err()).contains("pause broker: stopped", "pause port").doesNotContain("error");
            assertThat(finished.total("total sent")).isEqualTo(300);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --broker artemis --duration 5 | kill broker at 5s                   | comes after the end of the run, which takes 5s
        --broker artemis --duration 5 | pause broker at 1s for 1m           | lasts until 61s, and the run takes 5s
        --broker artemis              | pause slave at 1s                   | Broker artemis has no 'slave': it has broker alone.
        --broker kafka --broker-topology 3-nodes | kill node 4 at 1s        | no 'node 4': it has node 1, node 2, node 3
        --url tcp://localhost:1       | kill broker at 1s                   | --i-own-this-broker says that it is yours
        --url tcp://localhost:1 --i-own-this-broker | kill broker at 1s     | nothing on this machine listens on port 1
        --url tcp://localhost:1 --i-own-this-broker | kill pid 999999999 at 1s     | There is no process 999999999.
        --url tcp://localhost:1 --i-own-this-broker | pause pid 1 at 1s     | is no broker
        --url tcp://localhost:1 --i-own-this-broker | restart port 1 at 1s  | say 'stop', and start it with a fault 'run'
        --url tcp://localhost:1 --i-own-this-broker | kill broker at 1s for 3s  | leave 'for' out, and start it with a fault 'run'
        --broker artemis              | pause pid 4711 at 1s                | was not started for this run
        --broker kafka                | fill broker at 1s                   | Broker kafka has no limit of its disk that could be reached
        --broker activemq --broker-no-persistence | fill broker at 1s       | nothing on its disk when it is not persistent
        --url tcp://localhost:1 --i-own-this-broker | fill broker at 1s     | needs a broker that is started for this run
        --broker artemis              | run ./nothing at 1s                 | there is no program
        --broker rocketmq --property vipChannelEnabled=true | cut connection at 1s | around a proxy
        --url kafka://localhost:1     | cut connection at 1s                | lead around the proxy
        --url loopback://x            | cut connection at 1s                | is in memory
        --broker artemis              | delay connection by 40s at 1s       | at most 30s
        --broker artemis              | explode broker at 1s                | Fault 'explode' is unknown; there are kill, stop
        --broker artemis              | kill broker                         | must say what is done to whom and when
        """)
    void whatCannotBeMeantIsRefusedBeforeAnythingStarts(String options, String fault, String sentence) throws Exception {
        List<String> all = new ArrayList<>(List.of("client"));
        all.addAll(List.of(options.split(" ")));
        all.addAll(List.of("--fault", fault));
        PROGRAM.run(all.toArray(String[]::new)).exits(2).saysOnly(sentence);
    }

    @Test
    void aFileIsRefusedWithTheLineOfTheFault() throws Exception {
        Path file = Files.writeString(directory.resolve("bad.yaml"), """
            url: tcp://localhost:1
            destinations: [queue://Q]
            producers: {}
            duration: 5s
            faults:
              - {at: 1s, pause: broker, for: 1s}
              - {at: 3s, kill: broker}
            """);
        assertThat(PROGRAM.run("run", file.toString(), "--dry-run").exits(2).err())
            .contains("bad.yaml:6", "key 'faults.0'", "--i-own-this-broker says that it is yours");
        Files.writeString(file, """
            broker: artemis
            destinations: [queue://Q]
            producers: {}
            duration: 5s
            faults:
              - {at: 1s, pause: broker, for: 9s}
              - {kill: broker}
              - {at: 2s, kill: broker, pause: broker}
              - {at: 2s}
              - {at: 2s, kill: broker, until: 3s}
              - explode broker at 2s
            """);
        assertThat(PROGRAM.run("run", file.toString(), "--dry-run").exits(2).err())
            .contains("bad.yaml:10", "there is no such key in 'faults'; there are fault, at, kill", "bad.yaml:11", "'explode' is unknown");
        Files.writeString(file, Files.readString(file).replaceAll("(?m)^.*(until|explode).*\\n", ""));
        assertThat(PROGRAM.run("run", file.toString(), "--dry-run").exits(2).err())
            .contains("bad.yaml:6", "lasts until 10s", "bad.yaml:7", "needs 'at'", "bad.yaml:8", "not both 'kill' and 'pause'",
                "bad.yaml:9",
                "says what is done");
    }
}
