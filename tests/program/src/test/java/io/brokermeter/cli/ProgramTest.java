package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.brokermeter.cli.Tool.Finished;
import io.brokermeter.cli.Tool.Running;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole program with the broker that it starts: its output, files, remains and exit status. */
class ProgramTest extends ToolInDirectory {

    @RegisterExtension
    private static final SharedBroker BROKER = new SharedBroker();

    @RegisterExtension
    static final OneProcess PROGRAM = new OneProcess();

    /** With one message in flight, a broker that takes a second for its first messages would make a run miss most of its rate and fail. */
    private static final String AHEAD = "100";
    /** Somewhat less than the time that the program waits for an answer of a repository. */
    private static final long GIVEN_UP_SECONDS = 25;

    private static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }

    @Test
    void theFirstCommandOfTheReadmeRunsOnABrokerOfItsOwn() throws Exception {
        Path json = directory.resolve("report.json");
        Path hdr = directory.resolve("report.hlog");
        Finished finished;
        long broker;
        try (Running running = tool().start("client", "--broker", "artemis", "--duration", "2", "--show-latency", "--json",
            json.toString(), "--hdr", hdr.toString(), "queue://TEST_QUEUE")) {
            broker = running.brokerPid();
            finished = running.await().exits(0).leavesNothing();
        }
        assertThat(isAlive(broker)).isFalse();
        List<String> lines = finished.out().lines().toList();
        assertThat(lines.get(0)).matches(
            "Started Apache Artemis \\S+ for this run \\(pid \\d+, tcp://127\\.0\\.0\\.1:\\d+, gone at the end\\)");
        assertThat(lines.get(1)).startsWith("Connection brokerURL = tcp://127.0.0.1:");
        assertThat(lines.get(2)).isEmpty();
        assertThat(lines.get(3)).isEqualTo("--- warmup false");
        assertThat(finished.out()).contains("--- send ack time:   mean:", "--- transfer time:   mean:", "\n--- SUMMARY\n",
            "--- result: ");
        assertThat(finished.total("total sent")).isPositive().isEqualTo(finished.total("total completed"))
            .isEqualTo(finished.total("total received"));
        assertThat(finished.total("lost")).isZero();
        assertThat(Files.readString(json)).startsWith("[").contains("\"sampleType\"", "\"summary\"");
        assertThat(Files.readString(json).strip()).endsWith("]");
        int intervals = 0;
        try (HistogramLogReader reader = new HistogramLogReader(hdr.toFile())) {
            for (EncodableHistogram h = reader.nextIntervalHistogram(); h != null; h = reader.nextIntervalHistogram()) {
                assertThat(h.getTag()).isIn("send", "transfer", "response");
                intervals++;
            }
        }
        assertThat(intervals).isGreaterThanOrEqualTo(2);
    }

    /** Messages that the client of the first consumer has prefetched beyond its limit are delivered to the second one, and none twice. */
    @Test
    void aConsumerTakesExactlyAsManyAsItIsTo() throws Exception {
        String queue = "TAKE";
        String url = BROKER.url();
        tool().run("producer", "--url", url, "--message-count", "300", "--max-pending", "100", queue).exits(0);
        Finished some = PROGRAM.run("consumer", "--url", url, "--message-count", "100", queue).exits(0);
        assertThat(some.total("total received")).isEqualTo(100);
        assertThat(some.out()).doesNotContain("total sent");
        Finished rest = PROGRAM.run("consumer", "--url", url, "--message-count", "200", queue).exits(0);
        assertThat(rest.total("total received")).isEqualTo(200);
        assertThat(rest.total("duplicated")).isZero();
        Finished none = PROGRAM.run("consumer", "--url", url, "--message-count", "1", "--duration", "1", queue)
            .exits(1);
        assertThat(none.total("total received")).isZero();
    }

    @Test
    void oneProtocolSendsAndAnotherReceives() throws Exception {
        Finished finished = PROGRAM.run("client", "--url", BROKER.url(), "--consumer-protocol", "AMQP", "--message-count",
            "100", "MIXED").exits(0);
        assertThat(finished.total("total received")).isEqualTo(100);
    }

    @Test
    void silentStillPrintsTheSummary() throws Exception {
        Finished finished = PROGRAM.run("client", "--url", "loopback://silent", "--message-count", "10", "--silent").exits(0);
        assertThat(finished.out()).contains("--- SUMMARY").doesNotContain("--- warmup");
    }

    @Test
    void aSignalEndsARunCleanlyWithItsSummary() throws Exception {
        long broker;
        Finished finished;
        try (Running running = tool().start("client", "--broker", "nats", "--rate", "50", "--max-pending", AHEAD)) {
            broker = running.brokerPid("NATS");
            finished = running.awaitBlocks(1).signal("INT").await().exitsAtAnyRate(130).leavesNothing();
        }
        assertThat(isAlive(broker)).isFalse();
        // A busy machine may miss the rate of so short a run, and most of it if the signal comes right after a stall.
        assertThat(finished.out()).containsOnlyOnce("--- SUMMARY").contains("--- versions")
            .containsPattern("(?m)^--- ended by: +SIGINT$");
        assertThat(finished.total("total sent")).isEqualTo(finished.total("total received"));
    }

    /** The command timeout and build servers send a signal in this way. */
    @ParameterizedTest
    @CsvSource({"TERM,143,0", "HUP,129,2"})
    void aSignalToTheWholeGroupEndsARunAsCleanly(String signal, int status, int agents) throws Exception {
        List<String> words =
            new ArrayList<>(List.of("client", "--broker", "nats", "--rate", "50", "--max-pending", AHEAD, "queue://GROUP"));
        if (agents > 0) {
            words.addAll(1, List.of("--agents", Integer.toString(agents)));
        }
        try (Running running = tool().below(List.of("setsid")).start(words.toArray(String[]::new))) {
            Finished finished = running.awaitBlocks(1).signalGroup(signal).await().exitsAtAnyRate(status).leavesNothing();
            assertThat(finished.out()).containsPattern("(?m)^--- ended by: +SIG" + signal + "$");
            for (int agent = 1; agent <= agents; agent++) {
                assertThat(finished.out()).as("all take part").contains("Agent agent" + agent + ": 1 producer, 1 consumer, 1 destination");
            }
            assertThat(finished.total("total sent")).isEqualTo(finished.total("total received"));
        }
    }

    @Test
    void aSecondCtrlCEndsAtOnceAndTakesTheBrokerAlong() throws Exception {
        long broker;
        try (Running running = tool().start("client", "--broker", "artemis", "--rate", "50", "--drain-timeout", "80",
            "--consumer-rate", "1")) {
            broker = running.brokerPid();
            // By then the queue holds work for a minute, so the drain would continue after the first signal alone.
            running.awaitBlocks(2).signal("INT").awaitBlocks(4).signal("INT");
            Finished finished = running.await().leavesNothing();
            assertThat(finished.status()).isIn(1, 130);
        }
        assertThat(isAlive(broker)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"INT,130", "HUP,129"})
    void aSignalBeforeTheRunBeginsEndsTheProgramAtOnceAndLeavesNoReport(String signal, int status) throws Exception {
        Path json = directory.resolve("early.json");
        try (ServerSocket mute = new ServerSocket(0); Running running = tool().start("client", "--url",
            "tcp://localhost:" + mute.getLocalPort(), "--connect-timeout", "80", "--json", json.toString())) {
            Finished finished = running.awaitOut("Connection brokerURL").signal(signal).await().exits(status).leavesNothing();
            assertThat(finished.err()).contains("Ended before the load began: nothing was measured.").doesNotContain("Exception", "\tat ");
            assertThat(json).doesNotExist();
        }
    }

    /**
     * Fetching does not react to interrupts, and reading from a silent repository blocks for half a minute, several times. An attempt with
     * a stall of that length proves nothing, so it is repeated.
     */
    @ParameterizedTest
    @ValueSource(strings = {"client --broker kafka", "run fetch.yaml"})
    void aSignalWhileABrokerIsFetchedEndsTheProgramAtOnce(String commandLine) throws Exception {
        Files.writeString(directory.resolve("fetch.yaml"), "broker: kafka\nduration: 5s\nproducers: {destinations: [queue://A]}\n");
        long seconds = secondsToTheEndOfAFetch(commandLine);
        for (int again = 0; again < 2 && seconds >= GIVEN_UP_SECONDS; again++) {
            seconds = secondsToTheEndOfAFetch(commandLine);
        }
        assertThat(seconds).as("before the repository could be given up").isLessThan(GIVEN_UP_SECONDS);
    }

    /** Returns the seconds from the signal to the end of the program. The signal is sent while the program waits for a repository. */
    private long secondsToTheEndOfAFetch(String commandLine) throws Exception {
        Path home = Files.createDirectories(directory.resolve("home").resolve(".m2")).getParent();
        try (ServerSocket mute = new ServerSocket(0)) {
            mute.setSoTimeout((int) TimeUnit.SECONDS.toMillis(Tool.LIMIT_SECONDS));
            Files.writeString(home.resolve(".m2").resolve("settings.xml"), "<settings><mirrors><mirror><id>mute</id><mirrorOf>*</mirrorOf>"
                + "<url>http://localhost:" + mute.getLocalPort() + "/</url></mirror></mirrors></settings>");
            Tool tool = tool().with("JAVA_TOOL_OPTIONS", "-Duser.home=" + home + " -Dmaven.repo.local=" + home.resolve("repository"))
                .with("XDG_CACHE_HOME", home.resolve("cache").toString()).with("MAVEN_HOME", home.toString());
            try (Running running = tool.start(commandLine.split(" ")); Socket fetching = mute.accept()) {
                long asked = System.nanoTime();
                Finished finished = running.signal("INT").await().exits(130).leavesNothing();
                long took = System.nanoTime() - asked;
                assertThat(fetching.isConnected()).isTrue();
                assertThat(finished.err()).doesNotContain("Exception", "\tat ");
                return TimeUnit.NANOSECONDS.toSeconds(took);
            }
        }
    }

    @Test
    void anOutputThatTakesNoSummaryIsSaidOnStandardError() throws Exception {
        for (String option : new String[] {"--silent", "--show-latency"}) {
            Finished finished = tool().writingTo(Path.of("/dev/full")).run("client", "--url", "loopback://full", "--message-count", "10",
                option).exits(1);
            assertThat(finished.err()).contains("error", "standard output cannot be written any more");
        }
    }

    @Test
    void tablesThatCannotBePrintedAreNoSuccess() throws Exception {
        Path file = Files.writeString(directory.resolve("full.yaml"),
            "url: loopback://full\ndestinations: [queue://Q]\nload: {messages: 10}\nproducers: {}\nconsumers: {}\n");
        for (String line : new String[] {"run " + file + " --out " + directory.resolve("out"), "report " + directory.resolve("out"),
            "drivers"}) {
            Finished finished = tool().writingTo(Path.of("/dev/full")).run(line.split(" ")).exits(1);
            assertThat(finished.err()).as(line).contains("standard output cannot be written any more");
        }
    }

    /** A reader of a pipe that has had enough is none of the user's mistakes. */
    @Test
    void aReaderThatHasHadEnoughIsWorthNoSentence() throws Exception {
        Finished finished = tool().below(List.of("bash", "-c", "exec 3> >(true); wait $!; \"$@\" >&3", "bash")).run("drivers").exits(1);
        assertThat(finished.err()).isEmpty();
    }

    @Test
    void aBrokerOfItsOwnDiesWithAProgramThatIsKilled() throws Exception {
        long broker;
        try (Running running = tool().start("client", "--broker", "artemis", "--rate", "10")) {
            broker = running.brokerPid();
            running.awaitBlocks(1).signal("KILL").await();
        }
        Waiting.until("the broker is gone", () -> !isAlive(broker));
    }

    /** Command lines of Artemis run unchanged; an option that has no effect or leaves nothing to measure is reported in a sentence. */
    @Test
    void whatHasNoEffectIsWarnedOf() throws Exception {
        Finished finished;
        int tries = 0;
        do {
            // A stall of the machine for all of the load leaves no time to send.
            finished = PROGRAM.run("client", "--protocol", "LOOPBACK", "--url", "loopback://x", "--acceptor", "artemis", "--rate", "100",
                "--duration", "1", "--warmup", "1", "--out", "none", "--silent");
        } while (finished.total("total sent") == 0 && ++tries < 3);
        assertThat(finished.exitsWellAtAnyRate().err()).containsOnlyOnce("warning: --acceptor has no effect: ")
            .containsOnlyOnce("warning: --warmup is all of --duration, so nothing is measured: ");
        assertThat(finished.total("total sent")).isPositive().isEqualTo(finished.total("total received"));
    }

    @Test
    void aPasswordOnTheCommandLineIsWarnedOfOnceAndNeverShown() throws Exception {
        Finished finished = PROGRAM.run("client", "--url", "loopback://x", "--user", "u", "--password", "tops3cret",
            "--message-count", "5", "--verbose", "--json", directory.resolve("p.json").toString()).exits(0);
        assertThat(finished.err()).containsOnlyOnce("--password-file or BROKERMETER_PASSWORD");
        assertThat(finished.out() + finished.err() + Files.readString(directory.resolve("p.json"))).doesNotContain("tops3cret");
        Finished quiet = tool().with("BROKERMETER_PASSWORD", "tops3cret").run("client", "--url", "loopback://x", "--user", "u",
            "--message-count", "5", "--verbose").exits(0);
        assertThat(quiet.out() + quiet.err()).doesNotContain("tops3cret", "BROKERMETER_PASSWORD");
    }

    @Test
    void versionNamesTheToolJavaAndTheClients() throws Exception {
        assertThat(PROGRAM.run("--version").exits(0).out()).startsWith("brokermeter ").contains("\nJava ", "\nCORE: ", "\nAMQP: ");
    }

    @Test
    void driversAreListedWithWhatTheyCanDo() throws Exception {
        assertThat(PROGRAM.run("drivers").exits(0).out()).contains("CORE", "AMQP", "LOOPBACK", "tcp://", "durable-subscriptions");
    }

    @ParameterizedTest
    @CsvSource({"bash,bash", "zsh,bash", "fish,"})
    void aShellAcceptsItsCompletionScript(String shell, String checker) throws Exception {
        String script = PROGRAM.run("completion", shell).exits(0).out();
        assertThat(script).contains("brokermeter", "max-pending");
        if (checker != null) {
            Path file = Files.writeString(directory.resolve("completion"), script);
            assertThat(new ProcessBuilder(checker, "-n", file.toString()).start().waitFor()).isZero();
        }
    }
}
