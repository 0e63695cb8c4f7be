package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.health.OwnStalls;
import io.brokermeter.engine.health.Schedule;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.RunOutcome;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Pacing;
import io.brokermeter.engine.scenario.Phase;
import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.engine.scenario.measure.Metric;
import org.junit.jupiter.api.Test;

/** Tests of the verdict on a run: whether it kept its rate, and the reason that is reported if it did not. */
class VerdictTest {

    @Test
    void aRateThatWasMissedByMoreThanHalfFailsTheRun() throws Exception {
        RunResult r = LoopbackRun.of().rate("2000").duration(1_000).maxPending(1).knobs("service-rate=200").execute();

        assertThat(r.health().achievedRatio()).isLessThan(0.3);
        assertThat(r.outcome()).isEqualTo(RunOutcome.FAIL);
        assertThat(r.exitCode()).isEqualTo(1);
        assertThat(r.failures()).anyMatch(failure -> failure instanceof Finding.RateMissed missed && missed.askedPerSecond() == 2000);
    }

    /**
     * After three seconds, only messages that were due in the first 0.3 s are sent, so none of the times belongs to the measured part by
     * its due time.
     */
    @Test
    void aRunThatNeverLeftItsWarmupIsJudgedByTheTimesThatWereTaken() throws Exception {
        RunResult r = LoopbackRun.of().rate("2000").warmup(1_000).duration(3_000).maxPending(1).knobs("service-rate=200").execute();

        assertThat(r.measured().get(Metric.RESPONSE).count()).isZero();
        assertThat(r.health().verdict().reasons())
            .anyMatch(doubt -> doubt instanceof Finding.MostlyDelay late && late.medianDelayMillis() > 1_000);
    }

    @Test
    void aRateThatWasMissedByLessIsNoFailureAndNoSuccessEither() throws Exception {
        RunResult r = LoopbackRun.of().rate("400").duration(3_000).maxPending(1).knobs("service-rate=300").execute();

        assertThat(r.health().achievedRatio()).isBetween(0.5, 0.95);
        assertThat(r.failures()).isEmpty();
        assertThat(r.outcome()).isEqualTo(RunOutcome.RATE_MISSED);
        assertThat(r.exitCode()).isZero();
    }

    @Test
    void aRateThatWasKeptIsASuccess() throws Exception {
        RunResult r = LoopbackRun.of().rate("500").duration(1_000).execute();

        assertThat(r.outcome()).isEqualTo(RunOutcome.SUCCESS);
        assertThat(r.health().schedule()).isEqualTo(new Schedule(500, 0, 500, 500));
    }

    /** Fewer messages than the mean of the arrivals may be due by chance, and no less was asked for. */
    @Test
    void theRateThatIsAskedForIsTheMeanOfRandomArrivals() throws Exception {
        Groups groups = new Groups().producers("p", p -> p.load = Load.parse("poisson:500", 7)).consumers("c", c -> {});
        groups.duration = Duration.ofSeconds(2);
        Schedule schedule = groups.execute().health().schedule();

        assertThat(schedule.askedPerSecond()).isEqualTo(500);
        assertThat(schedule.due()).isNotEqualTo(1_000);
        assertThat(schedule.kept()).isTrue();
    }

    /** The client permits one message in flight over 20 ms: 50/s, while the window of the run is never full. */
    @Test
    void aClientThatHoldsSendsBackIsNamedAndNotTheSendingThreads() throws Exception {
        List<Finding.Doubt> doubts;
        int tries = 0;
        do {
            doubts = LoopbackRun.of().wallClock().rate("80").duration(2_000).maxPending(1000)
                .knobs("producer-rtt=20ms&producer-window=1").execute().health().verdict().reasons();
            // A stall of the machine is another reason.
        } while (doubts.stream().noneMatch(VerdictTest::namesTheClient) && ++tries < 5);
        assertThat(doubts).anyMatch(VerdictTest::namesTheClient);
    }

    private static boolean namesTheClient(Finding.Doubt doubt) {
        return doubt instanceof Finding.NotSentInTime late
            && LoopbackRun.blames(Finding.Blame.CALLS_WAITED, late.reason())
            && (late.reason().blame() != Finding.Blame.CALLS_WAITED || late.reason().share() <= 1);
    }

    /** The window is full in the last second of 20: for 5 % of the time, and for nearly all of the time in which something was due. */
    @Test
    void aBurstThatTheBrokerDidNotKeepUpWithIsNotBlamedOnTheSendingThreads() throws Exception {
        RunResult r = LoopbackRun.of().maxPending(10).knobs("service-rate=200").phase("calm", 19_000, "100").phase("burst", 1_000, "1000")
            .execute();

        assertThat(r.health().verdict().reasons()).filteredOn(Finding.NotSentInTime.class::isInstance).singleElement()
            .satisfies(doubt -> assertThat(((Finding.NotSentInTime) doubt).reason())
                .matches(its -> LoopbackRun.blames(Finding.Blame.SLOW_BROKER, its)));
    }

    /** One producer waits for a full window, and those of other threads keep their rates. */
    @Test
    void aThreadThatKeptItsRateSaysNothingOfOneThatDidNot() throws Exception {
        Groups run = new Groups("service-rate=200");
        run.duration = Duration.ofSeconds(4);
        String[] others = IntStream.rangeClosed(1, 9).mapToObj(i -> "queue://O" + i).toArray(String[]::new);
        RunResult r = run.producers("p", p -> {
            p.load = new Load.Constant(Rate.parse("400"));
            p.maxPending = 10;
        }).producers("others", p -> {
            p.to = others;
            p.load = new Load.Constant(Rate.parse("90"));
        }).execute();

        assertThat(r.health().verdict().reasons()).filteredOn(Finding.NotSentInTime.class::isInstance).singleElement()
            .satisfies(doubt -> {
                Finding.Reason reason = ((Finding.NotSentInTime) doubt).reason();
                assertThat(reason).matches(its -> LoopbackRun.blames(Finding.Blame.SLOW_BROKER, its));
                if (reason.blame() == Finding.Blame.SLOW_BROKER) {
                    assertThat(reason.share()).isGreaterThan(0.9);
                }
            });
    }

    @Test
    void aRunWithoutConsumersIsToldOfItsSendAckTimesAndNotOfResponseTimes() throws Exception {
        Groups run = new Groups("service-rate=200");
        run.duration = Duration.ofSeconds(4);
        RunResult r = run.producers("p", p -> {
            p.load = new Load.Constant(Rate.parse("400"));
            p.maxPending = 10;
        }).execute();

        assertThat(r.health().verdict().reasons()).filteredOn(Finding.MostlyDelay.class::isInstance).singleElement()
            .satisfies(doubt -> assertThat(((Finding.MostlyDelay) doubt).responded()).isFalse());
    }

    /**
     * Messages that are sent in the half second after the schedule are divided by the time up to their end, and not by the length of the
     * schedule.
     */
    @Test
    void theRateThatWasReachedIsThatOfTheSendsUpToTheirEnd() throws Exception {
        RunResult r = LoopbackRun.of().rate("400").duration(4_000).maxPending(10).knobs("service-rate=200").execute();

        assertThat(r.outcome()).isEqualTo(RunOutcome.RATE_MISSED);
        assertThat(r.part().seconds()).isBetween(4.4, 4.6);
        assertThat(r.health().schedule().reachedPerSecond()).isCloseTo(r.part().sent() / r.part().seconds(), within(0.001));
    }

    /** A rate is not meaningful if there was a schedule for only a part of the time. */
    @Test
    void aPhaseWithoutAScheduleLeavesNoRateThatWasReached() throws Exception {
        RunResult r = LoopbackRun.of().maxPending(10).knobs("service-rate=200").phase("calm", 1_000, "400").phase("free", 1_000).execute();

        assertThat(r.health().schedule().due()).isPositive();
        assertThat(r.health().schedule().reachedPerSecond()).isNaN();
    }

    /** All messages are sent in the end, but in ten times the time. */
    @Test
    void aCountThatTookTooLongHasMissedItsRate() throws Exception {
        RunResult r = LoopbackRun.of().rate("2000").count(600).maxPending(1).knobs("service-rate=200").execute();

        assertThat(r.sent()).isEqualTo(600);
        assertThat(r.health().achievedRatio()).isLessThan(0.2);
        assertThat(r.health().schedule().reachedPerSecond()).isCloseTo(600 / r.part().seconds(), within(60.0));
        assertThat(r.outcome()).isEqualTo(RunOutcome.FAIL);
        assertThat(r.health().verdict().reasons()).anyMatch(Finding.NotSentInTime.class::isInstance);
    }

    @Test
    void theEndThatTheConsumersCountedToIsNotAMissedSchedule() throws Exception {
        RunResult r = LoopbackRun.of().rate("1000").duration(30_000).consumerCount(700).execute();

        assertThat(r.received()).isGreaterThanOrEqualTo(700);
        assertThat(r.health().schedule().kept()).isTrue();
        assertThat(r.outcome()).isEqualTo(RunOutcome.SUCCESS);
    }

    @Test
    void aRunThatIsStoppedIsJudgedUpToThatMoment() throws Exception {
        RunResult r = LoopbackRun.of().rate("1000").duration(30_000).afterInterval(run -> run.stop(2)).execute();
        assertThat(r.sent()).isBetween(1_000L, 1_002L);
        assertThat(r.health().schedule().kept()).isTrue();
    }

    /** Phases and changing loads have no single rate: it follows from their schedule up to the end. */
    @Test
    void theRateThatWasAskedIsThatOfTheScheduleUntilARunIsStopped() throws Exception {
        RunResult r = LoopbackRun.of().phase("one", 30_000, "1000").afterInterval(run -> run.stop(2)).execute();

        assertThat(r.sent()).isBetween(1_000L, 1_002L);
        assertThat(r.health().schedule().askedPerSecond()).isCloseTo(1_000, within(2.0));
        assertThat(r.health().schedule().kept()).isTrue();
    }

    @Test
    void aRunThatIsStoppedWithinHalfASecondAskedForNoHigherRate() throws Exception {
        Groups groups = new Groups().phase(new Phase("one", Duration.ofSeconds(30), Map.of("", Load.parse("1000", 1))))
            .producers("p", p -> {});
        groups.clock.after(300, () -> groups.started().stop(2));

        assertThat(groups.execute().health().schedule().askedPerSecond()).isCloseTo(1_000, within(5.0));
    }

    @Test
    void aSlowRateIsNotAStall() throws Exception {
        LoopbackRun run = LoopbackRun.of().rate("0.1").duration(7_500);
        RunResult r = run.execute();

        assertThat(r.sent()).isEqualTo(1);
        assertThat(run.events).noneMatch(event -> event.kind() == Event.Kind.STALL);
    }

    @Test
    void aLongThinkTimeIsNotAStall() throws Exception {
        LoopbackRun run = LoopbackRun.of().thinkTime(20_000).duration(6_500);
        RunResult r = run.execute();

        assertThat(r.sent()).isEqualTo(1);
        assertThat(run.events).noneMatch(event -> event.kind() == Event.Kind.STALL);
    }

    /** In the first of 20 seconds, all waits take 8 ms longer. */
    @Test
    void aColdStartIsNoticedInLongIntervalsToo() throws Exception {
        LoopbackRun run = LoopbackRun.of().rate("100").pacing(Pacing.PARK).interval(5_000).duration(20_000);
        run.clock().oversleep(Duration.ofMillis(8), 1_000);
        assertThat(run.execute().health().verdict().reasons()).filteredOn(Finding.ColdStart.class::isInstance).singleElement()
            .satisfies(doubt -> assertThat(((Finding.ColdStart) doubt).seconds()).isEqualTo(5));
    }

    /** Sending threads sleep 3 ms too long in the first second, for example while code is compiled. */
    @Test
    void wakingLateInTheWarmupIsNoneOfTheMeasuredPart() throws Exception {
        LoopbackRun run = LoopbackRun.of().rate("200").pacing(Pacing.PARK).warmup(2_000).duration(4_000);
        run.clock().oversleep(Duration.ofMillis(3), 1_000);
        RunResult r = run.execute();
        assertThat(r.health().lateness99Millis()).isLessThan(0.1);

        run = LoopbackRun.of().rate("200").pacing(Pacing.PARK).duration(4_000);
        run.clock().oversleep(Duration.ofMillis(3), 1_000);
        assertThat(run.execute().health().lateness99Millis()).isBetween(2.9, 3.1);
    }

    @Test
    void wakingLateInTheRestOfAnExtendedWarmupIsNoneOfTheMeasuredPartEither() throws Exception {
        LoopbackRun run = LoopbackRun.of().rate("1000").maxPending(100_000).pacing(Pacing.PARK).duration(40_000).settles()
            .knobs("delay=2ms&service-rate=1250&freeze-at=1ms&freeze-for=800ms");
        run.clock().oversleep(Duration.ofMillis(3), 6_000);
        RunResult r = run.execute();
        assertThat(Objects.requireNonNull(r.warmUp()).seconds()).isGreaterThan(6);
        assertThat(r.health().lateness99Millis()).isLessThan(0.1);
        assertThat(r.health().stalls().levels()).extracting(OwnStalls.Level::woken).allMatch(woken -> woken < 1e-3);
    }

    @Test
    void aHealthOfTheLoadAloneDoesNotCountTheDrain() throws Exception {
        // The generator waits 2 s for the deliveries, while another thread of the process uses a whole processor.
        double least = Double.MAX_VALUE;
        Thread burner = Thread.ofPlatform().daemon().start(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                Thread.onSpinWait();
            }
        });
        try {
            for (int tries = 0; least >= 1 && tries < 5; tries++) {
                RunResult r = LoopbackRun.of().wallClock().count(100).maxPending(1000).knobs("delay=2s").execute();
                assertThat(r.received()).isEqualTo(100);
                // The load itself takes milliseconds, unless the other thread occupies its processor.
                least = Math.min(least, r.health().cpuSeconds());
            }
            assertThat(least).isLessThan(1);
        } finally {
            burner.interrupt();
        }
    }
}
