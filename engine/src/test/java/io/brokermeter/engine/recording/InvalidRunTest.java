package io.brokermeter.engine.recording;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.health.GeneratorVerdict;
import io.brokermeter.engine.health.Health;
import io.brokermeter.engine.health.OwnStalls;
import io.brokermeter.engine.health.Schedule;
import io.brokermeter.engine.scenario.Threshold;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** Known answers: 10 s at 1,000/s with a broker that takes 1.1 ms, and a generator that is stopped for 16.5 ms each second, or is not. */
class InvalidRunTest {

    private static final Finding.Reason OWN = new Finding.Reason(Finding.Blame.CPU_LIMIT, 0.4, null);
    private static final Finding.Doubt MISSED = new Finding.NotSentInTime(0.6, 600, 1000, OWN);

    private static RunResult run(boolean stopped, List<Finding.Doubt> doubts, List<Finding.Failure> failures, String... thresholds) {
        Histogram stops = new Histogram(1, 60_000_000_000L, 2);
        Histogram times = Distribution.empty();
        times.recordValueWithCount(1_100_000, stopped ? 9_835 : 10_000);
        if (stopped) {
            for (int i = 0; i < 10; i++) {
                stops.recordValue(16_500_000);
                for (int due = 0; due < 16; due++) {
                    times.recordValue(17_600_000 - due * 1_000_000L);
                }
            }
        }
        RunResult bare = RunResult.of(its -> {
            its.failures = failures;
            its.measured = Map.of(Metric.RESPONSE, new Distribution(times, 0, 0));
            its.health = Health.of(health -> {
                health.schedule = new Schedule(10_000, 0, 1000, 1000);
                health.stalls = OwnStalls.of(stops, new Histogram(1, 60_000_000_000L, 2), 10_000, 10);
                health.verdict = GeneratorVerdict.of(doubts);
            });
        });
        return judged(bare, thresholds);
    }

    @Test
    void eachPercentileHasTheFloorThatTheStopsMade() {
        RunResult run = run(true, List.of(), List.of());
        Distribution times = run.measured().get(Metric.RESPONSE);
        Floors floors = run.floors();
        assertThat(floors.nanos(Metric.RESPONSE, times, 90)).isZero();
        assertThat(floors.nanos(Metric.RESPONSE, times, 99) / 1e6).isCloseTo(7.6, within(0.6));
        assertThat(floors.nanos(Metric.RESPONSE, times, 99.9) / 1e6).isCloseTo(16.5, within(0.7));
        assertThat(floors.isMarked(Metric.RESPONSE, times, 90)).isFalse();
        assertThat(floors.isMarked(Metric.RESPONSE, times, 99)).isTrue();
        assertThat(floors.isMarked(Metric.RESPONSE, times, 100)).isTrue();
        assertThat(run(false, List.of(), List.of()).floors().isMarked(Metric.RESPONSE, times, 99)).isFalse();
    }

    @Test
    void aLimitThatOwnStopsMissedIsNotJudgedAndTheRunInvalid() {
        RunResult run = run(true, List.of(), List.of(), "response.p99 < 5ms");
        assertThat(run.thresholds().getFirst().passed()).isFalse();
        assertThat(run.thresholds().getFirst().judged()).isFalse();
        assertThat(run.outcome()).isEqualTo(RunOutcome.INVALID);
        assertThat(run.exitCode()).isEqualTo(3);
    }

    @Test
    void aLimitThatTheBrokerMissedIsMissedAndOneThatIsKeptIsKeptThoughTheGeneratorWasStopped() {
        assertThat(run(true, List.of(), List.of(), "response.p99 < 1ms").exitCode()).isEqualTo(99);
        assertThat(run(true, List.of(), List.of(), "response.p50 < 1ms").exitCode()).isEqualTo(99);
        assertThat(run(true, List.of(), List.of(), "response.p99 < 30ms", "response.p50 < 2ms", "doubts == 0").exitCode()).isZero();
        assertThat(run(false, List.of(), List.of(), "response.p99 < 1ms").exitCode()).isEqualTo(99);
    }

    @Test
    void limitsOfARunThatMeasuredTheGeneratorAreNotJudgedEvenIfKeptButCountsAre() {
        RunResult run = run(false, List.of(MISSED), List.of(), "response.p99 < 30ms", "rateKept < 99%", "sent >= 0", "doubts == 0");
        assertThat(run.thresholds()).extracting(ThresholdResult::judged).containsExactly(false, false, true, false);
        assertThat(run.exitCode()).isEqualTo(3);
    }

    @Test
    void tooManyOfACountIsMissedWhoeverWasSlowButTooFewAreNot() {
        Finding.Failure slow = new Finding.RateMissed(0.4, 400, 1000);
        for (List<Finding.Failure> failures : List.of(List.<Finding.Failure>of(), List.of(slow))) {
            RunResult lost = run(false, List.of(MISSED), failures).with(its -> its.set(Count.FAILED, 5_000));
            assertThat(judged(lost, "failed <= 10", "response.p99 < 30ms").exitCode()).isEqualTo(99);
            assertThat(judged(lost, "failed == 0").exitCode()).isEqualTo(99);
            assertThat(judged(lost, "failed < 5000").exitCode()).isEqualTo(99);
            assertThat(judged(lost, "failed <= 5000").exitCode()).isEqualTo(3);
        }
        RunResult few = run(false, List.of(MISSED), List.of());
        assertThat(judged(few, "sent >= 1M", "blocked < 0").exitCode()).isEqualTo(3);
        assertThat(judged(few, "sent == 1M").exitCode()).isEqualTo(3);
        assertThat(judged(run(false, List.of(), List.of()), "sent >= 1M").exitCode()).isEqualTo(99);
    }

    @Test
    void ofTwoLimitsTheOneThatTheBrokerMissedCounts() {
        RunResult run = run(true, List.of(), List.of(), "response.p99 < 5ms", "response.p50 < 1ms");
        assertThat(run.thresholds()).extracting(ThresholdResult::judged).containsExactly(false, true);
        assertThat(run.outcome()).isEqualTo(RunOutcome.THRESHOLD_MISSED);
        assertThat(run.exitCode()).isEqualTo(99);
        assertThat(run.isInvalid()).isTrue();
    }

    private static RunResult judged(RunResult run, String... thresholds) {
        return run.with(its -> its.thresholds = ThresholdResult.all(Stream.of(thresholds).map(Threshold::parse).toList(), run, -1));
    }

    /** The other way round, a limit from below is not known to be kept where stalls made the time. */
    @Test
    void aTimeThatStallsMadeKeepsNoLimitFromBelow() {
        RunResult run = run(true, List.of(), List.of(), "response.p99 > 5ms", "response.p99 > 30ms", "response.p90 >= 1ms",
            "response.p99 != 5ms", "response.p99 == 5ms", "response.mean > 1us", "send.p99 > 5ms", "response.p99.9999 > 1us");
        assertThat(run.thresholds()).extracting(ThresholdResult::judged)
            .containsExactly(false, true, true, false, true, true, true, true);
        assertThat(run.thresholds()).extracting(ThresholdResult::passed)
            .containsExactly(true, false, true, true, false, true, false, false);
        assertThat(run.thresholds()).extracting(ThresholdResult::samples).containsExactly(9_995L, 9_995L, 9_995L, 9_995L, 9_995L, 9_995L,
            0L,
            9_995L);
    }

    @Test
    void aLimitOfAPhaseIsComparedWithThatPhase() {
        RunResult whole = run(false, List.of(), List.of());
        Distribution quick = Distribution.sum(List.of());
        quick.histogram().recordValueWithCount(500_000, 20);
        RunResult phases =
            whole.with(its -> its.phases = List.of(new PhaseResult("first", 4, Counts.NONE.with(Count.SENT, 40), 4, Map.of()),
                new PhaseResult("burst", 4, Counts.NONE.with(Count.SENT, 100), 4, Map.of(Metric.RESPONSE, quick))));
        List<ThresholdResult> found = judged(phases, "phase(burst).sent.rate >= 25", "phase(first).sent.rate >= 25",
            "phase(other).sent.rate >= 0", "phase(burst).response.p50 < 1ms", "phase(first).response.p50 < 1ms",
            "phase(other).response.p50 < 1ms").thresholds();
        assertThat(found).extracting(ThresholdResult::passed).containsExactly(true, false, false, true, false, false);
        assertThat(found).extracting(ThresholdResult::samples).containsExactly(-1L, -1L, -1L, 20L, 0L, 0L);
        assertThat(found.get(1).value()).isEqualTo(10);
        assertThat(found.get(2).value()).isNaN();
    }

    /** Whatever its value is at the end, a limit that ended the run was missed. */
    @Test
    void aLimitThatEndedTheRunWasMissed() {
        RunResult run = run(false, List.of(), List.of());
        List<Threshold> limits = Stream.of("sent >= 0", "failed == 0").map(Threshold::parse).toList();
        assertThat(ThresholdResult.all(limits, run, 1)).extracting(ThresholdResult::passed).containsExactly(true, false);
        assertThat(ThresholdResult.all(limits, run, 1)).extracting(ThresholdResult::aborted).containsExactly(false, true);
    }

    @Test
    void theVerdictAloneFailsWhereItIsAsked() {
        RunResult run = run(false, List.of(MISSED), List.of());
        assertThat(run.exitCode()).isZero();
        assertThat(run.exitCode(true)).isEqualTo(3);
        RunResult missed = run(false, List.of(MISSED), List.of(new Finding.RateMissed(0.4, 400, 1000)));
        assertThat(missed.exitCode()).isEqualTo(1);
        assertThat(missed.exitCode(true)).isEqualTo(3);
        RunResult lost = run(false, List.of(MISSED), List.of(new Finding.Lost(1, true, Duration.ofSeconds(1))));
        assertThat(lost.exitCode(true)).isEqualTo(1);
    }

    @Test
    void whatTheBrokerOrNobodyKnownDidDoesNotInvalidate() {
        for (Finding.Blame blame : List.of(Finding.Blame.SLOW_BROKER, Finding.Blame.ROUND_TRIP, Finding.Blame.NOT_TOLD_APART)) {
            Finding.Doubt doubt = new Finding.NotSentInTime(0.6, 600, 1000, new Finding.Reason(blame, 0.9, null));
            assertThat(run(false, List.of(doubt), List.of(), "response.p99 < 30ms").exitCode(true)).isZero();
        }
        Finding.Doubt close = new Finding.NotSentInTime(0.995, 995, 1000, OWN);
        assertThat(run(false, List.of(close), List.of()).exitCode(true)).isZero();
    }
}
