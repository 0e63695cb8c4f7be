package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.RunOutcome;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.recording.ThresholdResult;
import io.brokermeter.engine.scenario.Load;
import io.brokermeter.engine.scenario.Phase;
import io.brokermeter.engine.scenario.Rate;
import io.brokermeter.engine.scenario.UsageException;
import org.junit.jupiter.api.Test;

/** Tests of runs with thresholds, on a virtual clock. */
class ThresholdsTest {

    private static ThresholdResult only(RunResult result) {
        assertThat(result.thresholds()).hasSize(1);
        return result.thresholds().getFirst();
    }

    @Test
    void aRunThatKeepsItsLimitsPasses() throws Exception {
        RunResult r = LoopbackRun.of().knobs("delay=2ms").rate("100").count(100)
            .thresholds("lost == 0", "response.p50 >= 2ms", "response.max < 1h", "sent == 100", "received.rate > 50/s", "success == 100%",
                "rateKept >= 99.9%", "elapsed < 1m")
            .execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.thresholds()).allMatch(ThresholdResult::passed);
        assertThat(r.exitCode()).isZero();
        assertThat(r.outcome()).isEqualTo(RunOutcome.SUCCESS);
    }

    @Test
    void aMissedLimitOfASoundRunIsExitCode99() throws Exception {
        RunResult r = LoopbackRun.of().knobs("delay=2ms").rate("100").count(100).thresholds("response.p50 < 1ms", "lost == 0").execute();

        assertThat(r.success()).isTrue();
        assertThat(r.thresholds()).extracting(ThresholdResult::passed).containsExactly(false, true);
        assertThat(r.thresholds().getFirst().value()).isBetween(2_000.0, 2_100.0);
        assertThat(r.exitCode()).isEqualTo(99);
        assertThat(r.outcome()).isEqualTo(RunOutcome.THRESHOLD_MISSED);
    }

    /** Nothing can be received before there are consumers. */
    @Test
    void aRateOfReceivingIsLookedAtFromTheFirstConsumerOn() throws Exception {
        RunResult r =
            LoopbackRun.of().rate("1000").duration(10_000).consumersAfter(5_000).thresholds("received.rate >= 900/s, abort").execute();

        assertThat(only(r).aborted()).isFalse();
        assertThat(r.sent()).isEqualTo(10_000);
        assertThat(r.exitCode()).isZero();
    }

    @Test
    void aRunThatFailsIsWorseThanAMissedLimit() throws Exception {
        RunResult r = LoopbackRun.of().knobs("lose-every=10").rate("1000").count(100).drain(100).thresholds("lost == 0").execute();

        assertThat(only(r).value()).isEqualTo(10);
        assertThat(only(r).passed()).isFalse();
        assertThat(r.exitCode()).isEqualTo(1);
    }

    @Test
    void aPercentileWithTooFewSamplesIsNotKept() throws Exception {
        RunResult r = LoopbackRun.of().rate("1000").count(100).thresholds("response.p99.9 < 1h").execute();

        assertThat(only(r).value()).isNaN();
        assertThat(only(r).samples()).isEqualTo(100);
        assertThat(r.exitCode()).isEqualTo(99);
    }

    @Test
    void aFigureThatNobodySawIsNotKept() throws Exception {
        RunResult r = LoopbackRun.of().rate("1000").count(100).thresholds("broker.cpu < 1000%").execute();

        assertThat(only(r).value()).isNaN();
        assertThat(r.exitCode()).isEqualTo(99);
    }

    @Test
    void aTimeThatIsTooLongEndsARunThatMayEndForIt() throws Exception {
        LoopbackRun run = LoopbackRun.of().knobs("delay=20ms").rate("1000").duration(60_000).interval(500)
            .thresholds("response.p90 < 10ms, abort");
        RunResult r = run.execute();

        assertThat(r.elapsed()).isBetween(Duration.ofMillis(500), Duration.ofSeconds(2));
        assertThat(r.failures()).as("what was sent was drained").isEmpty();
        assertThat(only(r).aborted()).isTrue();
        assertThat(only(r).passed()).isFalse();
        assertThat(r.exitCode()).isEqualTo(99);
        assertThat(run.events).anySatisfy(event -> assertThat(event.what()).isInstanceOfSatisfying(Finding.ThresholdMissed.class,
            missed -> assertThat(missed.threshold()).isEqualTo("response.p90 < 10ms")));
    }

    @Test
    void aLimitThatIsKeptUpToTheEndEndsNothing() throws Exception {
        RunResult r = LoopbackRun.of().knobs("delay=2ms").rate("1000").duration(2_000).interval(100)
            .thresholds("response.p90 < 10ms abort", "duplicates == 0 abort", "received.rate > 900/s abort").execute();

        assertThat(r.thresholds()).noneMatch(ThresholdResult::aborted).allMatch(ThresholdResult::passed);
        assertThat(r.sent()).isEqualTo(2_000);
    }

    @Test
    void aCountThatMayNotGrowEndsTheRunWhenItDoes() throws Exception {
        RunResult r = LoopbackRun.of().knobs("duplicate-every=100").rate("1000").duration(60_000).interval(500)
            .thresholds("duplicates == 0, abort").execute();

        assertThat(only(r).aborted()).isTrue();
        assertThat(r.elapsed()).isLessThan(Duration.ofSeconds(2));
    }

    @Test
    void aRateIsLookedAtFromTheThirdIntervalOfTheMeasuredPartOn() throws Exception {
        RunResult r = LoopbackRun.of().rate("100").warmup(1_000).duration(60_000).interval(500)
            .thresholds("sent.rate >= 1k/s, abort").execute();

        assertThat(only(r).aborted()).isTrue();
        assertThat(r.elapsed()).isBetween(Duration.ofMillis(2_500), Duration.ofSeconds(4));
    }

    @Test
    void theWarmUpCountsForNoTime() throws Exception {
        RunResult r = LoopbackRun.of().knobs("freeze-at=100ms&freeze-for=300ms").rate("1000").warmup(1_000).duration(3_000).interval(250)
            .thresholds("response.max < 100ms, abort").execute();

        assertThat(only(r).passed()).isTrue();
        assertThat(r.exitCode()).isZero();
    }

    @Test
    void messagesThatEndedConsumersWereToTakeAreNotMissedByARunThatWasEnded() throws Exception {
        RunResult r = LoopbackRun.of().knobs("delay=20ms").rate("1000").count(100_000).consumerCount(100_000).interval(500)
            .thresholds("response.p50 < 1ms, abort").execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.exitCode()).isEqualTo(99);
    }

    @Test
    void aPhaseHasLimitsOfItsOwn() throws Exception {
        RunResult r = new Groups("service-rate=1000").producers("p", p -> {}).consumers("c", c -> {})
            .phase(new Phase("calm", Duration.ofMillis(500), Map.of("", new Load.Constant(Rate.perSecond(100)))))
            .phase(new Phase("burst", Duration.ofMillis(500), Map.of("", new Load.Constant(Rate.perSecond(4_000)))))
            .threshold("phase(calm).response.max < 10ms").threshold("phase(burst).response.max < 10ms")
            .threshold("phase(calm).sent.rate <= 110/s").threshold("phase(burst).sent >= 1900").execute();

        assertThat(r.failures()).isEmpty();
        assertThat(r.thresholds()).extracting(ThresholdResult::passed).containsExactly(true, false, true, true);
    }

    @Test
    void aFigureThatTheRunWillNotHaveIsRefusedBeforeAnythingConnects() {
        assertThatThrownBy(() -> LoopbackRun.of().sendOnly().thresholds("response.p99 < 1s").execute()).isInstanceOf(UsageException.class)
            .hasMessage("Threshold 'response.p99 < 1s' is about 'response.p99', which this run does not have: it needs consumers.");
        assertThatThrownBy(() -> LoopbackRun.of().thresholds("sendDelay.p99 < 1s").execute())
            .hasMessageContaining("needs a scheduled load, such as a rate");
        assertThatThrownBy(() -> LoopbackRun.of().thresholds("phase(x).sent > 1").execute()).hasMessageContaining("it has no phases.");
        assertThatThrownBy(() -> new Groups().producers("p", p -> {}).phase(new Phase("burst", Duration.ofSeconds(1), Map.of()))
            .threshold("phase(bursts).sent > 1").plan()).hasMessageContaining("did you mean 'burst'?");
        assertThatThrownBy(() -> new Groups().producers("p", p -> {}).consumers("c", c -> {})
            .phase(new Phase("burst", Duration.ofSeconds(1), Map.of())).threshold("phase(burst).lost == 0").plan())
            .hasMessageContaining("only a whole run has");
    }
}
