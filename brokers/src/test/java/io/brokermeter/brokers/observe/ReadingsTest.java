package io.brokermeter.brokers.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Objects;

import io.brokermeter.engine.recording.BrokerSample;
import org.junit.jupiter.api.Test;

/** Figures computed from readings at known times. */
class ReadingsTest {

    private static final long SECOND = 1_000_000_000L;
    private final Readings series = new Readings(1000);

    private static Reading at(double seconds, double cpu, long memory, long amount) {
        return new Reading((long) (seconds * SECOND)).set(ProcessFigure.CPU_SECONDS, cpu).set(ProcessFigure.RESIDENT_BYTES, memory)
            .set(ProcessFigure.THREADS, 10).set(ProcessFigure.OPEN_FILES, 20).set(ProcessFigure.DISK_READ_BYTES, amount)
            .set(ProcessFigure.DISK_WRITTEN_BYTES, 2 * amount).set(ProcessFigure.VOLUNTARY_SWITCHES, 3 * amount)
            .set(ProcessFigure.INVOLUNTARY_SWITCHES, 4 * amount);
    }

    private static Reading heapAt(long seconds, long used, long pauses, long millis) {
        return new Reading(seconds * SECOND).set(ProcessFigure.HEAP_USED_BYTES, used).set(ProcessFigure.HEAP_COMMITTED_BYTES, 100)
            .set(ProcessFigure.HEAP_MAX_BYTES, 1000).set(ProcessFigure.GC_COUNT, pauses).set(ProcessFigure.GC_MILLIS, millis);
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
        Reading both = Objects.requireNonNull(series.take());
        assertThat(both.get(ProcessFigure.SECONDS)).isEqualTo(2);
        assertThat(both.usage()).isEqualTo(new BrokerSample.Usage(150, 100, 10, 10, 20, 3, 6, 9, 12));
    }

    @Test
    void theMeasuredPhaseHasMeansMaximaAndAmounts() {
        series.add(at(0, 0, 900, 0));
        series.begin((long) (0.95 * SECOND));
        series.add(at(1, 5, 300, 100));
        series.add(at(2, 7, 200, 110));
        series.add(at(4, 8, 400, 130));
        Readings.Whole whole = series.whole();
        assertThat(whole.mean().get(ProcessFigure.SECONDS)).isEqualTo(3);
        assertThat(whole.mean().get(ProcessFigure.CPU_SECONDS)).isEqualTo(3);
        assertThat(whole.mean().get(ProcessFigure.CPU_PERCENT)).isCloseTo(100, within(1e-9));
        assertThat(whole.most().get(ProcessFigure.CPU_PERCENT)).isCloseTo(200, within(1e-9));
        assertThat(whole.mean().whole(ProcessFigure.RESIDENT_BYTES)).isEqualTo(300);
        assertThat(whole.most().whole(ProcessFigure.RESIDENT_BYTES)).isEqualTo(400);
        assertThat(whole.most().get(ProcessFigure.MEMORY_PERCENT)).isEqualTo(40);
        assertThat(whole.mean().whole(ProcessFigure.DISK_READ_BYTES)).isEqualTo(30);
        assertThat(whole.mean().whole(ProcessFigure.DISK_WRITTEN_BYTES)).isEqualTo(60);
        assertThat(whole.mean().whole(ProcessFigure.VOLUNTARY_SWITCHES)).isEqualTo(90);
        assertThat(whole.most().whole(ProcessFigure.THREADS)).isEqualTo(10);
    }

    private double busiest() {
        return series.whole().most().get(ProcessFigure.CPU_PERCENT);
    }

    private void used(double seconds, double cpu) {
        series.add(at(seconds, cpu, 1, 0));
    }

    /**
     * The process uses 55 % of a processor all the time. CPU time is counted in whole hundredths of a second, so an interval of 0.1 s may
     * appear to contain 0.08 s of it.
     */
    @Test
    void theBusiestSecondIsNoTenthOfOne() {
        series.begin((long) (0.95 * SECOND));
        used(1, 0);
        used(2, 0.55);
        used(3, 1.10);
        used(3.1, 1.18);
        assertThat(busiest()).isCloseTo(100 * (0.55 + 0.08) / 1.1, within(1e-9));
        used(3.6, 1.42);
        assertThat(busiest()).as("0.6 s with what came before").isCloseTo(55, within(1e-9));
        used(4.6, 1.62);
        assertThat(busiest()).isCloseTo(55, within(1e-9));
    }

    @Test
    void aShortStepIsJudgedTogetherWithTheNextOne() {
        series.begin((long) (0.95 * SECOND));
        used(1, 0);
        used(1.25, 0.2);
        used(2, 0.3);
        assertThat(busiest()).isCloseTo(30, within(1e-9));
    }

    @Test
    void ofARunThatIsShorterThanAnyStepTheMeanIsKnown() {
        series.begin((long) (0.95 * SECOND));
        used(1, 0);
        used(1.05, 0.01);
        used(1.25, 0.05);
        assertThat(busiest()).isCloseTo(20, within(1e-9));
    }

    @Test
    void whatWasUsedBeforeTheLastReadingIsCountedAndMakesNoSecondTheBusiest() {
        series.begin((long) (0.95 * SECOND));
        used(1, 0);
        used(2, 0.5);
        series.add(at(3, 4, 1, 0), true);
        used(11, 4);
        assertThat(series.whole().mean().get(ProcessFigure.CPU_SECONDS)).isEqualTo(4);
        assertThat(busiest()).isCloseTo(50, within(1e-9));
    }

    @Test
    void whatIsUnknownStaysUnknown() {
        series.begin(0);
        for (Reading reading : new Reading[] {at(1, 1, 100, 5), at(2, -1, 100, 5)}) {
            series.add(
                reading.set(ProcessFigure.OPEN_FILES, -1).set(ProcessFigure.DISK_READ_BYTES, -1).set(ProcessFigure.DISK_WRITTEN_BYTES, -1));
        }
        assertThat(usage()).isEqualTo(new BrokerSample.Usage(Double.NaN, 100, 10, 10, -1, -1, -1, 0, 0));
        assertThat(series.whole().mean().whole(ProcessFigure.DISK_WRITTEN_BYTES)).isEqualTo(-1);
        assertThat(series.whole().most().whole(ProcessFigure.OPEN_FILES)).isEqualTo(-1);
        Readings.Whole none = new Readings(-1).whole();
        for (ProcessFigure figure : ProcessFigure.values()) {
            assertThat(none.mean().knows(figure) || none.most().knows(figure)).as(figure.toString()).isFalse();
        }
    }

    @Test
    void anAmountThatFallsWasBegunAnew() {
        series.begin(0);
        series.add(at(1, 100, 1, 50));
        series.add(at(2, 0.25, 1, 7));
        assertThat(usage().cpuPercent()).isEqualTo(25);
        assertThat(series.whole().mean().whole(ProcessFigure.DISK_READ_BYTES)).isEqualTo(7);
    }

    @Test
    void theHeapHasLevelsAndItsCollectionsGrow() {
        Readings heap = new Readings(-1);
        heap.add(heapAt(0, 10, 7, 70));
        heap.begin(SECOND / 2);
        heap.add(heapAt(1, 30, 8, 75));
        heap.add(heapAt(2, 20, 9, 95));
        assertThat(Objects.requireNonNull(heap.takeRecent(2 * SECOND)).heap()).isEqualTo(new BrokerSample.Heap(20, 100, 1000, 2, 25));
        assertThat(Objects.requireNonNull(heap.takeRecent(2 * SECOND)).heap()).isEqualTo(new BrokerSample.Heap(20, 100, 1000, 0, 0));
        assertThat(heap.takeRecent(20 * SECOND)).as("long after the last reading").isNull();
        assertThat(heap.whole().most().heap()).isEqualTo(new BrokerSample.Heap(30, 100, 1000, -1, -1));
        assertThat(heap.whole().mean().heap()).isEqualTo(new BrokerSample.Heap(-1, -1, -1, 2, 25));
    }
}
