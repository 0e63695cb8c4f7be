package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import io.brokermeter.cli.Tool.Finished;
import io.brokermeter.cli.Tool.Running;
import io.brokermeter.spi.parameter.Secret;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Failures of brokers: status 1 and the cause in a sentence, without a stack trace. */
class FailureTest {

    @RegisterExtension
    private static final SharedBroker SHARED = new SharedBroker(o -> o.withLogin("guest", Secret.of("right")).withForbidden("secret"));

    /** With the login of the shared broker. */
    @RegisterExtension
    static final OneProcess PROGRAM = new OneProcess().with("BROKERMETER_USER", "guest").with("BROKERMETER_PASSWORD", "right");

    @RegisterExtension
    static final OneProcess WRONG = new OneProcess().with("BROKERMETER_PASSWORD", "wr0ng");

    @TempDir
    Path directory;

    private Tool tool() {
        return new Tool(directory).with("BROKERMETER_USER", "guest").with("BROKERMETER_PASSWORD", "right");
    }

    private static Finished failed(Finished finished) {
        finished.exits(1);
        assertThat(finished.out() + finished.err()).doesNotContain("\tat ", "right");
        return finished;
    }

    private static String url(String protocol, TestBroker broker) {
        return protocol.equals("AMQP") ? broker.url().replace("tcp://", "amqp://") : broker.url();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        amqps://localhost:1?transport=own                             | amqps://localhost:1?transport=own
        amqp://localhost:1?amqp.idleTimeout=9000                      | amqp://localhost:1?amqp.idleTimeout=9000
        tcp://localhost:1?sslEnabled=true&trustStorePassword=r,ight   | tcp://localhost:1?sslEnabled=true&trustStorePassword=***
        """)
    void anErrorShowsTheUrlAsItWasGiven(String url, String shown) throws Exception {
        assertThat(failed(PROGRAM.run("client", "--url", url)).err()).contains("Cannot connect to " + shown + ": ");
    }

    /** Findings of a single run, and of trials in worker processes. */
    @Test
    void aFindingNamesTheOptionOfACommandAndTheKeyOfAFile() throws Exception {
        String url = "loopback://b?lose-every=10";
        Finished client =
            failed(PROGRAM.run("client", "--url", url, "--message-count", "100", "--drain-timeout", "0.3", "--out", "none"));
        assertThat(client.out() + client.err()).contains("within --drain-timeout 0.3 s").doesNotContain("drainTimeout");
        Path file = Files.writeString(directory.resolve("lossy.yaml"), "url: " + url
            + "\ndestinations: Q\nproducers: 1\nconsumers: 1\nload: {messages: 100}\ndrainTimeout: 300ms\n");
        Path kept = directory.resolve("kept");
        Finished trials = failed(PROGRAM.run("run", file.toString(), "--out", kept.toString()));
        assertThat(trials.out() + trials.err()).contains("within key 'drainTimeout' 0.3 s").doesNotContain("--drain-timeout");
        try (Stream<Path> results = Files.walk(kept)) {
            assertThat(results.filter(one -> one.endsWith("result.json")).toList()).singleElement()
                .satisfies(one -> assertThat(one).content().contains("key 'drainTimeout'").doesNotContain("--drain-timeout"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp://localhost:1", "amqp://localhost:1"})
    void nobodyListens(String url) throws Exception {
        Path json = directory.resolve("r.json");
        Finished finished = failed(PROGRAM.run("client", "--url", url, "--json", json.toString()));
        assertThat(finished.err()).containsIgnoringCase("nobody listens on localhost port 1");
        assertThat(finished.err().strip().lines()).hasSize(1);
        assertThat(json).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"CORE", "AMQP"})
    void thePasswordIsWrong(String protocol) throws Exception {
        Finished finished = failed(WRONG.run("client", "--url", url(protocol, SHARED.get()), "--user", "guest"));
        assertThat(finished.err()).contains("guest", "user and password").doesNotContain("wr0ng");
    }

    @ParameterizedTest
    @ValueSource(strings = {"CORE", "AMQP"})
    void theAddressIsForbidden(String protocol) throws Exception {
        Finished finished = failed(PROGRAM.run("client", "--url", url(protocol, SHARED.get()), "--user", "guest", "--message-count",
            "5", "queue://secret.Q"));
        assertThat(finished.out() + finished.err()).contains("secret.Q");
    }

    /** A driver detects missing features of the broker during the run, and knows neither options nor keys. */
    @Test
    void aDriversSentenceNamesTheOptionOfACommandAndTheKeyOfAFile() throws Exception {
        String url = SHARED.url().replace("tcp://", "stomp://");
        assertThat(failed(PROGRAM.run("client", "--url", url, "--prefetch", "5", "queue://Q")).err())
            .contains("consumer-window-size instead of --prefetch 5.");
        Path file = Files.writeString(directory.resolve("prefetch.yaml"), """
            url: %s
            connectTimeout: 60s
            user: guest
            destinations: queue://Q
            consumers: {prefetch: 5, messages: 1}
            """.formatted(url));
        Finished trial = failed(PROGRAM.run("run", file.toString(), "--out", directory.resolve("sweep").toString()));
        assertThat(trial.out() + trial.err()).contains("consumer-window-size instead of key 'consumers.prefetch' 5.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp://localhost:%d?sslEnabled=true", "amqps://localhost:%d"})
    void tlsIsRefused(String url) throws Exception {
        Finished finished = failed(PROGRAM.run("client", "--url", String.format(url, SHARED.get().broker.port()), "--user", "guest",
            "--connect-timeout", "8"));
        assertThat(finished.err()).contains("TLS");
    }

    /** With transactions: a commit that fails does not idle the run. */
    @Test
    void theBrokerIsKilledInMidRun() throws Exception {
        Path json = directory.resolve("r.json");
        try (TestBroker broker = TestBroker.start(); Running running = tool().start("client", "--url", broker.url(), "--tx",
            "--commit-interval", "10", "--rate", "100", "--drain-timeout", "1", "--json", json.toString())) {
            running.awaitBlocks(2);
            broker.broker.kill();
            Finished finished = failed(running.await());
            assertThat(finished.out()).containsPattern("(?m)^--- SUMMARY\\n--- result: +fail( \\(.*\\))?$");
            assertThat(finished.out() + finished.err()).containsIgnoringCase("connection lost");
            assertThat(Files.readString(json).strip()).startsWith("[").endsWith("]").contains("\"summary\"", "\"fail\"");
        }
    }

    @Test
    void theDiskUnderAReportIsFull() throws Exception {
        for (String option : new String[] {"--json", "--hdr"}) {
            Finished finished = failed(PROGRAM.run("client", "--url", "loopback://full", "--rate", "100", "--duration", "60",
                option, "/dev/full"));
            assertThat(finished.out() + finished.err()).contains(option, "/dev/full", "No space left");
            assertThat(finished.out()).containsPattern("(?m)^--- result: +fail( \\(.*\\))?$");
        }
    }

    @Test
    void theConsumersBrokerDiesWhileProducersRunOnAnother() throws Exception {
        try (TestBroker receiving = TestBroker.start(); Running running = tool().start("client", "--url", SHARED.url(), "--user",
            "guest", "--consumer-url", receiving.url(), "--rate", "50", "--drain-timeout", "1", "HALF")) {
            running.awaitBlocks(2);
            receiving.broker.kill();
            Finished finished = failed(running.await());
            assertThat(finished.out() + finished.err()).containsIgnoringCase("connection lost");
        }
    }

    /** {@link #nobodyListens} has the same failure without it. */
    @Test
    void anErrorOfTheClientIsExplainedByAStackTraceOnDemand() throws Exception {
        assertThat(tool().run("client", "--url", "tcp://localhost:1", "--verbose").exits(1).err()).contains("\tat ");
    }
}
