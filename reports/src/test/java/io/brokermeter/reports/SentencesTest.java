package io.brokermeter.reports;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

import io.brokermeter.engine.finding.Behind;
import io.brokermeter.engine.finding.Culprits.Blame;
import io.brokermeter.engine.finding.Culprits.Reason;
import io.brokermeter.engine.finding.Drops;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.finding.Finding.Step;
import io.brokermeter.spi.parameter.Setting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Exact wording of findings. */
class SentencesTest {

    private static final Sentences BY_OPTION = new Sentences(setting -> "--" + setting.name().toLowerCase(Locale.ROOT).replace('_', '-'));
    private static final Finding.CpuUse USE = new Finding.CpuUse(97, 20, 70, 7);
    private static final Finding.CpuUse UNKNOWN_BROKER = new Finding.CpuUse(60, 20, Double.NaN, 40);

    static Stream<Arguments> sentences() {
        return Stream.of(
            Arguments.of(new Finding.Broken(Step.CONNECT, "tcp://h:1", "Connection refused"),
                "Cannot connect to tcp://h:1: connection refused"),
            Arguments.of(new Finding.Broken(Step.CONNECT, "tcp://h:1", "TLS failed"), "Cannot connect to tcp://h:1: TLS failed"),
            Arguments.of(new Finding.Broken(Step.CONSUMER, "queue://Q", "Closed"), "A consumer of queue://Q failed: Closed"),
            Arguments.of(new Finding.Broken(Step.REMOVE_DESTINATION, "queue://Q", "busy"), "queue://Q was not removed: busy"),
            Arguments.of(new Finding.Broken(Step.FINISH_REPORT, "", "disk full"), "A report could not be finished: disk full"),
            Arguments.of(new Finding.Stuck(60, 1_200, "tcp://h:1", "blocked by the broker"),
                "No progress for 60 s: 1,200 sends are unconfirmed on tcp://h:1, blocked by the broker"),
            Arguments.of(new Finding.Stuck(60, 0, "tcp://h:1", ""), "No progress for 60 s: a send does not return on tcp://h:1"),
            Arguments.of(new Finding.SendNotReturned(5, ""), "A send did not return within 5 s"),
            Arguments.of(new Finding.NotClosed(15), "The connections did not close within 15 s"),
            Arguments.of(new Finding.AgentLost("b", "was ended by its user"),
                "Agent b was ended by its user; the fate of what it had sent and not yet reported is unknown"),
            Arguments.of(new Finding.ScorecardLeftOut(1, 0),
                "There is no scorecard: what the lost agent did around the fault is not known"),
            Arguments.of(new Finding.ScorecardLeftOut(0, Double.POSITIVE_INFINITY),
                "There is no scorecard: how far clocks of agents are apart is not known, and its figures are milliseconds"),
            Arguments.of(new Finding.ScorecardLeftOut(0, 2_000),
                "There is no scorecard: clocks of agents may be 2.00 ms apart, and its figures are milliseconds"),
            Arguments.of(new Finding.OneWayBound(19.5),
                "Times from one agent to another are right to within 20 us, which is what is known of their clocks"),
            Arguments.of(new Finding.OneWayLeftOut(50, 111), "Times from one agent to another are left out: their clocks are known to "
                + "within 50 us, which is more than a tenth of the median of 111 us"),
            Arguments.of(new Finding.OneWayLeftOut(Double.POSITIVE_INFINITY, 111),
                "Times from one agent to another are left out: how far their clocks are apart is not known"),
            Arguments.of(new Finding.NotSteady(Behind.BROKER, 1_000, 50),
                "The broker confirmed about 950 of 1,000 messages a second: what waited grew by 50 a second to the end, so times are "
                    + "longer the longer the run is; lower --rate, or limit what waits by --max-pending"),
            Arguments.of(new Finding.Permitted(new Finding.NotSteady(Behind.BUSY_CONSUMERS, 1_000, 400), null),
                "The consumers were too slow and took about 600 of 1,000 messages a second: what waited grew by 400 a second to the "
                    + "end, so times are longer the longer the run is; shorten the time that they take, raise --consumers, or lower --rate"),
            Arguments.of(new Finding.NotSteady(Behind.DELIVERIES, 10, 4),
                "Deliveries fell behind, with about 6.0 of 10 messages a second: what waited grew by 4.0 a second to the end, so times "
                    + "are longer the longer the run is; the broker or the consumers are too slow: raise --consumers, or lower --rate"),
            Arguments.of(new Finding.Lost(388, true, Duration.ofSeconds(10), new Drops(1_000, 0, "")),
                "388 messages were lost: confirmed, not delivered within --drain-timeout 10 s, and no longer in the broker; messages expire "
                    + "after --message-ttl 1 s"),
            Arguments.of(new Finding.Undelivered(3, true, Duration.ofSeconds(10), false, new Drops(0, 60, "max-length=10")),
                "3 messages were confirmed and not delivered within --drain-timeout 10 s; whether the broker still has them is not known; "
                    + "queues may drop messages because of max-length=10; consumers gave back 60 "
                    + "(--requeue), and a broker drops a message that it has delivered too often (RabbitMQ: delivery-limit of a quorum "
                    + "queue, Artemis: max-delivery-attempts, Kafka: group.share.delivery.count.limit)"),
            Arguments.of(new Finding.BatchRedelivered(1_478, 400, 40),
                "1,478 messages were delivered again: a consumer acknowledges 400 messages at once (--consumer-batch), which took about "
                    + "40 s to come, and a broker that waits less for an acknowledgement (NATS: ack-wait, RabbitMQ: consumer_timeout) takes "
                    + "them for not received; lower it"),
            Arguments.of(new Finding.NobodySends("queue://ORDER", 0, "queue://ORDERS"),
                "Nothing came from queue://ORDER, and no producer of this run sends there; it sends to queue://ORDERS, from which none "
                    + "of its consumers receives: write the same name for both sides, or permit it by --allow-loss"),
            Arguments.of(new Finding.NobodySends("queue://A", 2, ""),
                "Nothing came from queue://A and 2 other destinations, and no producer of this run sends there: write the same name for "
                    + "both sides, or permit it by --allow-loss"),
            Arguments.of(new Finding.NobodyReceives(300, "queue://A", 0),
                "300 messages were sent to queue://A, from which no consumer of this run receives: what became of them is not known"),
            Arguments.of(new Finding.ThresholdUnwatched("transfer.p99 < 1 ms"), "The threshold transfer.p99 < 1 ms could not end the run: "
                + "while it went on, the clocks of its agents were never known well enough for times from one to another"),
            Arguments.of(new Finding.Unconfirmed(18, 9),
                "18 sends were never confirmed: the broker may or may not have them; 9 of them were delivered all the same"),
            Arguments.of(new Finding.Unconfirmed(18, 0, Map.of("The connection was lost", 17L)),
                "18 sends were never confirmed: the broker may or may not have them; cause: The connection was lost (17 times)"),
            Arguments.of(new Finding.TooFewTaken("", 400, 500, Duration.ofMillis(300)),
                "The consumers got 400 of the 500 messages that they were to take within --duration 0.3 s"),
            Arguments.of(new Finding.TooFewTaken("slow", 1, 2, null), "Consumers 'slow' got 1 of the 2 messages that they were to take"),
            Arguments.of(new Finding.Lost(50, true, Duration.ofMillis(700)),
                "50 messages were lost: confirmed, not delivered within --drain-timeout 0.7 s, and no longer in the broker"),
            Arguments.of(new Finding.Left(7, Duration.ofMillis(300)),
                "7 messages were left in the broker: consumers did not get them within "
                    + "--drain-timeout 0.3 s; raise it, or send less"),
            Arguments.of(new Finding.Undelivered(30, true, Duration.ofMillis(300), false),
                "30 messages were confirmed and not delivered within "
                    + "--drain-timeout 0.3 s; whether the broker still has them is not known"),
            Arguments.of(new Finding.RateMissed(0.135, 135.02, 1000),
                "The asked rate was missed by more than half: the run reached 13.5 % of the asked rate: 135.02 of 1000.00 msg/sec"),
            Arguments.of(new Finding.RateMissed(0.45, 395, 1000),
                "The asked rate was missed by more than half: the run reached 39.5 % of the asked rate: 395.00 of 1000.00 msg/sec"),
            Arguments.of(new Finding.RateMissed(0.32, 1030, 1300),
                "The asked rate was missed by more than half: the run reached 32.0 % of what was due, in time"),
            Arguments.of(new Finding.RateMissed(0.45, Double.NaN, 1000),
                "The asked rate was missed by more than half: the run reached 45.0 % of what was due, in time"),
            Arguments.of(new Finding.Permitted(new Finding.Lost(1, false, Duration.ofSeconds(1)), Setting.ALLOW_LOSS),
                "1 message was lost: sent, not delivered "
                    + "within --drain-timeout 1 s, and no longer in the broker, which --allow-loss permits"),
            Arguments.of(new Finding.PhaseBegins("burst"), "Phase burst begins"),
            Arguments.of(new Finding.DepthUnknown("queue://Q", "not allowed"),
                "How many messages wait in queue://Q is not known: not allowed"),
            Arguments.of(new Finding.SendsStalled(5, 10, "tcp://h:1", "", false),
                "no progress for 5 s: 10 sends are unconfirmed on tcp://h:1"),
            Arguments.of(new Finding.SendsStalled(5, 0, "tcp://h:1", "", true),
                "no progress for 5 s: the producers are reconnecting to tcp://h:1"),
            Arguments.of(new Finding.SendsStalled(5, 10, "tcp://h:1", "", true),
                "no progress for 5 s: 10 sends are unconfirmed, and the producers are reconnecting to tcp://h:1"),
            Arguments.of(new Finding.SendsStalled(5, 0, "tcp://h:1", "", false),
                "no progress for 5 s: a send that is due is not done on tcp://h:1"),
            Arguments.of(new Finding.DeliveriesStalled(5, -1, "tcp://h:1"), "no message has arrived for 5 s on tcp://h:1"),
            Arguments.of(new Finding.DeliveriesStalled(5, 3, "tcp://h:1"),
                "no progress for 5 s: 3 messages that were confirmed are not delivered on tcp://h:1"),
            Arguments.of(new Finding.EndedUndelivered(2, true),
                "Ended before draining was over: 2 messages that were confirmed had not been delivered yet"),
            Arguments.of(new Finding.NotSentInTime(0.135, 135, 1000, new Reason(Blame.SLOW_BROKER, 0.9, null)),
                "only 13.5 % of the scheduled messages were sent in time (the rate was 135.00 of 1000.00 msg/sec), because the broker confirmed too "
                    + "slowly for --max-pending: raise it, or lower --rate"),
            Arguments.of(new Finding.NotSentInTime(0.135, Double.NaN, 1000, new Reason(Blame.SLOW_BROKER, 0.9, null)),
                "only 13.5 % of the scheduled messages were sent in time, because the broker confirmed too slowly for --max-pending: raise "
                    + "it, or lower --rate"),
            Arguments.of(new Finding.NotSentInTime(0.2, 200, 1000, new Reason(Blame.ROUND_TRIP, 0.9, null, 100)),
                "only 20.0 % of the scheduled messages were sent in time (the rate was 200.00 of 1000.00 msg/sec), because the windows "
                    + "(--max-pending) were full: what they hold is confirmed once in a round trip, to which the network adds 100 ms; raise it, or lower "
                    + "--rate"),
            Arguments.of(new Finding.NotSentInTime(0.2, 200, 1000, new Reason(Blame.CALLS_WAITED, 0.97, null)),
                "only 20.0 % of the scheduled messages were sent in time (the rate was 200.00 of 1000.00 msg/sec), because the sending threads waited "
                    + "for 97 % of the time within calls of the client, as a send does that has no credit, or that returns when the broker has "
                    + "confirmed: raise --producers and --threads or the client's window, or lower --rate"),
            Arguments.of(new Finding.NotSentInTime(0.75, 75, 100, new Reason(Blame.CONNECTIONS_LOST, 0.003, null)),
                "only 75.0 % of the scheduled messages were sent in time (the rate was 75.00 of 100.00 msg/sec), because for much of the time in "
                    + "which messages were due lost connections were being reconnected (--reconnect): see the reconnects"),
            Arguments.of(new Finding.NotSentInTime(0.2, 200, 1000, new Reason(Blame.CALLS_WAITED, 0.003, null)),
                "only 20.0 % of the scheduled messages were sent in time (the rate was 200.00 of 1000.00 msg/sec), because the sending threads waited "
                    + "for much of the time in which messages were due within calls of the client, as a send does that has no credit, or that "
                    + "returns when the broker has confirmed: raise --producers and --threads or the client's window, or lower --rate"),
            Arguments.of(new Finding.NotSentInTime(0.75, 75, 100, new Reason(Blame.CONNECTIONS_LOST, 0.25, null)),
                "only 75.0 % of the scheduled messages were sent in time (the rate was 75.00 of 100.00 msg/sec), because for 25 % of the time lost "
                    + "connections were being reconnected (--reconnect): see the reconnects"),
            Arguments.of(new Finding.NotSentInTime(0.5, 1, 2, new Reason(Blame.STARVED, 0.6, UNKNOWN_BROKER)),
                "only 50.0 % of the scheduled messages were sent in time (the rate was 1.00 of 2.00 msg/sec), because threads of the generator that "
                    + "were ready to run waited for a processor, one of them for 60 % of the time (the machine's processors were 60 % "
                    + "busy: the generator 20 %, everything else 40 %): free cores, lower --rate, or run the broker elsewhere if it is on this "
                    + "machine"),
            Arguments.of(new Finding.MachineBusy(UNKNOWN_BROKER),
                "all cores of this machine were busy (the machine's processors were 60 % busy: the generator 20 %, everything else 40 %), so the "
                    + "generator waited for others: free cores, or run the broker elsewhere if it is on this machine"),
            Arguments.of(new Finding.HeldUp(16, 0.02, 99, 6, 8.9, null),
                "the generator's own threads stalled for up to 16.0 ms, which alone makes p99 6.00 ms of its 8.90 ms: it and what is above it "
                    + "may be the generator's, not the broker's"),
            Arguments.of(new Finding.HeldUp(700, 0.4, Double.NaN, Double.NaN, Double.NaN, null),
                "the generator stood still for 40 % of the time, up to 700 ms at once, and sent nothing in it"),
            Arguments.of(new Finding.NotSentInTime(0.5, 1, 2, new Reason(Blame.STOPPED, 0.6, null)),
                "only 50.0 % of the scheduled messages were sent in time (the rate was 1.00 of 2.00 msg/sec), because the generator or its whole "
                    + "machine stood still for 60 % of the time: use a machine that does not"),
            Arguments.of(new Finding.NotSentInTime(0.5, 1, 2, new Reason(Blame.NOT_TOLD_APART, 0.6, UNKNOWN_BROKER)),
                "only 50.0 % of the scheduled messages were sent in time (the rate was 1.00 of 2.00 msg/sec), because confirmations were late, "
                    + "and whether the broker or this machine was slow is not to be told apart (the machine's processors were 60 % busy: the "
                    + "generator 20 %, everything else 40 %): free cores, or run the generator elsewhere"),
            Arguments.of(new Finding.ThreadBusy("brokermeter-sen", 0.99, true),
                "the thread brokermeter-sen of the generator used 99 % of a "
                    + "processor and may have been the limit: raise --threads, or spread the load over more machines"),
            Arguments.of(new Finding.CpuLimited(0.4, 60, 100),
                "the CPU limit of the generator's control group stopped it for 40.0 % of the "
                    + "time (in 60 of 100 periods): raise the limit"),
            Arguments.of(new Finding.ColdStart(120, 4, 2, true),
                "there was no warm-up, and the p99 response time is 120.00 ms with the start of the "
                    + "run and 4.00 ms without its first 2 s: use --warmup"),
            Arguments.of(new Finding.ColdStart(12, 1.1, 2, false),
                "there was no warm-up, and the p99 send ack time is 12.00 ms with the start of the "
                    + "run and 1.10 ms without its first 2 s: use --warmup"),
            Arguments.of(new Finding.MostlyDelay(500, true, null),
                "half of the messages were sent more than 500.0 ms after they were due, so the response times are mostly that wait"),
            Arguments.of(new Finding.MostlyDelay(500, false, null),
                "half of the messages were sent more than 500.0 ms after they were due, and the send ack times leave that wait out"));
    }

    @ParameterizedTest
    @MethodSource("sentences")
    void eachFindingHasItsSentence(Finding finding, String sentence) {
        assertThat(BY_OPTION.of(finding)).isEqualTo(sentence);
    }

    /** A sentence about a key of a scenario file must not name an option of the command line. */
    @ParameterizedTest
    @MethodSource("sentences")
    void noOptionIsNamedWhereAFileSetIt(Finding finding, String sentence) {
        assertThat(new Sentences(Setting::key).of(finding)).as(sentence).isNotEmpty().doesNotContain("--");
    }

    @Test
    void keysOfAFileAreNamedAsTheyStandThere() {
        Sentences inFile = new Sentences(Setting::key);
        assertThat(inFile.of(new Finding.NotSentInTime(0.135, 135, 1000, new Reason(Blame.SLOW_BROKER, 0.9, null))))
            .endsWith("confirmed too slowly for key 'producers.maxPending': raise it, or lower key 'load.rate'");
        assertThat(inFile.of(new Finding.NotSentInTime(0.135, 135, 1000, new Reason(Blame.PRODUCERS_RESTED, 0.9, null))))
            .endsWith(
                "because the producers rested (key 'producers.thinkTime', or after sends that failed): shorten it, raise key 'producers.count', or lower key "
                    + "'load.rate'");
        assertThat(inFile.of(new Finding.Left(7, Duration.ofMillis(300)))).contains("within key 'drainTimeout' 0.3 s; raise it");
    }

    @Test
    void sendsThatFailedAreToldByCauseInTheOrderInWhichTheyCame() {
        Map<String, Long> causes = new LinkedHashMap<>();
        causes.put("refused", 1_199L);
        causes.put("busy", 1L);
        assertThat(BY_OPTION.of(new Finding.SendsFailed(1_200, causes)))
            .isEqualTo("1,200 sends failed: refused (1199 times); busy (1 time)");
    }

    static Stream<Arguments> singulars() {
        Duration limit = Duration.ofMillis(300);
        return Stream.of(
            Arguments.of(new Finding.Stuck(60, 1, "tcp://h:1", ""), "No progress for 60 s: 1 send is unconfirmed on tcp://h:1"),
            Arguments.of(new Finding.NotRestored("producer 1", 1, "refused"),
                "the connection of producer 1 was lost and not back at the end, after 1 attempt: refused"),
            Arguments.of(new Finding.SendsFailed(1, Map.of("busy", 1L)), "1 send failed: busy (1 time)"),
            Arguments.of(new Finding.Unconfirmed(1, 1),
                "1 send was never confirmed: the broker may or may not have it; it was delivered all the same"),
            Arguments.of(new Finding.Unconfirmed(2, 1),
                "2 sends were never confirmed: the broker may or may not have them; 1 of them was delivered all the same"),
            Arguments.of(new Finding.Unanswered(1), "1 request got no reply in time"),
            Arguments.of(new Finding.RolledBackDelivered(1), "1 message was delivered although it had been rolled back"),
            Arguments.of(new Finding.StrayConfirmations(1), "1 confirmation came for a message that was not in flight"),
            Arguments.of(new Finding.FailedDelivered(1), "1 message was delivered although its sending had failed"),
            Arguments.of(new Finding.Unselected(1), "1 message was delivered although it does not meet the selector"),
            Arguments.of(new Finding.Corrupt(1), "1 message arrived with a changed body"),
            Arguments.of(new Finding.Left(1, limit),
                "1 message was left in the broker: consumers did not get it within --drain-timeout 0.3 s; raise it, or send less"),
            Arguments.of(new Finding.Undelivered(1, false, limit, true),
                "1 message was sent and not delivered within --drain-timeout 0.3 s; whether the broker still has it is not known, and "
                    + "deliveries were still arriving: raise it to distinguish late from lost"),
            Arguments.of(new Finding.OtherClock(1),
                "1 message carries another clock, that of another machine or from before the wall clock was set: its transfer and "
                    + "response times include the difference of the clocks"),
            Arguments.of(new Finding.SendTimeUnknown(1),
                "1 message was sent more than 429 s late, so it has a response time and no transfer time"),
            Arguments.of(new Finding.TransfersBelowZero(1),
                "1 transfer time came out below zero and is left out: the sender's clock is ahead of the receiver's"),
            Arguments.of(new Finding.BeforeSubscription(1),
                "1 message was sent before the subscription to its destination began, and was not due"),
            Arguments.of(new Finding.FromOtherDestinations(1, "topic://orders.us", "topic://orders.*"),
                "1 message came from another destination of this run (topic://orders.us to topic://orders.*), by a wildcard, a binding or a "
                    + "divert: it was not expected, so a loss among such messages is not seen"),
            Arguments.of(new Finding.Gaps(1),
                "1 message is missing between the first and the last of its producer: lost, or taken by another consumer"),
            Arguments.of(new Finding.EndedUnconfirmed(1), "Ended before draining was over: 1 send was not confirmed yet"),
            Arguments.of(new Finding.EndedUndelivered(1, true),
                "Ended before draining was over: 1 message that was confirmed had not been delivered yet"),
            Arguments.of(new Finding.DeliveriesStalled(5, 1, "tcp://h:1"),
                "no progress for 5 s: 1 message that was confirmed is not delivered on tcp://h:1"));
    }

    static Stream<Arguments> plurals() {
        return Stream.of(
            Arguments.of(new Finding.Unanswered(1_200), "1,200 requests got no reply in time"),
            Arguments.of(new Finding.RolledBackDelivered(2), "2 messages were delivered although they had been rolled back"),
            Arguments.of(new Finding.StrayConfirmations(2), "2 confirmations came for messages that were not in flight"),
            Arguments.of(new Finding.FailedDelivered(2), "2 messages were delivered although their sending had failed"),
            Arguments.of(new Finding.Unselected(2), "2 messages were delivered although they do not meet the selector"),
            Arguments.of(new Finding.Corrupt(2), "2 messages arrived with a changed body"),
            Arguments.of(new Finding.OtherClock(2),
                "2 messages carry another clock, that of another machine or from before the wall clock was set: their transfer and "
                    + "response times include the difference of the clocks"),
            Arguments.of(new Finding.SendTimeUnknown(2),
                "2 messages were sent more than 429 s late, so they have a response time and no transfer time"),
            Arguments.of(new Finding.TransfersBelowZero(2),
                "2 transfer times came out below zero and are left out: the sender's clock is ahead of the receiver's"),
            Arguments.of(new Finding.BeforeSubscription(2),
                "2 messages were sent before the subscription to their destination began, and were not due"),
            Arguments.of(new Finding.FromOtherDestinations(1_200, "topic://orders.us", "topic://orders.*"),
                "1,200 messages came from other destinations of this run (topic://orders.us to topic://orders.*, for example), by a "
                    + "wildcard, a binding or a divert: they were not expected, so a loss among such messages is not seen"),
            Arguments.of(new Finding.Gaps(2),
                "2 messages are missing between the first and the last of their producers: lost, or taken by another consumer"),
            Arguments.of(new Finding.EndedUnconfirmed(2), "Ended before draining was over: 2 sends were not confirmed yet"));
    }

    @ParameterizedTest
    @MethodSource({"singulars", "plurals"})
    void oneThingIsInTheSingularAndOthersInThePlural(Finding finding, String sentence) {
        assertThat(BY_OPTION.of(finding)).isEqualTo(sentence);
    }

    @Test
    void whoUsedTheProcessorsStandsInTheFirstSentenceThatHasIt() {
        String use = " (the machine's processors were 97 % busy: the generator 20 %, the broker 70 %, others 7 %)";
        assertThat(BY_OPTION.of(List.of(new Finding.CpuStolen(2),
            new Finding.HeldUp(12, 0, 99, 3, 4, new Finding.Reason(Finding.Blame.STARVED, Double.NaN, USE)),
            new Finding.MachineBusy(USE)))).containsExactly(
                "a hypervisor took 2.0 % of the CPU time away: use a dedicated machine",
                "the generator's own threads stalled for up to 12.0 ms, which alone makes p99 3.00 ms of its 4.00 ms: it and what is above it may "
                    + "be the generator's, not the broker's, since there was too little CPU time" + use
                    + ": free cores, lower --rate, or run the broker elsewhere",
                "all cores of this machine were busy, so generator and broker waited for each other or for others: free cores, or run "
                    + "the broker elsewhere");
    }

    @Test
    void doubtsAboutAgentsHaveTheirNamesAndTellOfTheMachineOfEach() {
        Finding.Doubt busy = new Finding.MachineBusy(USE);
        Finding.Doubt starved = new Finding.Starved(0.6, USE);
        assertThat(BY_OPTION.of(List.of(new Finding.DoubtOfAgent("a", busy), new Finding.DoubtOfAgent("a", starved),
            new Finding.DoubtOfAgent("b", starved)))).satisfiesExactly(
                first -> assertThat(first).startsWith("a: all cores of this machine were busy (the machine's processors"),
                second -> assertThat(second).startsWith("a: a thread").doesNotContain("processors were"),
                third -> assertThat(third).startsWith("b: a thread").contains("processors were"));
    }
}
