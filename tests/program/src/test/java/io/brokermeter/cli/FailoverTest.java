package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import io.brokermeter.cli.Tool.Finished;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command failover: a broker that is killed and restarted on its store, and input that the command refuses. */
@Order(1)
class FailoverTest {

    @RegisterExtension
    static final OneProcess PROGRAM = new OneProcess();

    private static final int TRIES = 3;
    private static final String NOTHING_LOST = "\nconfirmed and lost                              0\n";

    private static final String BOTH_RESTORED = "\nconnections restored                            2\n";

    @TempDir
    Path directory;

    /**
     * Returns whether the broker of each run served again by this second: if a busy machine does not start one in time, the load ends
     * before its clients can reconnect.
     */
    private static boolean servedAgainBy(int second, int runs, Finished finished) {
        List<MatchResult> moments = Pattern.compile("serving again at ([0-9.]+) s").matcher(finished.err()).results().toList();
        return moments.size() == runs && moments.stream().allMatch(moment -> Double.parseDouble(moment.group(1)) <= second);
    }

    /** Returns whether the broker was paused by this second. */
    private static boolean isStoppedBy(int second, Finished finished) {
        return Pattern.compile("pause broker: stopped at ([0-9.]+) s").matcher(finished.err()).results()
            .anyMatch(moment -> Double.parseDouble(moment.group(1)) <= second);
    }

    @Test
    void aBrokerThatIsKilledAndStartedAgainIsScored() throws Exception {
        Path json = directory.resolve("report.json");
        Path page = directory.resolve("page.html");
        Path run;
        Finished finished;
        int tries = 0;
        do {
            run = directory.resolve("run" + tries);
            // There is enough time before the fault to reach a rate, however slowly a busy machine begins.
            finished = PROGRAM.run("failover", "--rate", "100", "--warmup", "2", "--duration", "24", "--fault",
                "kill broker at 5s for 500ms", "--json", json.toString(), "--out", run.toString());
            // A stall after that may leave no time to reach the rate again.
        } while ((!servedAgainBy(16, 1, finished) || finished.status() != 0 && finished.out().contains(NOTHING_LOST)) && ++tries < TRIES);
        finished.exits(0).leavesNothing();

        assertThat(finished.out()).contains("\nRECOVERED from ", "\nuntil a client noticed ", NOTHING_LOST);
        assertThat(finished.out().lines()).allSatisfy(line -> assertThat(line).doesNotStartWith("---"));
        assertThat(finished.err()).contains("fault 1, kill broker: gone at", "Connection of producers 1 lost", " reconnected ");
        assertThat(Files.readString(json)).contains("\"failover\"").contains("\"recovered\":true");
        PROGRAM.run("report", run.toString(), "--html", page.toString()).exits(0);
        String card = finished.out().substring(finished.out().indexOf("RECOVERED from "), finished.out().indexOf("\nattempts to"));
        assertThat(PROGRAM.run("report", run.toString()).exits(0).out()).contains("\n" + card);
        assertThat(page).content().contains("RECOVERED from ", "fault: kill broker, for ", "no confirmed send for ", "id=\"fault-rates\"");
        assertThat(run.resolve("failover.csv")).content()
            .startsWith("elapsed_seconds,seconds,confirmed,delivered,failed,longest_wait_micros\n");
    }

    /** The first node holds the connections and leads the queue; it rejoins the others before the end. */
    @Test
    void aQuorumQueueLosesNothingThatWasConfirmedWithItsLeader() throws Exception {
        Finished finished;
        int tries = 0;
        do {
            finished = PROGRAM.run("failover", "--broker", "rabbitmq", "--topology", "3-nodes", "--rate", "50", "--warmup",
                "1", "--duration", "18", "--fault", "kill node 1 at 3s for 1s").leavesNothing();
            // After a stall the load may be over before the fault is due, or before its clients reconnect.
        } while (!(servedAgainBy(Integer.MAX_VALUE, 1, finished) && finished.err().contains(" reconnected ")) && ++tries < TRIES);
        // RabbitMQ 3.10 may refuse all messages of a channel that is older than the new leader, so the rate need not recover.
        assertThat(finished.err()).contains("fault 1, kill node 1: gone at", "Connection of producers 1 lost", " reconnected ",
            "fault 1, kill node 1: serving again at");
        assertThat(finished.out()).contains(NOTHING_LOST, "\nconfirmed, not come, perhaps in the broker      0\n");
    }

    /** The refusal must precede the start of the three nodes, which takes half a minute. */
    @Test
    void aFileWhoseTopologyDoesNotSpeakItsProtocolIsRefused() throws Exception {
        Path file = Files.writeString(directory.resolve("cluster.yaml"), """
            broker: {name: rabbitmq, topology: 3-nodes}
            protocol: MQTT
            destinations: [queue://Q]
            producers: {}
            duration: 5s
            """);
        for (String option : List.of("--dry-run", "--verbose")) {
            PROGRAM.run("run", file.toString(), option).exits(2)
                .saysOnly("Broker rabbitmq as 3-nodes does not speak MQTT, but AMQP091.");
        }
    }

    /** No rate is measured during the warm-up, so its recovery cannot be judged. */
    @Test
    void aFaultInTheWarmUpIsNotJudged() throws Exception {
        Path json = directory.resolve("report.json");
        Finished finished;
        int tries = 0;
        do {
            finished = PROGRAM.run("failover", "--broker", "nats", "--rate", "50", "--warmup", "4", "--duration", "5",
                "--fault", "pause broker at 500ms for 300ms", "--json", json.toString());
            // A long stall may delay the fault beyond the warm-up, or let most of the messages be missed.
        } while (!(isStoppedBy(3, finished) && !Files.readString(json).contains("\"result\":\"fail")) && ++tries < TRIES);
        finished.exits(1).leavesNothing();

        assertThat(finished.out()).contains("\nNOT JUDGED: ", "\nconfirmed and lost ").doesNotContain("RECOVERED", "95 % of the rate");
        assertThat(Files.readString(json)).contains("\"recovered\":null", "\"to95PercentSeconds\":null")
            // A stall at the end may leave some messages unsent.
            .containsPattern("\"result\":\"(success|rate missed|invalid)\"");
    }

    /** A number of messages can end the load before a fault is due, here after a second. */
    @Test
    void aRunWhoseLoadWasOverBeforeAFaultHasNotPassed() throws Exception {
        Finished finished = PROGRAM.run("failover", "--url", "loopback://x", "--rate", "100", "--message-count", "100", "--warmup", "0",
            "--duration", "300", "--silent", "--fault", "run true at 300ms", "--fault", "run true at 200s").exits(1).leavesNothing();
        assertThat(finished.err())
            .contains("The load was over before fault 2 was due, so it is not known how the clients get over it.");
    }

    /** After its scorecard a run only ends its broker, so a signal at that time applies to all runs. */
    @Test
    void aSignalAfterARunPreventsTheNextOne() throws Exception {
        Finished finished;
        boolean scored;
        int tries = 0;
        do {
            try (Tool.Running running =
                new Tool(directory).start("failover", "--rate", "50", "--warmup", "0", "--duration", "2", "--repeat", "2",
                    "--fault", "pause broker at 500ms for 300ms", "--connect-timeout", "60s")) {
                scored = running.awaitOutUnlessEnded("deliveries out of order");
                finished = running.signalUnlessEnded("INT").await().leavesNothing();
            }
            // A signal that this process sends too late, after the end of the broker, arrives in the next run. A stall of the machine for
            // all of the load leaves no time for the fault, and no scorecard.
        } while ((!scored || finished.out().contains("Run 2 of 2")) && ++tries < TRIES);
        finished.exits(130);
        assertThat(finished.out()).contains("Run 1 of 2").doesNotContain("Run 2 of 2");
    }

    /** A count that is the same in all runs is printed without a range. Times and counts of messages in flight at the fault may differ. */
    @Test
    void twoRunsOfOneFaultAgreeInEveryCountThatMust() throws Exception {
        Finished finished;
        int tries = 0;
        do {
            finished =
                PROGRAM.run("failover", "--broker", "nats", "--rate", "50", "--warmup", "1", "--duration", "5", "--repeat", "2",
                    "--fault", "kill broker at 2s for 300ms").leavesNothing();
            // A stall after that may leave no time to reconnect.
        } while (!(servedAgainBy(4, 2, finished) && finished.out().contains(BOTH_RESTORED)) && ++tries < TRIES);

        String of = finished.out().substring(finished.out().lastIndexOf("until a client noticed"));
        assertThat(finished.out()).as(finished.err()).contains(" of 2 runs");
        assertThat(of).as(finished.out()).contains(BOTH_RESTORED,
            "\nsends that a client tried again, and confirmed  0\n", NOTHING_LOST,
            "\nconfirmed, not come, perhaps in the broker      0\n", "\nduplicates that a client may have sent twice    0\n",
            "\ndeliveries out of order                         0\n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --topology no-such                     | Broker artemis has no topology 'no-such'; it has single, primary-backup.
        --broker rabbitmq --topology 3-nodes --broker-property listeners.tcp.2=127.0.0.1:1 | leave out --broker-property listeners.tcp.2
        --broker rabbitmq --topology 3-nodes --protocol STOMP | Broker rabbitmq as 3-nodes does not speak STOMP, but AMQP091.
        --broker kafka --topology master-slave | Broker kafka has no topology 'master-slave'
        --fault kill --duration 10             | Fault 'kill broker at 15s for 10s' comes after the end of the run, which takes 10s.
        --fault kill_node_7                    | it has broker alone
        --broker redis --fault kill_node_7     | it has broker alone
        --broker redis --persistent            | Protocol REDIS cannot do --persistent
        --broker kafka --property acks=1 --fault kill_node_7 | it has broker alone
        --broker kafka --property ackss=1      | did you mean acks
        --repeat 0                             | --repeat 0 must be at least 1
        --repeat 2 --json x.json               | --json is about one run
        --request-reply                        | which requests and replies do not survive; leave out --request-reply.
        """)
    void badInputIsRefusedBeforeAnythingStarts(String arguments, String sentence) throws Exception {
        String[] words = ("failover " + arguments).split(" ");
        for (int i = 0; i < words.length; i++) {
            words[i] = words[i].replace('_', ' ');
        }
        PROGRAM.run(words).exits(2).saysOnly(sentence);
    }

    @Test
    void aProcessThatIsRefusedEndsSo() throws Exception {
        new Tool(directory).run("failover", "--fault", "explode").exits(2).saysOnly("Fault 'explode' is unknown");
    }
}
