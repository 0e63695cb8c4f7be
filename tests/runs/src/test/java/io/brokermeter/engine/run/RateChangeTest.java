package io.brokermeter.engine.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.send.RateChange;
import io.brokermeter.engine.scenario.measure.Metric;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A rate that somebody changes while the run lasts: what is due follows from each change exactly, and the result says that there was one. */
class RateChangeTest {

    private static final double SECOND = 1e9;

    /** Returns the moments of the changes, in seconds since the start. */
    private static List<Double> moments(LoopbackRun run) {
        return run.events.stream().filter(event -> event.what() instanceof Finding.RateSet).map(event -> event.elapsedNanos() / SECOND)
            .toList();
    }

    @ParameterizedTest
    @CsvSource({"100, 1, 1", "100, 4, 2", "1000, 3, 3", "1, 1, 1"})
    void whatIsDueFollowsEachChange(double rate, int producers, int threads) throws Exception {
        LoopbackRun run =
            LoopbackRun.of().rate(Double.toString(rate)).duration(20_000).producers(producers).threads(threads).maxPending(100)
                .changeable();
        run.clock().after(3_333, () -> assertThat(run.started().changeRate(10)).isEqualTo(RateChange.DONE));
        run.clock().after(9_777, () -> assertThat(run.started().changeRate(-10)).isEqualTo(RateChange.DONE));
        RunResult r = run.execute();

        List<Double> moments = moments(run);
        assertThat(moments).hasSize(2);
        double expected =
            rate * moments.get(0) + 1.1 * rate * (moments.get(1) - moments.get(0)) + 0.99 * rate * (20 - moments.get(1));
        assertThat((double) r.sent()).isCloseTo(expected, within(1.0));
        assertThat(r.received()).isEqualTo(r.sent());
        assertThat(r.failures()).isEmpty();
        // Nothing is sent late: a thread that waits for its next message notices that it is due earlier.
        assertThat(r.measured().get(Metric.SEND_DELAY).histogram().getMaxValue()).isLessThan(1_000_000);
        assertThat(r.health().schedule().askedPerSecond()).isCloseTo(expected / 20, within(2.0 / 20));
        assertThat(r.health().schedule().late()).isZero();
        assertThat(r.health().verdict().reasons()).contains(new Finding.RateChanged(2));
        assertThat(run.events).extracting(event -> event.what()).contains(new Finding.RateSet(10, 1.1 * rate));
    }

    @Test
    void aHigherRateMayBringOneMoreMessageBeforeTheEnd() throws Exception {
        // At 0, 2.5, 5 and 7.5 s; the next one would be due at the end.
        LoopbackRun run = LoopbackRun.of().rate("0.4").duration(10_000).changeable();
        run.clock().after(7_700, () -> run.started().changeRate(10));
        RunResult r = run.execute();

        double next = moments(run).getFirst() + (10 - moments(run).getFirst()) / 1.1;
        assertThat(next).isLessThan(10);
        assertThat(r.sent()).isEqualTo(5);
        assertThat(r.measured().get(Metric.SEND_DELAY).histogram().getMaxValue()).isLessThan(1_000_000);
    }

    @Test
    void aRunWhoseRateCannotBeChangedRightlyKeepsIt() throws Exception {
        assertThat(answer(LoopbackRun.of().rate("100").duration(3_000))).as("nobody watches").isEqualTo(RateChange.NOT_OF_THIS_LOAD);
        assertThat(answer(LoopbackRun.of().duration(3_000).changeable())).as("as fast as it goes").isEqualTo(RateChange.NOT_OF_THIS_LOAD);
        assertThat(answer(LoopbackRun.of().rate("100").phase("a", 1_500).phase("b", 1_500, "50").duration(0).changeable()))
            .isEqualTo(RateChange.NOT_OF_THIS_LOAD);
        assertThat(answer(LoopbackRun.of().rate("100").duration(1_300).changeable())).isEqualTo(RateChange.TOO_LATE);
        assertThat(answer(LoopbackRun.of().rate("100").duration(3_000).changeable())).isEqualTo(RateChange.DONE);
    }

    @Test
    void nobodyChangesTheRateBeforeTheLoadHasBegun() throws Exception {
        LoopbackRun run = LoopbackRun.of().rate("100").duration(3_000).changeable();
        AtomicReference<RateChange> first = new AtomicReference<>();
        // What the sending threads do before the load takes half a second.
        run.clock().oversleep(Duration.ofMillis(50), 400);
        run.clock().after(100, () -> {
            assertThat(run.started().hasBegun()).isTrue();
            first.set(run.started().changeRate(10));
        });
        run.execute();

        assertThat(first.get()).isEqualTo(RateChange.TOO_LATE);
        assertThat(moments(run)).isEmpty();
    }

    private static RateChange answer(LoopbackRun run) throws Exception {
        AtomicReference<RateChange> answer = new AtomicReference<>();
        run.clock().after(700, () -> answer.set(run.started().changeRate(10)));
        run.execute();
        return answer.get();
    }
}
