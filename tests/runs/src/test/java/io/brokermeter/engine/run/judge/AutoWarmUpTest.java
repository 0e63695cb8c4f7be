package io.brokermeter.engine.run.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Objects;

import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.recording.WarmUp;
import io.brokermeter.engine.run.LoopbackRun;
import io.brokermeter.engine.scenario.measure.Metric;
import org.junit.jupiter.api.Test;

/** Runs in virtual time whose transient is known. The first part of their warm-up is 4 s. */
class AutoWarmUpTest {

    private static LoopbackRun run() {
        return LoopbackRun.of().rate("1000").maxPending(100_000).duration(40_000).settles();
    }

    private static WarmUp warmUp(RunResult r) {
        return Objects.requireNonNull(r.warmUp());
    }

    private static void assertMeasuredBehind(RunResult r, double warmup) {
        assertThat(r.part().seconds()).isCloseTo(40 - warmup, within(0.05));
        assertThat(r.part().sent()).isCloseTo((long) (1000 * (40 - warmup)), within(50L));
        Distribution response = Objects.requireNonNull(r.measured().get(Metric.RESPONSE));
        assertThat(response.count()).isEqualTo((long) (1000 * (40 - warmup)));
        assertThat(r.part().isOverdue()).isFalse();
    }

    @Test
    void aRunThatIsSteadyFromItsStartHasTheShortestWarmup() throws Exception {
        RunResult r = run().knobs("delay=2ms").execute();

        assertThat(warmUp(r).seconds()).isEqualTo(4);
        assertThat(warmUp(r).settled()).isTrue();
        assertThat(warmUp(r).steadyFromSeconds()).isZero();
        assertMeasuredBehind(r, 4);
    }

    @Test
    void aTransientExtendsTheWarmup() throws Exception {
        // What piles up in 0.7 s takes the broker twice as long.
        RunResult r = run().knobs("delay=2ms&service-rate=1500&freeze-at=1ms&freeze-for=700ms").execute();

        assertThat(warmUp(r).seconds()).isEqualTo(8);
        assertThat(warmUp(r).settled()).isTrue();
        assertThat(warmUp(r).steadyFromSeconds()).isBetween(1.8, 2.8);
        assertMeasuredBehind(r, 8);
    }

    @Test
    void aLongTransientExtendsItTwice() throws Exception {
        RunResult r = run().knobs("delay=2ms&service-rate=1250&freeze-at=1ms&freeze-for=800ms").execute();

        assertThat(warmUp(r).seconds()).isEqualTo(12);
        assertThat(warmUp(r).settled()).isTrue();
        assertThat(warmUp(r).steadyFromSeconds()).isBetween(3.7, 4.7);
        assertMeasuredBehind(r, 12);
    }

    @Test
    void aRunThatNeverSettlesIsSaidToBeOne() throws Exception {
        RunResult r = run().knobs("service-rate=990").execute();

        assertThat(warmUp(r).seconds()).isEqualTo(12);
        assertThat(warmUp(r).settled()).isFalse();
        assertThat(warmUp(r).known()).isTrue();
        assertMeasuredBehind(r, 12);
    }

    @Test
    void tooFewSamplesTellNothing() throws Exception {
        RunResult r = LoopbackRun.of().rate("2").duration(40_000).settles().execute();

        assertThat(warmUp(r)).isEqualTo(new WarmUp(4, Double.NaN, false, false));
    }

    @Test
    void aFixedWarmupIsNotExtended() throws Exception {
        RunResult r = LoopbackRun.of().rate("1000").warmup(4_000).duration(20_000).maxPending(100_000).knobs("service-rate=990").execute();

        assertThat(r.warmUp()).isNull();
        assertThat(r.part().seconds()).isCloseTo(16, within(0.05));
    }
}
