package io.brokermeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.brokermeter.cli.Tool.Finished;
import io.brokermeter.cli.Tool.Running;
import io.brokermeter.engine.pacing.FireTimes;
import io.brokermeter.engine.scenario.Rate;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Known flaws of {@code artemis perf}, each with a proof that brokermeter does not have it. The contract asks the same of all drivers. */
@Order(1)
class ArtemisPerfFlawsTest extends ToolInDirectory {

    @RegisterExtension
    private static final SharedBroker BROKER = new SharedBroker();

    @RegisterExtension
    static final OneProcess PROGRAM = new OneProcess();

    private static Finished run(String command, String... args) throws Exception {
        return PROGRAM.run(Stream.concat(Stream.of(command, "--url", BROKER.url()), Stream.of(args)).toArray(String[]::new));
    }

    /** With one message in flight, a freeze of one second affects a single service time but the response times of all waiting messages. */
    @Test
    void flaw01CoordinatedOmissionIsMeasured() throws Exception {
        String[] words = {"client", "--url", "loopback://freeze?freeze-at=1s&freeze-for=1s", "--rate", "500", "--duration", "3"};
        Finished finished = PROGRAM.run(words).exitsWellAtAnyRate();
        // A stall until the end of the load leaves only the messages from before the freeze.
        for (int again = 0; again < 2 && finished.missedItsRate(); again++) {
            finished = PROGRAM.run(words).exitsWellAtAnyRate();
        }
        var response = finished.micros("aggregated response time", "90.00%");
        assertThat(response).isGreaterThan(200_000);
        assertThat(finished.micros("aggregated transfer time", "90.00%")).isLessThan(response / 2);
    }

    @Test
    void flaw02MessagesOfAnEarlierRunAreCountedOnceAndAcknowledged() throws Exception {
        run("producer", "--message-count", "7", "OLD").exits(0);
        Finished finished = run("client", "--message-count", "20", "OLD").exits(0);
        assertThat(finished.total("old")).isEqualTo(7);
        assertThat(finished.total("total received")).isEqualTo(27);
        assertThat(run("consumer", "--duration", "1", "OLD").exits(0).total("total received")).isZero();
    }

    @Test
    void flaw03MessagesOfAnotherProducerAreCountedAsForeignAndAcknowledged() throws Exception {
        run("producer", "--bare", "--message-size", "3", "--message-count", "7", "OTHERS").exits(0);
        Finished finished = run("client", "--message-count", "20", "OTHERS").exits(0);
        assertThat(finished.total("foreign")).isEqualTo(7);
        assertThat(run("consumer", "--duration", "1", "OTHERS").exits(0).total("total received")).isZero();
    }

    @Test
    void flaw04ATransactedConsumerCommits() throws Exception {
        run("producer", "--message-count", "25", "TX").exits(0);
        Finished finished = run("consumer", "--tx", "--commit-interval", "10", "--message-count",
            "25", "TX").exits(0);
        assertThat(finished.total("total received")).isEqualTo(25);
        assertThat(run("consumer", "--duration", "1", "TX").exits(0).total("total received")).isZero();
    }

    @Test
    void flaw05DurableSubscriptionsWorkSharedToo() throws Exception {
        Finished shared = run("client", "--durable", "--clientID", "s", "--shared", "2", "--consumers", "2", "--message-count",
            "50", "topic://SHARED").exits(0);
        assertThat(shared.total("total received")).isEqualTo(100);
        Finished unshared = run("client", "--durable", "--clientID", "u", "--consumers", "2", "--message-count", "50",
            "topic://UNSHARED").exits(0);
        assertThat(unshared.total("total received")).isEqualTo(100);
        Finished unnamed = run("client", "--durable", "--shared", "2", "--message-count", "10", "topic://UNNAMED").exits(0);
        assertThat(unnamed.total("total received")).isEqualTo(20);
    }

    @Test
    void flaw05DurableSubscriptionsAreRemovedUnlessTheyAreToBeKept() throws Exception {
        for (boolean keep : new boolean[] {false, true}) {
            String topic = "topic://KEEP_" + keep;
            String[] first = {"--durable", "--clientID", "k", "--message-count", "10", topic};
            String[] kept = {"--durable", "--clientID", "k", "--keep-subscriptions", "--message-count", "10", topic};
            run("client", keep ? kept : first).exits(0);
            run("producer", "--message-count", "5", topic).exits(0);
            if (keep) {
                // Ends by the number of messages: a duration would begin before the consumer is connected.
                run("consumer", "--durable", "--clientID", "k", "--keep-subscriptions", "--message-count", "5", topic).exits(0);
            }
            Finished after = run("consumer", "--durable", "--clientID", "k", "--duration", "2", topic).exits(0);
            assertThat(after.total("total received")).as("kept: %s; beyond those that came since", keep).isZero();
        }
    }

    @Test
    void flaw06TheDrainIsBoundedAndWhatIsMissingIsLost() throws Exception {
        Finished finished = PROGRAM.run("client", "--url", "loopback://lossy?lose-every=10", "--message-count", "100",
            "--drain-timeout", "1").exits(1);
        assertThat(finished.total("lost")).isEqualTo(10);
        assertThat(finished.out()).containsPattern("(?m)^--- result: +fail( \\(.*\\))?$").contains("--drain-timeout");
    }

    @Test
    void flaw07TheTailOfATransactionIsCommitted() throws Exception {
        Finished finished = run("client", "--commit-interval", "10", "--tx", "--message-count", "25",
            "TAIL").exits(0);
        assertThat(finished.total("total completed")).isEqualTo(25);
        assertThat(finished.total("total received")).isEqualTo(25);
    }

    @Test
    void flaw08ADeadConnectionIsSeenAndItsCauseToldAndTheStatusIsOne() throws Exception {
        Finished finished = PROGRAM.run("client", "--url", "loopback://mortal?die-at=1500ms", "--rate", "100", "--duration", "60",
            "--drain-timeout", "1").exits(1);
        assertThat(finished.out()).containsPattern("(?m)^--- result: +fail( \\(.*\\))?$");
        assertThat(finished.out() + finished.err()).containsIgnoringCase("connection lost");
    }

    @Test
    void flaw09ABadReportPathIsFoundBeforeAnythingElse() throws Exception {
        PROGRAM.run("client", "--broker", "artemis", "--json", "/no/such/dir/r.json").exits(2).saysOnly("/no/such/dir");
    }

    /** Standard input is an open pipe without a writer, so a prompt would block forever. */
    @Test
    void flaw09AFailedConnectionDoesNotAskOnStandardInput() throws Exception {
        assertThat(tool().run("client", "--url", "tcp://localhost:1", "--user", "u").exits(1).err()).contains("localhost");
    }

    @Test
    void flaw10TotalsAreExact() throws Exception {
        assertThat(PROGRAM.run("client", "--url", "loopback://x", "--message-count", "10", "--producers", "3").exits(0)
            .total("total sent")).isEqualTo(10);
        // More producers than messages: each of them has its turn.
        assertThat(PROGRAM.run("client", "--url", "loopback://x", "--message-count", "6", "--producers", "10").exits(0)
            .total("total sent")).isEqualTo(6);
    }

    @Test
    void flaw11ProducersTakeTurnsInsteadOfFiringInPhase() {
        int producers = 60;
        FireTimes times = FireTimes.constant(Rate.perSecond(600));
        Set<Long> moments = new HashSet<>();
        for (long event = 0; event < 10L * producers; event++) {
            moments.add(times.at(event));
        }
        assertThat(moments).as("each producer's stripe has moments of its own").hasSize(10 * producers);
    }

    @Test
    void flaw12WarmUpStaysOutOfTheAggregatesAndTheLastPartialIntervalIsInTheFiles() throws Exception {
        Path json = directory.resolve("r.jsonl");
        Path hdr = directory.resolve("r.hlog");
        Finished finished = PROGRAM.run("client", "--url", "loopback://x", "--rate", "100", "--warmup", "1", "--message-count", "250",
            "--json", json.toString(), "--hdr", hdr.toString()).exitsWellAtAnyRate();
        assertThat(finished.total("total sent")).isEqualTo(250);
        Map<String, Long> counts = new TreeMap<>();
        try (HistogramLogReader reader = new HistogramLogReader(hdr.toFile())) {
            for (var h = reader.nextIntervalHistogram(); h != null; h = reader.nextIntervalHistogram()) {
                counts.merge(h.getTag(), ((Histogram) h).getTotalCount(), Long::sum);
            }
        }
        assertThat(counts).containsEntry("warmup-transfer", 100L).containsEntry("transfer", 150L);
        String summary = Files.readAllLines(json).getLast();
        assertThat(number(summary, "\"totalTransferTime\":\\s*\\{[^}]*\"count\":\\s*(\\d+)")).isEqualTo(150);
    }

    private static long number(String line, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(line);
        assertThat(matcher.find()).as(line).isTrue();
        return Long.parseLong(matcher.group(1));
    }

    @Test
    void flaw13ConfirmationsComeFromTheBrokerByDefaultAndAnExplicitWindowIsLeftAlone() throws Exception {
        Finished chosen = run("client", "--message-count", "5", "WINDOW").exits(0);
        assertThat(chosen.out()).containsPattern("Connection brokerURL = \\S*confirmationWindowSize=");
        assertThat(chosen.err()).contains("confirmationWindowSize");
        Finished explicit = PROGRAM.run("client", "--url", BROKER.url() + "?confirmationWindowSize=20000", "--message-count", "5",
            "WINDOW").exits(0);
        assertThat(explicit.out()).contains("confirmationWindowSize=20000");
        assertThat(explicit.err()).doesNotContain("confirmationWindowSize");
    }

    @Test
    void flaw14SilenceOfTheBrokerIsTold() throws Exception {
        try (Running running = tool().start("client", "--url", "loopback://frozen?freeze-at=500ms&freeze-for=3600s", "--rate", "100",
            "--drain-timeout", "1")) {
            // After 5 s, or later if the check itself is delayed.
            running.awaitErr("no progress for ").signal("INT");
            assertThat(running.await().status()).isIn(1, 130);
        }
    }
}
