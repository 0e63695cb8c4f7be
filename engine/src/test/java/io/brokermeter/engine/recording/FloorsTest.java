package io.brokermeter.engine.recording;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.Arrays;
import java.util.List;

import io.brokermeter.engine.health.OwnStalls;
import io.brokermeter.engine.scenario.measure.Metric;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What stalls of more than a millisecond do to times of a broker that takes a millisecond. */
class FloorsTest {

    /** @param lost share of the time, beyond a millisecond each */
    private static Floors floors(double lost, boolean scheduled) {
        return new Floors(new OwnStalls(1_000, List.of(new OwnStalls.Level(1, lost, 0.5, 0))), scheduled);
    }

    /** Returns 1,000 times, {@code slow} of which are of {@code millis}, and the others of a millisecond. */
    private static Distribution times(int slow, double millis) {
        Histogram times = Distribution.empty();
        times.recordValueWithCount(1_000_000, 1_000 - slow);
        times.recordValueWithCount(Math.round(millis * 1e6), slow);
        return new Distribution(times, 0, 0);
    }

    /** Of 20.5 in 1,000 that waited longer than a millisecond, and none for the fourth root of 2 times as long, 10 are beyond p99. */
    @Test
    void timesSinceTheDueMomentHaveTheFloorOfAllThatWasDueInAStall() {
        double floor = 1e6 * (1 + (Math.pow(2, 0.25) - 1) * 10.5 / 20.5);
        for (Metric metric : Metric.values()) {
            boolean responds = metric == Metric.SEND_DELAY || metric == Metric.RESPONSE;
            for (boolean scheduled : new boolean[] {false, true}) {
                double found = floors(0.02, scheduled).nanos(metric, times(30, 5), 99);
                if (metric == Metric.LATE_DELIVERY || scheduled && responds) {
                    assertThat(found).as(metric.key()).isCloseTo(floor, withinPercentage(0.01));
                } else {
                    assertThat(found).as(metric.key()).isZero();
                }
            }
        }
    }

    @Test
    void aFloorIsNotAboveTheTime() {
        Distribution quick = times(1_000, 0.5);
        assertThat(floors(0.02, true).nanos(Metric.RESPONSE, quick, 99)).isEqualTo(quick.nanosAt(99));
        assertThat(floors(0.02, true).nanos(Metric.RESPONSE, quick, 90)).isZero();
        assertThat(floors(0.02, true).nanos(Metric.RESPONSE, times(0, 1), 99)).isPositive();
    }

    /** A fourth of a percentile that is far from the median is not half of it. Above it, what had to wait for the stall waits, too. */
    @ParameterizedTest
    @CsvSource({"30, 2.1, 99, true", "30, 5, 99, false", "30, 2.1, 90, false", "30, 2.1, 99.9, true", "30, 5, 99.9, false"})
    void aPercentileIsMarkedWhereStallsMakeHalfOfIt(int slow, double millis, double percentile, boolean marked) {
        assertThat(floors(0.02, true).isMarked(Metric.RESPONSE, times(slow, millis), percentile)).isEqualTo(marked);
        assertThat(floors(0.02, true).isMostlyStalls(Metric.RESPONSE, times(slow, millis), percentile)).isEqualTo(marked);
        assertThat(floors(0.02, false).isMarked(Metric.RESPONSE, times(slow, millis), percentile)).isFalse();
    }

    @Test
    void withoutTimesThereIsNoFloorAndNoMark() {
        Distribution none = new Distribution(Distribution.empty(), 0, 0);
        assertThat(floors(0.02, true).nanos(Metric.RESPONSE, none, 99)).isZero();
        assertThat(floors(0.02, true).isMarked(Metric.RESPONSE, none, 99)).isFalse();
        assertThat(floors(0.02, true).wouldHaveKept(Metric.RESPONSE, none, 99, 2_000)).isFalse();
    }

    /** Of 1,000 messages, 30 took longer than 2 ms. Without 1.25 times those that stalls delayed, at most 10 would have for p99. */
    @ParameterizedTest
    @CsvSource({"0.016, 2000, true", "0.014, 2000, false", "0.016, 900, false", "0.016, 6000, false", "0.2, 1e30, false"})
    void aLimitWouldHaveBeenKeptWithoutWhatStallsDelayed(double lost, double limitMicros, boolean kept) {
        assertThat(floors(lost, true).wouldHaveKept(Metric.RESPONSE, times(30, 5), 99, limitMicros)).isEqualTo(kept);
        assertThat(floors(lost, false).wouldHaveKept(Metric.RESPONSE, times(30, 5), 99, limitMicros)).isFalse();
    }

    /** A time in the middle of its cell of the histogram belongs to it up to the cell's end. */
    @Test
    void theMedianItselfIsNoLimitBelowIt() {
        Distribution times = times(30, 5);
        assertThat(floors(0.016, true).wouldHaveKept(Metric.RESPONSE, times, 99, times.nanosAt(50) / 1e3)).isTrue();
        assertThat(floors(0.016, true).wouldHaveKept(Metric.RESPONSE, times, 99, (times.nanosAt(50) - 1) / 1e3)).isFalse();
    }

    @Test
    void connectionsOfSeveralProcessesAreAddedUp() {
        assertThat(ConnectTimes.sum(List.of())).isNull();
        Histogram first = ConnectTimes.histogram();
        first.recordValue(1_000);
        first.recordValue(3_600_000_000_000L);
        Histogram second = ConnectTimes.histogram();
        second.recordValue(2_000);
        ConnectTimes sum = ConnectTimes.sum(Arrays.asList(new ConnectTimes(50, 3, 7, first), new ConnectTimes(50, 4, 8, second)));
        first.add(second);
        assertThat(sum).isEqualTo(new ConnectTimes(50, 4, 15, first));
        assertThat(new ConnectTimes(50, 4, 15, first).count()).isEqualTo(3);
    }
}
