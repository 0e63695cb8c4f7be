package io.brokermeter.brokers.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Objects;

import io.brokermeter.engine.recording.BrokerSample;
import org.junit.jupiter.api.Test;

/** Readings at known times, and the figures they come to. */
class SeriesTest {

    private static final long SECOND = 1_000_000_000L;
    private final UsageSeries series = new UsageSeries(1000);

    private static UsageReading at(double seconds, double cpu, long memory, long amount) {
        return new UsageReading((long) (seconds * SECOND), cpu, memory, 10, 20, amount, 2 * amount, 3 * amount, 4 * amount);
    }

    private BrokerSample.Usage usage() {
        return Objects.requireNonNull(series.take()).usage();
    }

    @Test
    void aSampleIsWhatGrewSinceTheLastOne() {
        series.add(at(0, 100, 100, 1000));
        assertThat(series.take()).as("one reading is no growth").isNull();
        series.add(at(1, 100.5, 200, 1010));
        assertThat(usage()).isEqualTo(new BrokerSample.Usage(50, 200, 20, 10, 20, 10, 20, 30, 40));
        assertThat(series.take()).isNull();
        series.add(at(2, 102.5, 300, 1010));
        series.add(at(3, 103.5, 100, 1013));
        UsageSeries.Taken both = Objects.requireNonNull(series.take());
        assertThat(both.seconds()).isEqualTo(2);
        assertThat(both.usage()).isEqualTo(new BrokerSample.Usage(150, 100, 10, 10, 20, 3, 6, 9, 12));
    }

    @Test
    void theMeasuredPhaseHasMeansMaximaAndAmounts() {
        series.add(at(0, 0, 900, 0));
        series.begin((long) (0.95 * SECOND));
        series.add(at(1, 5, 300, 100));
        series.add(at(2, 7, 200, 110));
        series.add(at(4, 8, 400, 130));
        UsageSeries.Whole whole = series.whole();
        assertThat(whole.seconds()).isEqualTo(3);
        assertThat(whole.cpuSeconds()).isEqualTo(3);
        assertThat(whole.cpuPercent()).isCloseTo(100, within(1e-9));
        assertThat(whole.cpuPercentMax()).isCloseTo(200, within(1e-9));
        assertThat(whole.residentBytes()).isEqualTo(300);
        assertThat(whole.residentBytesMax()).isEqualTo(400);
        assertThat(whole.memoryPercentMax()).isEqualTo(40);
        assertThat(whole.diskReadBytes()).isEqualTo(30);
        assertThat(whole.diskWrittenBytes()).isEqualTo(60);
        assertThat(whole.voluntarySwitches()).isEqualTo(90);
        assertThat(whole.threadsMax()).isEqualTo(10);
    }

    @Test
    void whatIsUnknownStaysUnknown() {
        series.begin(0);
        series.add(new UsageReading(SECOND, 1, 100, 10, -1, -1, -1, 5, 5));
        series.add(new UsageReading(2 * SECOND, Double.NaN, 100, 10, -1, -1, -1, 5, 5));
        assertThat(usage()).isEqualTo(new BrokerSample.Usage(Double.NaN, 100, 10, 10, -1, -1, -1, 0, 0));
        assertThat(series.whole().diskWrittenBytes()).isEqualTo(-1);
        assertThat(series.whole().openFilesMax()).isEqualTo(-1);
        assertThat(new UsageSeries(-1).whole()).isEqualTo(new UsageSeries.Whole(Double.NaN, Double.NaN, Double.NaN, Double.NaN,
            -1, -1, Double.NaN, Double.NaN, -1, -1, -1, -1, -1, -1));
    }

    @Test
    void anAmountThatFallsWasBegunAnew() {
        series.begin(0);
        series.add(at(1, 100, 1, 50));
        series.add(at(2, 0.25, 1, 7));
        assertThat(usage().cpuPercent()).isEqualTo(25);
        assertThat(series.whole().diskReadBytes()).isEqualTo(7);
    }

    @Test
    void theHeapHasLevelsAndItsCollectionsGrow() {
        HeapSeries heap = new HeapSeries();
        heap.add(new HeapReading(0, 10, 100, 1000, 7, 70));
        heap.begin(SECOND / 2);
        heap.add(new HeapReading(SECOND, 30, 100, 1000, 8, 75));
        heap.add(new HeapReading(2 * SECOND, 20, 100, 1000, 9, 95));
        assertThat(heap.take(2 * SECOND)).isEqualTo(new BrokerSample.Heap(20, 100, 1000, 2, 25));
        assertThat(heap.take(2 * SECOND)).isEqualTo(new BrokerSample.Heap(20, 100, 1000, 0, 0));
        assertThat(heap.take(20 * SECOND)).as("long after the last reading").isNull();
        assertThat(heap.whole()).isEqualTo(new HeapSeries.Whole(30, 1000, 2, 25));
    }
}
