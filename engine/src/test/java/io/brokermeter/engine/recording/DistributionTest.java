package io.brokermeter.engine.recording;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;

import io.brokermeter.engine.scenario.measure.Metric;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Samples of several parts together, and the percentiles that they support. */
class DistributionTest {

    private static Distribution of(long negative, long clamped, long... nanos) {
        Histogram samples = Distribution.empty();
        for (long one : nanos) {
            samples.recordValue(one);
        }
        return new Distribution(samples, negative, clamped);
    }

    @Test
    void theSamplesOfSeveralPartsAreAddedUp() {
        Distribution sum = Distribution.sum(List.of(of(1, 2, 1_000, 1_500), of(4, 8, 2_000)));
        assertThat(sum).isEqualTo(of(5, 10, 1_000, 1_500, 2_000));
        assertThat(sum.count()).isEqualTo(3);
        assertThat(sum.meanNanos()).isEqualTo(1_500);
        assertThat(sum.maxNanos()).isEqualTo(2_000);
        assertThat(sum.nanosAt(50)).isEqualTo(1_500);
        assertThat(of(0, 0).meanNanos()).isZero();
    }

    @Test
    void eachMetricIsAddedUpByItself() {
        Map<Metric, Distribution> first = Map.of(Metric.SEND, of(0, 0, 1), Metric.RESPONSE, of(1, 0, 10));
        Map<Metric, Distribution> second = Map.of(Metric.RESPONSE, of(2, 3, 20));
        assertThat(Distribution.sums(List.of(first))).isSameAs(first);
        assertThat(Distribution.sums(List.of(first, second)))
            .isEqualTo(Map.of(Metric.SEND, of(0, 0, 1), Metric.RESPONSE, of(3, 3, 10, 20)));
    }

    /** A percentile needs ten samples beyond it, and the median one sample. */
    @ParameterizedTest
    @CsvSource({"0, 50, false", "1, 50, true", "99, 90, false", "100, 90, true", "999, 99, false", "1000, 99, true",
        "99999, 99.99, false", "100000, 99.99, true"})
    void aPercentileNeedsTenSamplesBeyondIt(long count, double percentile, boolean supported) {
        Histogram samples = Distribution.empty();
        if (count > 0) {
            samples.recordValueWithCount(1, count);
        }
        assertThat(new Distribution(samples, 0, 0).supports(percentile)).isEqualTo(supported);
    }

    @Test
    void aTimeBetweenTwoMachinesIsOneWay() {
        assertThat(List.of(Metric.values()).stream().filter(Metric::isOneWay))
            .containsExactly(Metric.TRANSFER, Metric.RESPONSE, Metric.LATE_DELIVERY);
        assertThat(Metric.SEND_DELAY.tag()).isEqualTo("delay-send");
    }
}
