package io.brokermeter.engine.recording;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.health.GeneratorVerdict;
import io.brokermeter.engine.health.Health;
import io.brokermeter.engine.health.Schedule;
import io.brokermeter.engine.scenario.Threshold;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Measure;
import io.brokermeter.engine.scenario.measure.Quantity;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Figures by the names that thresholds give them, of a run whose parts are known. */
class MeasurementsTest {

    private static final RunResult RUN = RunResult.of(its -> {
        its.set(Count.SENT, 900);
        its.set(Count.COMPLETED, 800);
        its.set(Count.FAILED, 200);
        its.set(Count.RECEIVED, 701);
        its.elapsed = Duration.ofMillis(12_500);
        its.sending = Duration.ofSeconds(10);
        its.receivingSeconds = 7;
        its.ledger = new LedgerReport(Counts.NONE.with(Count.LOST, 5), null);
        its.part = MeasuredPart.of(part -> {
            part.seconds = 8;
            part.receivingSeconds = 9;
            part.set(Count.SENT, 640);
            part.set(Count.RECEIVED, 630);
            part.overdueSent = 3;
            part.overdueReceived = 4;
            part.costMessages = 1_000;
            part.costSeconds = 4;
        });
        its.health = Health.of(health -> {
            health.schedule = new Schedule(1_000, 250, 100, 75);
            health.cpuMicrosPerMessage = 12.5;
            health.verdict = GeneratorVerdict.of(List.of(new Finding.NotJudged()));
        });
        its.broker = BrokerFigures.of(broker -> {
            broker.seconds = 2;
            broker.cpuSeconds = 3;
            broker.cpuPercent = 150;
            broker.cpuPercentMax = 190;
            broker.residentBytes = 1_000;
            broker.residentBytesMax = 2_000;
            broker.heapUsedBytesMax = 3_000;
            broker.gcMillis = 1_500;
            broker.depthMax = 77;
        });
    });

    private static Quantity quantity(String key) {
        return Quantity.all().stream().filter(one -> one.key().equals(key)).findFirst().orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({"sent, 900", "received, 701", "lost, 5", "sent.rate, 80", "received.rate, 70", "measuredSent, 640", "measuredReceived, 630",
        "overdueSent, 3", "overdueReceived, 4", "elapsed, 12.5", "sendingTime, 10", "receivingTime, 7", "measuredTime, 8",
        "measuredReceivingTime, 9", "sent.wholeRate, 90", "completed.wholeRate, 80", "received.wholeRate, 100", "success, 80",
        "rateKept, 75", "doubts, 1", "generator.cpuPerMessage, 12.5", "broker.cpu, 150", "broker.cpuMax, 190",
        "broker.cpuPerMessage, 6000", "broker.memory, 1000", "broker.memoryMax, 2000", "broker.heapMax, 3000", "broker.gcTime, 1.5",
        "broker.depthMax, 77"})
    void aFigureOfARun(String key, double value) {
        assertThat(Measurements.of(quantity(key), RUN)).isCloseTo(value, within(1e-9));
    }

    @ParameterizedTest
    @CsvSource({"lost", "sent.rate", "received.rate", "sent.wholeRate", "completed.wholeRate", "received.wholeRate",
        "generator.cpuPerMessage", "broker.cpu", "broker.cpuPerMessage", "broker.memory", "broker.gcTime", "broker.depthMax"})
    void aFigureThatARunLacksIsUnknown(String key) {
        assertThat(Measurements.of(quantity(key), RunResult.of(_ -> {}))).isNaN();
        assertThat(Measurements.of(quantity(key), RunResult.of(its -> its.broker = BrokerFigures.UNKNOWN))).isNaN();
        assertThat(Measurements.of(quantity("success"), RunResult.of(_ -> {}))).isEqualTo(100);
    }

    /** Nothing is a value where something was looked for. */
    @Test
    void zeroIsKnown() {
        RunResult run = RunResult.of(its -> {
            its.broker = BrokerFigures.of(broker -> {
                broker.gcMillis = 0;
                broker.depthMax = 0;
            });
            its.health = Health.of(health -> health.cpuMicrosPerMessage = 0);
        });
        for (Measure one : List.of(Measure.BROKER_GC, Measure.BROKER_DEPTH_MAX, Measure.CPU_PER_MESSAGE)) {
            assertThat(Measurements.of(one, run)).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({"sent, 100", "received, 90", "sent.rate, 25", "received.rate, 18", "elapsed, 4", "failed, NaN", "measuredTime, NaN"})
    void aFigureOfAPhase(String key, Double value) {
        Counts counts = Counts.NONE.with(Count.SENT, 100).with(Count.RECEIVED, 90).with(Count.FAILED, 7);
        PhaseResult phase = new PhaseResult("p", 4, counts, 5, Map.of());
        assertThat(Measurements.of(quantity(key), phase)).isEqualTo(value);
        assertThat(phase.sentPerSecond()).isEqualTo(25);

        PhaseResult unknown = new PhaseResult("p", 4, Counts.unknown(_ -> true), 5, Map.of());
        assertThat(Measurements.of(quantity(key), unknown)).isEqualTo(Double.valueOf(key.equals("elapsed") ? 4 : Double.NaN));
        PhaseResult never = new PhaseResult("p", 0, counts, 5, Map.of());
        assertThat(Measurements.of(quantity(key), never)).as("of a phase that was not reached").isNaN();
        assertThat(never.mean(Count.RECEIVED)).isNaN();
    }

    private static Threshold.Time time(String text) {
        return (Threshold.Time) Threshold.parse(text + " < 1s").figure();
    }

    @Test
    void aPartOfATimeIsInMicroseconds() {
        Histogram samples = Distribution.empty();
        assertThat(Measurements.of(time("send.mean"), new Distribution(samples, 0, 0))).isNaN();
        assertThat(Measurements.of(time("send.mean"), null)).isNaN();

        samples.recordValueWithCount(1_000, 15);
        samples.recordValueWithCount(2_000, 5);
        Distribution twenty = new Distribution(samples, 0, 0);
        assertThat(Measurements.of(time("send.mean"), twenty)).isEqualTo(1.25);
        assertThat(Measurements.of(time("send.max"), twenty)).isEqualTo(2);
        assertThat(Measurements.of(time("send.p50"), twenty)).isEqualTo(1);
        assertThat(Measurements.of(time("send.p99"), twenty)).as("of twenty samples").isNaN();
    }
}
