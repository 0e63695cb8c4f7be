package io.brokermeter.engine.recording.lane;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

import io.brokermeter.engine.recording.Allocation;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Recording;
import io.brokermeter.engine.scenario.measure.Metric;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LaneTest {

    @Test
    void keepsWhatAHistogramOfThreeDigitsKeeps() {
        Lane lane = new Lane(2, 4);
        Histogram expected = histogram();
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 200_000; i++) {
            long nanos = random.nextLong(Lane.HIGHEST + 1) >>> random.nextInt(43);
            lane.record(nanos, 1);
            expected.recordValue(nanos);
        }
        for (long edge : new long[] {0, 1, 1023, 1024, 2047, 2048, 4095, 4096, Lane.HIGHEST - 1, Lane.HIGHEST}) {
            lane.record(edge, 1);
            expected.recordValue(edge);
        }
        Histogram drained = histogram();
        lane.drain(1, drained);
        assertThat(drained).isEqualTo(expected);
        assertThat(drained.getMaxValue()).isEqualTo(expected.getMaxValue());
        assertThat(drained.getMinValue()).isEqualTo(expected.getMinValue());

        lane.drain(0, drained);
        lane.drain(1, drained);
        assertThat(drained.getTotalCount()).as("each sample is taken once").isEqualTo(expected.getTotalCount());
    }

    @Test
    void countsWhatIsOutOfRange() {
        Lane lane = new Lane(1, 1);
        lane.record(-1, 0);
        lane.record(Lane.HIGHEST, 0);
        assertThat(lane.drainClamped(0)).isZero();
        lane.record(Lane.HIGHEST + 1, 0);
        lane.record(Long.MAX_VALUE, 0);
        Histogram drained = histogram();
        lane.drain(0, drained);
        assertThat(drained.getTotalCount()).isEqualTo(3);
        assertThat(drained.getMaxValue()).isEqualTo(drained.highestEquivalentValue(Lane.HIGHEST));
        assertThat(lane.drainNegative(0)).isEqualTo(1);
        assertThat(lane.drainClamped(0)).isEqualTo(2);
        assertThat(lane.drainNegative(0) + lane.drainClamped(0)).isZero();
    }

    /** Of eight threads in all stripes, and three phases. */
    @Test
    void whatIsOutOfRangeBelongsToItsPhase() throws InterruptedException {
        Lane lane = new Lane(3, 4);
        for (int t = 0; t < 8; t++) {
            Thread.ofPlatform().start(() -> {
                for (int phase = 0; phase < 3; phase++) {
                    for (int i = 0; i <= phase; i++) {
                        lane.record(-1, phase);
                        lane.record(Long.MAX_VALUE, phase);
                    }
                }
            }).join();
        }
        assertThat(List.of(lane.drainClamped(1), lane.drainClamped(0), lane.drainClamped(2))).containsExactly(16L, 8L, 24L);
        assertThat(List.of(lane.drainNegative(1), lane.drainNegative(0), lane.drainNegative(2))).containsExactly(16L, 8L, 24L);
    }

    /** No sample is lost or drained twice, whether threads share a stripe or not, while the lane is drained concurrently. */
    @Test
    void losesNoSampleOfManyThreads() throws InterruptedException {
        for (int stripes : new int[] {1, 4}) {
            Lane lane = new Lane(1, stripes);
            int threads = 6;
            int each = 300_000;
            List<Thread> writers = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                int number = t;
                writers.add(Thread.ofPlatform().start(() -> {
                    for (int i = 0; i < each; i++) {
                        lane.record(i % 100 == 99 ? -1 : (i % 2 + 1L) << number, 0);
                    }
                }));
            }
            Histogram drained = histogram();
            long negative = 0;
            while (writers.stream().anyMatch(Thread::isAlive)) {
                lane.drain(0, drained);
                negative += lane.drainNegative(0);
            }
            for (Thread writer : writers) {
                writer.join();
            }
            lane.drain(0, drained);
            negative += lane.drainNegative(0);
            Histogram expected = histogram();
            for (int t = 0; t < threads; t++) {
                expected.recordValueWithCount(1L << t, each / 2);
                expected.recordValueWithCount(2L << t, each / 2 - each / 100);
            }
            assertThat(drained).isEqualTo(expected);
            assertThat(negative).isEqualTo(threads * (long) each / 100);
        }
    }

    @Test
    void allocatesNothingForASampleOrForTakingIt() {
        Lane lane = new Lane(1, 4);
        Histogram into = histogram();
        AtomicLong rounds = new AtomicLong();
        assertThat(Allocation.onceCompiled(4_096, () -> {
            fill(lane, into);
            rounds.incrementAndGet();
        })).isLessThan(4_096);
        assertThat(into.getTotalCount()).isEqualTo(rounds.get() * 100_000);
    }

    private static void fill(Lane lane, Histogram into) {
        for (int i = 0; i < 100_000; i++) {
            lane.record(i * 1_000L, 0);
        }
        lane.drain(0, into);
    }

    @Test
    void endpointsOfAGroupShareALane() {
        Recording recording = new Recording(true, 2, 2, false);
        assertThat(recording.lane(Metric.SEND, 0)).isSameAs(recording.lane(Metric.SEND, 0))
            .isNotSameAs(recording.lane(Metric.SEND, 1)).isNotSameAs(recording.lane(Metric.SEND_DELAY, 0));
    }

    /** Samples of the warm-up, of two measured phases, and of messages that were due in the warm-up and came after it. */
    @Test
    void samplesBelowZeroAndAboveTheRangeBelongToTheirPhase() {
        Recording recording = new Recording(true, 3, 2, true);
        Lane lane = recording.lane(Metric.TRANSFER, 1);
        for (int phase = 0; phase < 4; phase++) {
            for (int i = 0; i < 1 << phase; i++) {
                lane.record(-5, phase);
                lane.record(Lane.HIGHEST + 1, phase);
                lane.record(Lane.HIGHEST + 1, phase);
            }
        }
        recording.drain();

        // The warm-up has 1 of them, the measured phases 2 and 4, and the late messages of the warm-up 8.
        assertOdd(recording.warmup(), 9);
        assertOdd(recording.measured(), 6);
        assertOdd(recording.total(), 6);
        assertOdd(recording.group(1), 6);
        assertOdd(recording.taken(), 14);
        assertOdd(recording.phase(1), 2);
        assertOdd(recording.phase(2), 4);
    }

    /** Producers receive nothing and consumers send nothing, so neither has the times of the other. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aGroupHasOnlyTheTimesThatItRecorded(boolean manyGroups) {
        Recording recording = new Recording(true, 2, 2, manyGroups);
        recording.lane(Metric.SEND, 0).record(5, 1);
        recording.lane(Metric.TRANSFER, 1).record(7, 1);
        // Repliers have a lane for responses, but the requesters record them.
        recording.lane(Metric.RESPONSE, 1);
        recording.lane(Metric.RESPONSE, 0).record(9, 1);
        recording.drain();

        assertThat(counts(recording.group(0))).isEqualTo(Map.of(Metric.SEND, 1L, Metric.RESPONSE, 1L));
        assertThat(counts(recording.group(1))).isEqualTo(Map.of(Metric.TRANSFER, 1L));
    }

    private static Map<Metric, Long> counts(Map<Metric, Distribution> samples) {
        return samples.entrySet().stream().filter(one -> one.getValue().count() > 0)
            .collect(Collectors.toMap(Map.Entry::getKey, one -> one.getValue().count()));
    }

    private static void assertOdd(Map<Metric, Distribution> samples, long negative) {
        Distribution transfers = Objects.requireNonNull(samples.get(Metric.TRANSFER));
        assertThat(transfers.negative()).isEqualTo(negative);
        assertThat(transfers.clamped()).isEqualTo(2 * negative);
        assertThat(transfers.count()).isEqualTo(2 * negative);
    }

    private static Histogram histogram() {
        return new Histogram(1, Lane.HIGHEST, Lane.DIGITS);
    }
}
