package io.brokermeter.engine.recording;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.health.Health;
import io.brokermeter.engine.health.Schedule;
import io.brokermeter.engine.recording.confidence.Confidence;
import io.brokermeter.engine.recording.confidence.Confidences;
import io.brokermeter.engine.scenario.Threshold;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The outcome of a run, and figures that follow from others in its parts. */
class RunResultTest {

    private static final Schedule MISSED = new Schedule(1_000, 10, 100, 99);

    private static RunResult run(boolean fails, int signal, boolean missed, boolean late, boolean drained) {
        return RunResult.of(its -> {
            its.set(Count.SENT, 5);
            its.failures = fails ? List.of(new Finding.RateMissed(0.4, 400, 1000)) : List.of();
            its.signal = signal;
            its.drained = drained;
            its.health = Health.of(health -> health.schedule = late ? MISSED : Schedule.NONE);
            its.thresholds = List.of(new ThresholdResult(Threshold.parse("sent > 5"), 5, -1, !missed, true, false));
        });
    }

    /** Of several causes the gravest is named; an end by a signal has the code that shells give it. */
    @ParameterizedTest
    @CsvSource({"true, 2, true, true, false, fail, 1", "false, 2, true, true, false, threshold missed, 130",
        "false, 0, true, true, false, threshold missed, 99", "false, 0, false, true, false, rate missed, 0",
        "false, 0, false, false, false, not drained, 0", "false, 15, false, false, true, success, 143",
        "false, 0, false, false, true, success, 0"})
    void theOutcomeAndTheExitCode(boolean fails, int signal, boolean missed, boolean late, boolean drained, String outcome, int code) {
        RunResult run = run(fails, signal, missed, late, drained);
        assertThat(run.outcome().word()).isEqualTo(outcome);
        assertThat(run.exitCode()).isEqualTo(code);
        assertThat(run.success()).isEqualTo(!fails);
        assertThat(run.meetsThresholds()).isEqualTo(!missed);
    }

    @Test
    void aCopyIsTheSameButForWhatIsChanged() {
        RunResult run = run(false, 2, true, true, false);
        assertThat(run.with(_ -> {})).isEqualTo(run);
        assertThat(run.with(its -> its.signal = 15).signal()).isEqualTo(15);
        Finding.Failure cause = new Finding.RateMissed(0.4, 400, 1000);
        assertThat(run.with(cause)).isEqualTo(run.with(its -> its.failures = List.of(cause)));
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 1", "3, 1, 0.75", "0, 4, 0"})
    void theSuccessRatioIsOfTheSendsWhoseFateIsKnown(long completed, long failed, double ratio) {
        assertThat(RunResult.of(its -> {
            its.set(Count.COMPLETED, completed);
            its.set(Count.FAILED, failed);
            its.set(Count.UNCONFIRMED, 9);
        }).successRatio()).isEqualTo(ratio);
    }

    @Test
    void meanRatesAreThoseOfTheMeasuredPart() {
        MeasuredPart part = MeasuredPart.of(its -> {
            its.seconds = 4;
            its.receivingSeconds = 5;
            its.set(Count.SENT, 100);
            its.set(Count.RECEIVED, 90);
        });
        RunResult run = RunResult.of(its -> {
            its.part = part;
            its.set(Count.RECEIVED, 101);
            its.receivingSeconds = 10;
        });
        assertThat(run.meanSent()).isEqualTo(25);
        assertThat(run.meanReceived()).isEqualTo(18);
        assertThat(run.receivedPerSecond()).isEqualTo(10);
        assertThat(run.brokerCpuMicrosPerMessage()).as("of a broker that was not watched").isNaN();
        assertThat(run.with(its -> its.broker = BrokerFigures.UNKNOWN).brokerCpuMicrosPerMessage()).isNaN();
        assertThat(MeasuredPart.NONE.mean(Count.SENT)).isNaN();
        assertThat(MeasuredPart.of(its -> its.set(Count.SENT, 5)).mean(Count.SENT)).as("of a part without length").isNaN();
    }

    /** One message in a hundred may have been due in the warm-up before that is said. */
    @ParameterizedTest
    @CsvSource({"10, 20, false", "11, 20, true", "10, 21, true", "0, 0, false"})
    void moreThanOnePerCentFromTheWarmUpIsOverdue(long sent, long received, boolean overdue) {
        assertThat(MeasuredPart.of(its -> {
            its.set(Count.SENT, 1_000);
            its.set(Count.RECEIVED, 2_000);
            its.overdueSent = sent;
            its.overdueReceived = received;
        }).isOverdue()).isEqualTo(overdue);
    }

    @ParameterizedTest
    @CsvSource({"true, 5, 20", "false, 5, 8", "true, 0, 0", "true, NaN, NaN"})
    void aGroupHasTheRateOfItsOwnTime(boolean producing, double seconds, Double rate) {
        assertThat(GroupResult.of(its -> {
            its.producing = producing;
            its.messageSeconds = seconds;
            its.set(Count.SENT, 100);
            its.set(Count.RECEIVED, 41);
        }).messagesPerSecond()).isEqualTo(rate);
        assertThat(GroupResult.of(its -> its.producing = producing).kind()).isEqualTo(producing ? "producers" : "consumers");
    }

    @Test
    void anIntervalIsAsLongAsItsEndsAreApart() {
        assertThat(Interval.of(its -> {
            its.startEpochNanos = 1_500_000_000L;
            its.endEpochNanos = 4_000_000_000L;
        }).seconds()).isEqualTo(2.5);
    }

    @Test
    void anIntervalIsKnownWhereItsEndsAre() {
        Confidence known = new Confidence(90, 130, Double.NaN);
        assertThat(known.isKnown()).isTrue();
        assertThat(known.isTooFew()).isFalse();
        assertThat(known.halfWidth(100)).isEqualTo(30);
        assertThat(known.halfWidth(125)).isEqualTo(35);
        assertThat(new Confidence(Double.NaN, 5, 3).isKnown()).isFalse();
        assertThat(new Confidence(5, Double.POSITIVE_INFINITY, 3).isKnown()).isFalse();
        assertThat(new Confidence(90, 130, 20).isTooFew()).isFalse();
        assertThat(new Confidence(Double.NaN, Double.NaN, 3).isTooFew()).isTrue();
        assertThat(Confidence.UNKNOWN.isTooFew()).isFalse();
        assertThat(Confidence.UNKNOWN.halfWidth(5)).isNaN();
    }

    @Test
    void thePercentilesOfATimeHaveIntervals() {
        List<Confidence> some = Arrays.asList(new Confidence(1, 2, 50), new Confidence(3, 4, 40));
        Confidences all = new Confidences(Map.of(Metric.SEND, some), Confidence.UNKNOWN, Confidence.UNKNOWN);
        assertThat(all.of(Metric.SEND, 50)).isEqualTo(some.get(0));
        assertThat(all.of(Metric.SEND, 90)).isEqualTo(some.get(1));
        assertThat(all.of(Metric.SEND, 99)).isEqualTo(Confidence.UNKNOWN);
        assertThat(all.of(Metric.SEND, 75)).isEqualTo(Confidence.UNKNOWN);
        assertThat(all.of(Metric.RESPONSE, 50)).isEqualTo(Confidence.UNKNOWN);
    }

    /** What is set is kept, and what is not set is unknown. */
    @Test
    void partsAreMadeFromWhatIsSet() {
        assertThat(new AgentResult("", 3, 0, Counts.NONE, 0, 0, 0, 0, 0, List.of(), 0, 0, 0, null).producers()).isEqualTo(3);
        assertThat(new NetworkFigures("", "", Map.of("producers a", "10ms"), -1, -1, -1, Double.NaN, Double.NaN).rules())
            .containsEntry("producers a", "10ms");
        assertThat(new NetworkFigures("", "", Map.of(), -1, -1, -1, Double.NaN, Double.NaN).passed()).isEqualTo(-1);
        assertThat(new BrokerSample.Usage(Double.NaN, -1, Double.NaN, 9, -1, -1, -1, -1, -1).threads()).isEqualTo(9);
        assertThat(BrokerSample.UNKNOWN.withDepth(12).depth()).isEqualTo(12);
        assertThat(BrokerFigures.UNKNOWN.withDepthMax(12).depthMax()).isEqualTo(12);
        assertThat(BrokerFigures.UNKNOWN.withDepthMax(-1)).isEqualTo(BrokerFigures.UNKNOWN);
    }
}
