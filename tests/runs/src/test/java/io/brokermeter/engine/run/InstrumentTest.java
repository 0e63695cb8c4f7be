package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;

import io.brokermeter.engine.envelope.Bodies;
import io.brokermeter.engine.envelope.Envelope;
import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.health.GeneratorVerdict;
import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.LedgerReport;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Phase;
import io.brokermeter.engine.scenario.Start;
import io.brokermeter.engine.scenario.TimeLaw;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import org.junit.jupiter.api.Test;

/** Tests of the instrument with a loopback broker whose behaviour is known: the measurement must show exactly that behaviour. */
class InstrumentTest {

    @Test
    void aQuietBrokerGetsEveryMessageOnce() throws Exception {
        RunResult r = LoopbackRun.of().count(200_000).execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.sent()).isEqualTo(200_000);
        assertThat(r.completed()).isEqualTo(200_000);
        assertThat(r.received()).isEqualTo(200_000);
        assertThat(r.ledger())
            .isEqualTo(new LedgerReport(Counts.NONE.with(Count.EXPECTED, 200_000).with(Count.LEDGER_RECEIVED, 200_000), null));
        assertThat(r.exitCode()).isZero();
        for (Metric m : new Metric[] {Metric.SEND, Metric.TRANSFER, Metric.RESPONSE}) {
            assertThat(of(r, m).count()).as("%s", m).isEqualTo(200_000);
        }
    }

    @Test
    void injectedLossDuplicatesAndDamageCloseExactly() throws Exception {
        LoopbackRun run = LoopbackRun.of().count(10_000).drain(300)
            .knobs("lose-every=1000&duplicate-every=300&redelivered=true&corrupt-every=2500");
        RunResult r = run.execute();
        LedgerReport report = ledger(r);

        assertThat(r.completed()).isEqualTo(10_000);
        // One knob affects 10 messages, the other one 33, and both affect 3, whose second delivery is their only one.
        assertThat(report.lost()).isEqualTo(7);
        assertThat(report.duplicates()).isEqualTo(report.redeliveredDuplicates()).isEqualTo(30);
        assertThat(report.lost() + report.received() - report.duplicates()).isEqualTo(report.expected());
        assertThat(report.corrupt()).isPositive();
        assertThat(r.exitCode()).isEqualTo(1);
        assertThat(r.failures()).contains(new Finding.Corrupt(report.corrupt()));
    }

    @Test
    void aBodyThatWasCutShortIsFound() throws Exception {
        RunResult r = LoopbackRun.of().count(6_000).knobs("truncate-every=1500").execute();

        assertThat(ledger(r).corrupt()).isEqualTo(4);
        assertThat(ledger(r).lost()).isZero();
        assertThat(r.exitCode()).isEqualTo(1);
        assertThat(r.failures()).containsExactly(new Finding.Corrupt(4));
    }

    @Test
    void lostMessagesAreCountedAndNamed() throws Exception {
        RunResult r = LoopbackRun.of().count(5_000).drain(700).knobs("lose-every=100").execute();

        assertThat(ledger(r).lost()).isEqualTo(50);
        assertThat(ledger(r).closes()).isTrue();
        assertThat(r.failures()).containsExactly(new Finding.Lost(50, true, Duration.ofMillis(700)));
    }

    @Test
    void reorderingIsCountedWithItsDepth() throws Exception {
        RunResult r = LoopbackRun.of().count(10_000).knobs("reorder-every=100&reorder-depth=7").execute();

        assertThat(ledger(r).outOfOrder()).isBetween(99L, 100L);
        assertThat(ledger(r).reorderDepth()).isEqualTo(7);
        assertThat(ledger(r).lost()).isZero();
        assertThat(ledger(r).duplicates()).isZero();
        assertThat(r.success()).isTrue();
    }

    @Test
    void refusedSendsAreCountedByCauseAndDoNotEndTheRun() throws Exception {
        RunResult r = LoopbackRun.of().count(1_000).knobs("refuse-every=100").execute();

        assertThat(r.sent()).isEqualTo(1_000);
        assertThat(r.failed()).isEqualTo(10);
        assertThat(r.completed()).isEqualTo(990);
        assertThat(ledger(r).lost()).isZero();
        assertThat(r.failures()).containsExactly(new Finding.SendsFailed(10, Map.of("refused by the loopback broker", 10L)));
    }

    @Test
    void refusedSendsDoNotFailARunThatIsMeantToBeTooMuch() throws Exception {
        RunResult r = LoopbackRun.of().count(1_000).allowOverload().knobs("refuse-every=100").execute();

        assertThat(r.failed()).isEqualTo(10);
        assertThat(r.success()).isTrue();
        assertThat(LoopbackRun.of().count(1_000).maxPending(100).drain(300).allowOverload().knobs("silent-every=100").execute().success())
            .as("sends of unknown fate are no refusals").isFalse();
    }

    @Test
    void unconfirmedSendsEndAtTheDrainTimeoutAndAreSaid() throws Exception {
        RunResult r = LoopbackRun.of().count(1_000).maxPending(100).drain(300).knobs("silent-every=100").execute();

        assertThat(r.sent()).isEqualTo(r.completed() + r.failed() + r.unconfirmed());
        assertThat(r.unconfirmed()).isEqualTo(10);
        // They were delivered nevertheless, so nothing is lost.
        assertThat(ledger(r).lost()).isZero();
        assertThat(ledger(r).lostUnconfirmed()).isZero();
        assertThat(ledger(r).unconfirmedDelivered()).isEqualTo(10);
        assertThat(r.failures()).contains(new Finding.Unconfirmed(10, 10));
    }

    @Test
    void hundredPerSecondOverSixtyProducersIsHundredPerSecond() throws Exception {
        RunResult r = LoopbackRun.of().producers(60).threads(2).rate("100").duration(2_000).execute();

        assertThat(r.health().schedule().due()).isEqualTo(200);
        assertThat(r.sent()).isEqualTo(200);
    }

    @Test
    void aRateBelowTheNumberOfProducersWorks() throws Exception {
        RunResult r = LoopbackRun.of().producers(7).rate("5").duration(1_000).execute();

        assertThat(r.sent()).isEqualTo(5);
    }

    @Test
    void tenMessagesOverThreeProducersAreTen() throws Exception {
        for (int threads = 1; threads <= 3; threads++) {
            assertThat(LoopbackRun.of().producers(3).threads(threads).count(10).execute().sent()).isEqualTo(10);
            assertThat(LoopbackRun.of().producers(3).threads(threads).count(10).rate("1000").execute().sent()).isEqualTo(10);
        }
    }

    @Test
    void transactionsConfirmTheirTailToo() throws Exception {
        RunResult r = LoopbackRun.of().count(1_005).maxPending(1).transactionsOf(10).execute();

        assertThat(r.completed()).isEqualTo(1_005);
        assertThat(r.received()).isEqualTo(1_005);
        assertThat(r.success()).isTrue();
    }

    @Test
    void everySubscriberOfATopicGetsEveryMessage() throws Exception {
        RunResult r = LoopbackRun.of().on("topic://A", "topic://B").producers(2).consumers(3).count(4_000).execute();

        assertThat(r.sent()).isEqualTo(4_000);
        assertThat(ledger(r).expected()).isEqualTo(12_000);
        assertThat(ledger(r).lost()).isZero();
        assertThat(r.success()).isTrue();
    }

    @Test
    void competingConsumersShareAQueue() throws Exception {
        RunResult r = LoopbackRun.of().consumers(4).producers(3).threads(3).count(30_000).execute();

        assertThat(ledger(r).expected()).isEqualTo(30_000);
        assertThat(ledger(r).lost()).isZero();
        assertThat(ledger(r).duplicates()).isZero();
    }

    /**
     * The freeze oracle: with a constant rate over a window T and one freeze of length D, the share of messages whose
     * response time exceeds x is (D - x) / T. Service times measured from the actual send hide it when the in-flight window
     * stops the generator.
     */
    @Test
    void aFreezeShowsInTheResponseTimeByTheKnownShare() throws Exception {
        double window = 4.0;
        double freeze = 0.8;
        RunResult r = LoopbackRun.of().rate("200").count((long) (window * 200)).maxPending(5)
            .knobs("freeze-at=1s&freeze-for=" + freeze + "s").execute();
        Distribution response = of(r, Metric.RESPONSE);
        Distribution transfer = of(r, Metric.TRANSFER);

        assertThat(r.sent()).isEqualTo(800);
        for (double x : new double[] {0.2, 0.4, 0.6}) {
            double above = 1 - response.histogram().getPercentileAtOrBelowValue((long) (x * 1e9)) / 100;
            // Uncorrected, the share is below 2 percent.
            assertThat(above).as("share above %s s", x).isCloseTo((freeze - x) / window, within(0.01));
        }
        assertThat(transfer.histogram().getCountBetweenValues(100_000_000L, Long.MAX_VALUE / 2)).isLessThanOrEqualTo(16);
        assertThat(response.nanosAt(90)).isGreaterThan(300_000_000L);
    }

    @Test
    void theWarmUpEndsByTheIntendedTimeInTheMessage() throws Exception {
        LoopbackRun run = LoopbackRun.of().rate("1000").warmup(1_000).count(2_000).knobs("delay=50ms");
        RunResult r = run.execute();

        // Messages of the warm-up are delivered up to 50 ms after its end and still do not count.
        assertThat(r.sent()).isEqualTo(2_000);
        assertThat(of(r, Metric.RESPONSE).count()).isEqualTo(1_000);
        assertThat(of(r, Metric.TRANSFER).count()).isEqualTo(1_000);
        assertThat(of(r, Metric.SEND).count()).isEqualTo(1_000);
        assertThat(of(r, Metric.SEND_DELAY).count()).isEqualTo(1_000);
        // Late messages of the warm-up were sent in the measured part.
        assertThat(r.part().sent()).isBetween(1_000L, 2_000L);
        assertThat(run.warmups.getFirst()).isTrue();
        assertThat(run.warmups.getLast()).isFalse();
    }

    @Test
    void aRateIsThatOfTheClockEvenWhenEverythingSentWasDueInTheWarmUp() throws Exception {
        // The broker accepts 200 messages/s where 2,000/s are due: within two seconds it accepts those of the first 200 ms.
        LoopbackRun run = LoopbackRun.of().rate("2000").warmup(1_000).duration(2_000).knobs("service-rate=200").maxPending(1);
        RunResult r = run.execute();

        assertThat(of(r, Metric.SEND).count()).isZero();
        assertThat(r.part().sent()).isPositive().isLessThan(r.sent());
        assertThat(r.meanSent()).isEqualTo(r.part().sent() / r.part().seconds());
        assertThat(r.part().received()).isPositive();
        assertThat(r.health().verdict()).isInstanceOfSatisfying(GeneratorVerdict.Doubtful.class,
            doubt -> assertThat(doubt.doubts()).anyMatch(InstrumentTest::namesWhatHeldTheWindowFull));
    }

    @Test
    void whatComesInTheDrainCountsOverTheTimeOfTheDrain() throws Exception {
        LoopbackRun run = LoopbackRun.of().maxPending(1000).count(400).knobs("delay=1s");
        RunResult r = run.execute();

        assertThat(r.part().received()).isEqualTo(400);
        assertThat(r.part().receivingSeconds()).isGreaterThan(1);
        assertThat(r.meanReceived()).isLessThan(400);
    }

    @Test
    void theLastPartialIntervalIsReported() throws Exception {
        LoopbackRun run = LoopbackRun.of().rate("1000").count(1_300);
        RunResult r = run.execute();

        assertThat(run.intervals.stream().mapToLong(i -> i[0]).sum()).isEqualTo(r.sent()).isEqualTo(1_300);
        assertThat(run.intervals.stream().mapToLong(i -> i[3]).sum()).isEqualTo(1_300);
    }

    @Test
    void aDebtIsPaidOrSaidAndNeverForgiven() throws Exception {
        RunResult paid = LoopbackRun.of().rate("1000").count(1_000).maxPending(2).knobs("freeze-at=200ms&freeze-for=300ms").execute();
        assertThat(paid.sent()).isEqualTo(1_000);
        assertThat(of(paid, Metric.SEND_DELAY).maxNanos()).isGreaterThan(250_000_000L);

        RunResult unpaid = LoopbackRun.of().rate("10000").duration(1_000).maxPending(1).knobs("delay=10ms").execute();
        assertThat(unpaid.sent()).isLessThan(200);
        assertThat(unpaid.blocked()).isPositive();
        assertThat(unpaid.health().achievedRatio()).isCloseTo(unpaid.sent() / 10_000.0, within(0.002));
        assertThat(unpaid.health().verdict()).isInstanceOfSatisfying(GeneratorVerdict.Doubtful.class,
            doubt -> assertThat(doubt.doubts()).anyMatch(InstrumentTest::namesWhatHeldTheWindowFull));
    }

    @Test
    void aDeadBrokerEndsTheRunWithItsCause() throws Exception {
        RunResult r = LoopbackRun.of().rate("1000").duration(30_000).knobs("die-at=300ms").drain(2_000).execute();

        assertThat(r.exitCode()).isEqualTo(1);
        assertThat(r.failures()).contains(new Finding.Broken(Finding.Step.CONNECTION, "", "the loopback broker died"));
        assertThat(r.elapsed()).isLessThan(Duration.ofSeconds(20));
        assertThat(r.sent()).isEqualTo(r.completed() + r.failed() + r.unconfirmed());
    }

    @Test
    void nobodyListeningIsOneSentence() {
        assertThatThrownBy(() -> LoopbackRun.of().at("nobody").count(1).execute())
            .isInstanceOfSatisfying(RunFailure.class, failure -> assertThat(failure.finding())
                .isEqualTo(new Finding.Broken(Finding.Step.CONNECT, "loopback://nobody", "Connection refused")));
    }

    @Test
    void stoppingEndsCleanlyAndKeepsTheExitCodeOfTheSignal() throws Exception {
        RunResult r = LoopbackRun.of().rate("1000").afterInterval(run -> run.stop(2)).execute();

        assertThat(r.exitCode()).isEqualTo(130);
        assertThat(r.sent()).isEqualTo(r.received()).isPositive();
    }

    @Test
    void aSecondStopDoesNotWaitForTheDrain() throws Exception {
        LoopbackRun run = LoopbackRun.of().rate("100").drain(60_000).knobs("delay=30s").afterInterval(r -> {
            r.stop(2);
            r.abort();
        });
        assertThat(run.execute().elapsed()).isLessThan(Duration.ofSeconds(2));
        assertThat(run.clock().elapsed()).isLessThan(5_000_000_000L);
    }

    /** Nobody ran for 20 s in a drain of 5 s, and after 23 s the messages come. */
    @Test
    void aStandstillOfTheGeneratorIsNoPartOfTheDrain() throws Exception {
        LoopbackRun run = LoopbackRun.of().count(10).drain(5_000).knobs("delay=23s");
        run.clock().after(2_000, () -> run.clock().oversleep(Duration.ofSeconds(20), 400));
        RunResult r = run.execute();

        assertThat(r.received()).isEqualTo(10);
        assertThat(r.failures()).isEmpty();
    }

    @Test
    void aStandstillIsSaid() throws Exception {
        LoopbackRun run = LoopbackRun.of().rate("100").duration(7_000).maxPending(10).drain(1_000).knobs("freeze-at=200ms&freeze-for=60s");
        RunResult r = run.execute();

        assertThat(run.events).filteredOn(e -> e.kind() == Event.Kind.STALL).isNotEmpty()
            .allMatch(e -> e.what() instanceof Finding.SendsStalled || e.what() instanceof Finding.DeliveriesStalled);
        assertThat(r.unconfirmed()).isEqualTo(10);
    }

    /** A message is sent every 20 s and comes 3 s later; 21 s after the start one is due, and in the 7 s before none came. */
    @Test
    void whatWasDueOnlyShortlyIsNoStandstillInALongInterval() throws Exception {
        LoopbackRun run = LoopbackRun.of().rate("0.05").duration(100_000).interval(7_000).knobs("linger=3s");
        run.execute();

        assertThat(run.events).extracting(Event::kind).doesNotContain(Event.Kind.STALL);
    }

    @Test
    void aRunThatStandsStillForAMinuteIsEnded() throws Exception {
        RunResult r = LoopbackRun.of().rate("100").duration(600_000).maxPending(10).drain(1_000)
            .knobs("freeze-at=200ms&freeze-for=1000s").execute();

        assertThat(r.failures()).anyMatch(f -> f instanceof Finding.Stuck stuck && stuck.seconds() == 60 && stuck.unconfirmed() == 10
            && stuck.url().startsWith("loopback://"));
        assertThat(r.elapsed()).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(64));
    }

    /** The run ends only by the number of messages that its consumers take, and the broker delivers none of those that are sent. */
    @Test
    void aRunWhoseConsumersGetNoMoreIsEnded() throws Exception {
        LoopbackRun run = LoopbackRun.of().rate("10").consumerCount(10).drain(1_000).knobs("lose-every=1");
        RunResult r = run.afterInterval(its -> {
            if (run.intervals.size() > 200) {
                its.stop(2);
            }
        }).execute();

        assertThat(r.signal()).as("it ended by itself").isZero();
        assertThat(r.failures()).contains(new Finding.TooFewTaken("", 0, 10, null));
        assertThat(r.elapsed()).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(66));
    }

    /**
     * Consumers that start after the producers have time as long as they make progress, which these do not for ten thousand deliveries.
     */
    @Test
    void consumersThatGiveNearlyEverythingBackEndAllTheSame() throws Exception {
        Groups run = new Groups("delay=1ms").producers("p", p -> p.messages = 5).consumers("c", c -> {
            c.start = new Start(Duration.ZERO, true, Duration.ZERO);
            c.requeue = 0.9999;
            c.processing = new TimeLaw.Constant(Duration.ofMillis(5));
        });
        run.drain = Duration.ofMillis(500);
        run.onInterval = _ -> {
            if (run.intervalPhases.size() > 50) {
                run.started().stop(2);
            }
        };
        RunResult r = run.execute();

        assertThat(r.signal()).as("it ended by itself").isZero();
        assertThat(r.requeued()).isPositive();
        assertThat(r.failures()).isNotEmpty();
    }

    @Test
    void theBeginOfEachPhaseIsAnEventAtItsMoment() throws Exception {
        LoopbackRun run = LoopbackRun.of().interval(60_000).warmup(1_000).phase("calm", 1_500, "100").phase("burst", 500, "1000");
        run.execute();

        assertThat(run.events).filteredOn(event -> event.kind() == Event.Kind.PHASE).containsExactly(
            new Event(1_000_000_000, Event.Kind.PHASE, new Finding.PhaseBegins("calm")),
            new Event(2_500_000_000L, Event.Kind.PHASE, new Finding.PhaseBegins("burst")));
    }

    /** The thread that reports is held up from 0.9 s to 2.9 s. */
    @Test
    void aPhaseBeginsThoughNobodyCouldReportItBeforeItsEnd() throws Exception {
        LoopbackRun run = LoopbackRun.of().interval(300).phase("one", 1_000, "100").phase("two", 500, "100");
        run.afterInterval(_ -> {
            if (run.intervals.size() == 3) {
                run.clock().park(2_000_000_000L);
            }
        }).execute();

        assertThat(run.events).filteredOn(event -> event.kind() == Event.Kind.PHASE).containsExactly(
            new Event(0, Event.Kind.PHASE, new Finding.PhaseBegins("one")),
            new Event(1_000_000_000, Event.Kind.PHASE, new Finding.PhaseBegins("two")));
    }

    @Test
    void aPhaseThatARunDidNotReachDoesNotBegin() throws Exception {
        LoopbackRun run = LoopbackRun.of().phase("one", 1_500, "100").phase("two", 1_500, "100").knobs("delay=3s");
        RunResult r = run.afterInterval(its -> {
            if (run.intervals.size() == 1) {
                its.stop(2);
            }
        }).execute();

        assertThat(r.elapsed()).as("in its drain").isGreaterThan(Duration.ofSeconds(3));
        assertThat(run.events).filteredOn(event -> event.kind() == Event.Kind.PHASE).extracting(Event::what)
            .containsExactly(new Finding.PhaseBegins("one"));
    }

    /** 1,000 messages are sent within a second, and each is delivered 1.5 s later. */
    @Test
    void whatAPhaseReceivesInTheDrainTookTheTimeOfTheDrain() throws Exception {
        Groups run = new Groups("linger=1500ms").producers("p", p -> p.load = Load.parse("1000", 1)).consumers("c", c -> {})
            .phase(new Phase("all", Duration.ofSeconds(1), Map.of())).threshold("phase(all).received.rate >= 700/s");
        run.drain = Duration.ofSeconds(20);
        RunResult r = run.execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.phases().getFirst().received()).isEqualTo(1_000);
        assertThat(r.thresholds().getFirst().value()).isBetween(390.0, 410.0);
        assertThat(r.meetsThresholds()).isFalse();
    }

    @Test
    void strangersOldMessagesAndFutureTimesAreCountedAndDisturbNothing() throws Exception {
        LoopbackRun run = LoopbackRun.of().rate("1000").count(500);
        Connection stranger = run.driver().connect(
            new ConnectionSettings(run.url(), null, null, null, Duration.ofSeconds(1)), LoopbackRun.DEAF);
        Producer producer = stranger.producer(Destination.parse("queue://Q"),
            ProducerSettings.of(its -> its.maxPending = 10), SendListener.NONE);
        producer.send(new Payload(new byte[3]), 0);
        producer.send(new Payload(new byte[300]), 1);
        byte[] old = Bodies.create(64);
        for (int i = 0; i < 100; i++) {
            Envelope.prepare(old, Envelope.newRun(i), 0, true);
            Envelope.stamp(old, 5, run.clock().nanos() + 3_600_000_000_000L, 0, 64);
            producer.send(new Payload(old), 2);
        }
        ByteBuffer.wrap(old).putShort((short) 0xB3E1);
        producer.send(new Payload(old), 3);
        RunResult r = run.execute();
        stranger.close();

        assertThat(r.success()).isTrue();
        assertThat(ledger(r).foreign()).isEqualTo(2);
        // One run in 40,000 has the same number as one of these, and would take its message for one from the future.
        assertThat(ledger(r).old()).isEqualTo(101);
        assertThat(of(r, Metric.RESPONSE).negative()).isZero();
        assertThat(r.received()).isEqualTo(603);
        assertThat(r.part().received()).as("what waited came before the start").isEqualTo(500);
        assertThat(r.meanReceived()).isCloseTo(1_000, within(10.0));
        assertThat(run.intervals.stream().mapToLong(i -> i[3]).sum()).isEqualTo(500);
        assertThat(of(r, Metric.RESPONSE).count()).isEqualTo(500);
    }

    @Test
    void aConsumerAloneCountsNegativeTimesInsteadOfThrowing() throws Exception {
        LoopbackRun run = LoopbackRun.of().receiveOnly().duration(300);
        Connection other = run.driver().connect(
            new ConnectionSettings(run.url(), null, null, null, Duration.ofSeconds(1)), LoopbackRun.DEAF);
        Producer producer = other.producer(Destination.parse("queue://Q"),
            ProducerSettings.of(its -> its.maxPending = 10), SendListener.NONE);
        byte[] body = Bodies.create(64);
        Envelope.prepare(body, Envelope.newRun(7), 0, true);
        for (int i = 0; i < 3; i++) {
            Envelope.stamp(body, i, run.clock().nanos() + 10_000_000_000L, 0, 64);
            producer.send(new Payload(body), i);
        }
        RunResult r = run.execute();
        other.close();

        assertThat(r.received()).isEqualTo(3);
        assertThat(of(r, Metric.TRANSFER).negative()).isEqualTo(3);
        assertThat(of(r, Metric.TRANSFER).count()).isZero();
    }

    /** Returns whether a doubt names the reason for the full window. */
    private static boolean namesWhatHeldTheWindowFull(Finding.Doubt doubt) {
        return doubt instanceof Finding.NotSentInTime late && LoopbackRun.blames(Finding.Blame.SLOW_BROKER, late.reason());
    }

    private static Distribution of(RunResult r, Metric metric) {
        Distribution d = r.measured().get(metric);
        assertThat(d).isNotNull();
        return d;
    }

    private static LedgerReport ledger(RunResult r) {
        LedgerReport report = r.ledger();
        assertThat(report).isNotNull();
        return report;
    }
}
