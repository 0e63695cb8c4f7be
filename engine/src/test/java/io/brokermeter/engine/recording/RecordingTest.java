package io.brokermeter.engine.recording;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Objects;

import io.brokermeter.engine.recording.lane.Lane;
import io.brokermeter.engine.scenario.measure.Metric;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Samples of intervals, of phases and of a warm-up that may be extended. */
class RecordingTest {

    private static long count(Map<Metric, Distribution> samples) {
        return Objects.requireNonNull(samples.get(Metric.SEND)).count();
    }

    @Test
    void anIntervalHasWhatWasTakenSinceTheOneBefore() {
        Recording recording = new Recording(true, 2, 1, false);
        Lane lane = recording.lane(Metric.SEND, 0);
        lane.record(5, 0);
        lane.record(7, 1);
        recording.take();
        assertThat(count(recording.measured())).isEqualTo(1);
        assertThat(count(recording.warmup())).isEqualTo(1);
        lane.record(7, 1);
        recording.drain();
        assertThat(count(recording.measured())).as("in the midst and at the end of the interval").isEqualTo(2);
        assertThat(count(recording.warmup())).isEqualTo(1);

        lane.record(9, 1);
        recording.drain();
        assertThat(count(recording.measured())).isEqualTo(1);
        assertThat(count(recording.warmup())).isZero();
        assertThat(count(recording.total())).isEqualTo(3);
        recording.drain();
        assertThat(count(recording.measured())).isZero();
        assertThat(count(recording.total())).isEqualTo(3);
    }

    @Test
    void whatComesLateFromTheWarmUpIsTakenAndNotInTheTotal() {
        Recording recording = new Recording(true, 2, 1, false);
        Lane lane = recording.lane(Metric.SEND, 0);
        lane.record(5, 0);
        lane.record(7, 1);
        lane.record(9, 2);
        lane.record(9, 2);
        recording.drain();
        assertThat(recording.overdue(Metric.SEND)).isEqualTo(2);
        assertThat(count(recording.total())).isEqualTo(1);
        assertThat(count(recording.taken())).isEqualTo(3);
        assertThat(count(recording.warmup())).isEqualTo(3);
        assertThat(count(recording.phase(1))).as("the only measured phase").isEqualTo(1);
    }

    @Test
    void aPhaseHasItsOwnSamples() {
        Recording recording = new Recording(true, 3, 1, false);
        Lane lane = recording.lane(Metric.SEND, 0);
        lane.record(5, 0);
        lane.record(7, 1);
        lane.record(7, 2);
        lane.record(9, 2);
        recording.drain();
        assertThat(count(recording.phase(1))).isEqualTo(1);
        assertThat(count(recording.phase(2))).isEqualTo(2);
        assertThat(count(recording.phase(0))).isZero();

        Recording without = new Recording(false, 2, 1, false);
        without.lane(Metric.SEND, 0).record(5, 0);
        without.drain();
        assertThat(count(without.measured())).isEqualTo(1);
        assertThat(count(without.phase(0))).isEqualTo(1);
        assertThat(count(without.phase(1))).isZero();
    }

    /** Steps of 10 to 30 ns and of 40 ns; then it is decided that the second one was the last of the warm-up. */
    @Test
    void aWarmUpIsExtendedByStepsThatAreLookedAt() {
        Recording recording = new Recording(true, 3, 1, false);
        Lane lane = recording.lane(Metric.SEND, 0);
        assertThat(recording.stepMedian(Metric.SEND)).as("before a step").isNaN();
        recording.beginStep();
        assertThat(recording.stepMedian(Metric.SEND)).isNaN();
        lane.record(10, 0);
        lane.record(20, 0);
        lane.record(30, 0);
        lane.record(40, 1);
        recording.take();
        assertThat(recording.stepMedian(Metric.SEND)).isEqualTo(20);
        assertThat(count(recording.warmup())).isEqualTo(3);
        assertThat(count(recording.measured())).as("of a phase that may belong to the warm-up").isZero();

        recording.extendWarmup();
        recording.beginStep();
        recording.take();
        assertThat(recording.stepMedian(Metric.SEND)).isEqualTo(40);
        recording.endWarmup();
        recording.drain();
        assertThat(recording.stepMedian(Metric.SEND)).isNaN();
        assertThat(count(recording.warmup())).isEqualTo(4);

        lane.record(50, 2);
        lane.record(60, 1);
        lane.record(70, 3);
        recording.drain();
        assertThat(count(recording.measured())).isEqualTo(1);
        assertThat(count(recording.total())).isEqualTo(1);
        assertThat(recording.overdue(Metric.SEND)).as("due in the warm-up and taken behind it").isEqualTo(2);
        assertThat(count(recording.taken())).isEqualTo(3);
        assertThat(count(recording.phase(2))).isEqualTo(1);
    }

    /** The stripes of a phase of a group take 1,081,344 bytes, and all of them an eighth of the memory. */
    @ParameterizedTest
    @CsvSource({
        // processors, memory, phases, groups, stripes
        "1, 1e12, 1, 1, 2", "2, 1e12, 1, 1, 4", "3, 1e12, 1, 1, 8", "4, 1e12, 1, 1, 8", "32, 1e12, 1, 1, 64", "33, 1e12, 1, 1, 128",
        "1000, 1e12, 1, 1, 128", "64, 34603008, 1, 1, 4", "64, 34603007, 1, 1, 2", "64, 34603008, 2, 1, 2", "64, 34603008, 1, 2, 2",
        "64, 34603008, 1, 0, 4", "64, 1e6, 3, 9, 1"})
    void twoStripesForEachProcessorAreMadeAsFarAsThereIsRoom(int processors, double memory, int phases, int groups, int stripes) {
        assertThat(Recording.stripes(processors, (long) memory, phases, groups)).isEqualTo(stripes);
    }

    @Test
    void aGroupWithoutSamplesHasNone() {
        for (boolean manyGroups : new boolean[] {false, true}) {
            Recording recording = new Recording(false, 1, 2, manyGroups);
            recording.lane(Metric.SEND, 0).record(5, 0);
            recording.drain();
            assertThat(count(recording.group(0))).isEqualTo(1);
            assertThat(count(recording.group(1))).isZero();
        }
    }
}
