package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Commands that run a broker in the foreground, or start one for a run. */
class BrokerCommandTest extends ToolInDirectory {

    @RegisterExtension
    static final OneProcess PROGRAM = new OneProcess();

    /** {@link ProgramTest} sends the other signals. */
    @Test
    void itRunsUntilASignalAndLeavesNothing() throws Exception {
        try (Tool.Running running = tool().start("broker", "artemis", "--broker-heap", "256m")) {
            running.awaitOut("It runs until Ctrl-C.");
            Tool.Finished finished = running.signal("INT").await().exits(130).leavesNothing();
            assertThat(finished.err()).isEmpty();
            assertThat(finished.out()).containsPattern("(?m)^Apache Artemis \\d+\\.\\d+\\.\\d+$")
                .containsPattern("(?m)^  broker +pid \\d+, port \\d+$")
                .containsPattern("(?m)^  directory +" + Pattern.quote(directory.toString()) + ".*, deleted at the end$")
                .containsPattern("(?m)^  CORE +tcp://127\\.0\\.0\\.1:\\d+$")
                .containsPattern("(?m)^  AMQP +amqp://127\\.0\\.0\\.1:\\d+$")
                .containsPattern("(?m)^  OPENWIRE +tcp://127\\.0\\.0\\.1:\\d+  \\(with --protocol OPENWIRE\\)$")
                .containsPattern("(?m)^Use it: brokermeter client --url 'tcp://127\\.0\\.0\\.1:\\d+' --duration 10$");
            // Where a busy machine gave the program no time to end the broker, it ends by itself.
            Waiting.until("the broker is gone", () -> ProcessHandle.of(pid(finished.out())).isEmpty());
        }
    }

    @Test
    void theEndOfTheBrokerIsToldWithItsCause() throws Exception {
        try (Tool.Running running = tool().start("broker", "nats")) {
            running.awaitOut("It runs until Ctrl-C.");
            long pid = pid(running.out());
            ProcessHandle.of(pid).orElseThrow().destroyForcibly();
            Tool.Finished finished = running.await().exits(1).leavesNothing();
            assertThat(finished.err()).contains("The process " + pid + " (broker) of nats:").contains("ended by itself");
        }
    }

    @Test
    void aKeptBrokerSaysWhereItIs() throws Exception {
        Path kept = PROGRAM.directory().resolve("kept");
        PROGRAM.run("client", "--broker", "nats", "--broker-directory", kept.toString(), "--keep-broker", "--message-count", "10").exits(0);
        assertThat(kept).isNotEmptyDirectory();
        Tool.Finished again =
            PROGRAM.run("client", "--broker", "nats", "--broker-directory", kept.toString(), "--message-count", "10").exits(0);
        assertThat(again.out()).contains("kept in " + kept);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "broker nosuch                                       | --broker: 'nosuch'",
        "broker artemis --port 99999                         | --port 99999 must be from 0 to 65535",
        "broker artemis --broker-topology ring               | Broker artemis has no topology 'ring'; it has single, primary-backup.",
        "broker artemis --broker-journal paper               | Broker artemis has no journal 'paper'",
        "broker artemis --broker-heap lots                   | --broker-heap 'lots' must look like 512m or 2g.",
        "broker artemis --broker-property nothing            | --broker-property needs NAME=VALUE, not 'nothing'.",
        "broker artemis --broker-directory /etc/passwd       | --broker-directory /etc/passwd is not a directory.",
        "broker artemis:one                                  | artemis:one",
        "client --broker-heap 2g                             | --broker-heap needs --broker",
        "client --broker artemis --protocol LOOPBACK         | Broker artemis does not speak LOOPBACK, but CORE, AMQP",
        "client --broker artemis --consumer-protocol LOOPBACK| Broker artemis does not speak LOOPBACK",
        "client --broker artemis --broker-no-persistence --broker-topology primary-backup | must be persistent",
    })
    void aMistakeIsOneSentenceBeforeAnythingStarts(String commandLine, String expected) throws Exception {
        PROGRAM.refuses(commandLine, expected.strip());
    }

    /** Only the broker itself knows its properties, so it is started for this check. */
    @Test
    void aPropertyThatTheBrokerHasNotIsAMistakeToo() throws Exception {
        PROGRAM.run("client", "--broker", "artemis", "--broker-property", "acceptorConfigurations.all.extraParams.amqpCredit=5").exits(2)
            .saysOnly("does not start: The broker does not accept its property "
                + "acceptorConfigurations.all.extraParams.amqpCredit=5: an acceptor has no parameter amqpCredit; did you mean amqpCredits?");
    }

    @Test
    void aPortThatIsTakenIsSaidBeforeAnythingStarts() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            PROGRAM.run("broker", "artemis", "--port", Integer.toString(taken.getLocalPort())).exits(2)
                .saysOnly("Port " + taken.getLocalPort() + " cannot be listened on");
        }
    }

    private static long pid(String out) {
        Matcher matcher = Pattern.compile("pid (\\d+)").matcher(out);
        assertThat(matcher.find()).as(out).isTrue();
        return Long.parseLong(matcher.group(1));
    }
}
