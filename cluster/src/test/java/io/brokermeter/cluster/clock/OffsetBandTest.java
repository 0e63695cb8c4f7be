package io.brokermeter.cluster.clock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Known answers of the band, and a comparison with all pairs of its constraints. */
class OffsetBandTest {

    private static final long SECOND = 1_000_000_000L;

    /** Constraint on a line a + b x to stay below the point (x, y) if {@code side} is 1, or above it if -1: s (a + b x) &lt;= s y. */
    private record Constraint(double x, double y, int side) {}

    private record Extent(double low, double high, double least, double most) {}

    /**
     * Returns the extent of the polygon by brute force. Its corners are where two constraints meet, so all pairs are tested against all
     * constraints.
     */
    private static Extent brute(List<Constraint> constraints, double steepest) {
        double low = Double.POSITIVE_INFINITY;
        double high = Double.NEGATIVE_INFINITY;
        double least = low;
        double most = high;
        List<double[]> corners = new ArrayList<>();
        for (int i = 0; i < constraints.size(); i++) {
            Constraint p = constraints.get(i);
            corners.add(new double[] {p.y - steepest * p.x, steepest});
            corners.add(new double[] {p.y + steepest * p.x, -steepest});
            for (int j = 0; j < i; j++) {
                Constraint q = constraints.get(j);
                if (p.x != q.x) {
                    double b = (p.y - q.y) / (p.x - q.x);
                    corners.add(new double[] {p.y - b * p.x, b});
                }
            }
        }
        for (double[] corner : corners) {
            if (Math.abs(corner[1]) > steepest * (1 + 1e-12)) {
                continue;
            }
            boolean holds = true;
            for (Constraint c : constraints) {
                holds &= c.side * (corner[0] + corner[1] * c.x - c.y) <= 1e-6;
            }
            if (holds) {
                low = Math.min(low, corner[0]);
                high = Math.max(high, corner[0]);
                least = Math.min(least, corner[1]);
                most = Math.max(most, corner[1]);
            }
        }
        return new Extent(low, high, least, most);
    }

    @Test
    void itIsThePolygonThatAllPairsOfConstraintsGive() {
        Random random = new Random(1);
        int asked = 0;
        for (int run = 0; run < 300; run++) {
            long start = random.nextLong();
            long offset = random.nextLong();
            double drift = (random.nextDouble() - 0.5) * 900e-6;
            double wander = run % 3 == 0 ? 0 : 1e-6;
            long span = run % 2 == 0 ? 50 * SECOND : SECOND / 10;
            OffsetBand band = new OffsetBand(wander);
            int probes = 1 + random.nextInt(14);
            long[][] stamps = new long[probes][];
            long time = 0;
            for (int i = 0; i < probes; i++) {
                time += 1 + random.nextLong(span / probes);
                long out = random.nextLong(100_000);
                long held = random.nextLong(5_000);
                long back = random.nextLong(run % 5 == 0 ? 5_000_000 : 100_000);
                long left = time;
                long came = time + out + held + back;
                long t2 = start + left + out - (offset + Math.round(drift * (left + out)));
                long t3 = start + left + out + held - (offset + Math.round(drift * (left + out + held)));
                stamps[i] = new long[] {start + left, t2, t3, start + came};
                band.add(stamps[i][0], stamps[i][1], stamps[i][2], stamps[i][3]);
            }
            assertThat(band.steps()).isEmpty();
            for (long moment : new long[] {start, start + time / 2, start + time, start + time + SECOND}) {
                List<Constraint> constraints = new ArrayList<>();
                for (long[] s : stamps) {
                    double sent = s[0] - moment;
                    double came = s[3] - moment;
                    constraints.add(new Constraint(sent, s[0] - s[1] - offset - 1 - wander * Math.abs(sent), -1));
                    constraints.add(new Constraint(came, s[3] - s[2] - offset + 1 + wander * Math.abs(came), 1));
                }
                Extent extent = brute(constraints, OffsetBand.MAX_DRIFT);
                Offset known = band.at(moment);
                assertThat(known).isNotNull();
                assertThat(known.offset() - offset - (extent.low + extent.high) / 2).as("run %d", run).isBetween(-0.6, 0.6);
                assertThat(known.bound() - (extent.high - extent.low) / 2).isBetween(0.99, 2.01);
                assertThat(known.drift()).isCloseTo((extent.least + extent.most) / 2, within(1e-10));
                assertThat(known.driftBound()).isCloseTo((extent.most - extent.least) / 2, within(1e-10));
                asked++;
            }
        }
        assertThat(asked).isEqualTo(1_200);
    }

    /** The band stores only the hull of past seconds, without a loss of accuracy. */
    @Test
    void whatIsForgottenOfOldSecondsDidNotMatter() {
        Random random = new Random(4);
        OffsetBand band = new OffsetBand();
        List<Constraint> constraints = new ArrayList<>();
        long start = 1_000_000_000_000_000L;
        long moment = start + 6 * SECOND;
        for (long time = start; time < moment; time += 1 + random.nextLong(60_000_000)) {
            long t2 = time + 10_000 + random.nextLong(100_000);
            long t4 = t2 + 10_000 + random.nextLong(100_000);
            band.add(time, t2, t2, t4);
            constraints.add(new Constraint(time - moment, time - t2 - 1 - OffsetBand.WANDER * Math.abs(time - moment), -1));
            constraints.add(new Constraint(t4 - moment, t4 - t2 + 1 + OffsetBand.WANDER * Math.abs(t4 - moment), 1));
        }
        Extent extent = brute(constraints, OffsetBand.MAX_DRIFT);
        Offset known = band.at(moment);
        assertThat(constraints.size()).isGreaterThan(300);
        assertThat(known.offset() - (extent.low + extent.high) / 2).isBetween(-1.6, 1.6);
        assertThat(known.bound() - (extent.high - extent.low) / 2).isBetween(0.99, 4.0);
    }

    @Test
    void oneProbeKnowsHalfItsRoundTrip() {
        OffsetBand band = new OffsetBand();
        assertThat(band.at(0)).isNull();
        band.add(1_000, 500_000, 500_100, 3_100);
        Offset at = band.at(2_050);
        // Half of 2000, one for the unit of the stamps, one for rounding, and 500 ppm of the time to either end.
        assertThat(at.bound()).isBetween(1_001L, 1_004L);
        assertThat(at.offset()).isEqualTo(-498_000);
        assertThat(at.coordinator()).isEqualTo(500_050);
        assertThat(band.at(2_050 + SECOND).bound()).as("it may drift by 500 ppm").isBetween(501_000L, 502_100L);
    }

    @Test
    void theTwoEndsComeFromDifferentProbes() {
        OffsetBand band = new OffsetBand(0);
        long offset = 7 * SECOND;
        long time = 1_000_000_000_000_000L;
        // Out 1 us and back 500 us, then out 500 us and back 1 us: either probe alone has a bound of 250 us.
        for (int i = 0; i < 400; i++) {
            long out = i % 2 == 0 ? 1_000 : 500_000;
            long back = 501_000 - out;
            band.add(time, time + out - offset, time + out - offset, time + out + back);
            time += 20_000_000;
        }
        assertThat(band.at(time - 4 * SECOND).bound()).isLessThan(1_020);
        assertThat(band.at(time - 4 * SECOND).offset()).isCloseTo(offset, within(1_020L));
    }

    /** A constant asymmetry shifts the estimate by half of it; the bound covers this. */
    @Test
    void aConstantAsymmetryIsWithinTheBound() {
        OffsetBand band = new OffsetBand();
        for (long time = 0; time < 10 * SECOND; time += 20_000_000) {
            band.add(time, time + 300_000, time + 301_000, time + 311_000);
        }
        Offset at = band.at(9 * SECOND);
        assertThat(at.offset()).isCloseTo(-145_000, within(100L));
        assertThat(at.bound()).isBetween(155_000L, 155_500L);
    }

    @ParameterizedTest
    @ValueSource(longs = {3_000_000, -3_000_000, 400_000_000_000L, -5_000_000_000_000_000L, 250_000})
    void aStepIsFoundWithItsTimeAndSize(long size) {
        OffsetBand band = new OffsetBand();
        Random random = new Random(size);
        long start = 3_000_000_000_000_000L;
        long offset = -12_345_678_901L;
        long when = start + 20 * SECOND;
        long shift = Math.max(0, size);
        for (long time = start; time - start < 40 * SECOND; time += 1 + random.nextLong(40_000_000)) {
            long out = 20_000 + random.nextLong(50_000);
            long back = 20_000 + random.nextLong(50_000);
            // One clock jumps forwards: that of the agent, or, if the offset falls, that of the coordinator.
            long t1 = time + (time >= when ? shift : 0);
            long t2 = time + out - offset + (time + out >= when ? shift - size : 0);
            long t4 = time + out + back + (time + out + back >= when ? shift : 0);
            band.add(t1, t2, t2, t4);
        }
        assertThat(band.steps()).singleElement().satisfies(step -> {
            assertThat(step.from()).isLessThanOrEqualTo(when).isGreaterThan(when - SECOND);
            assertThat(step.to()).isGreaterThanOrEqualTo(when + shift).isLessThan(when + shift + SECOND);
            assertThat(step.by()).isCloseTo(size, within(step.bound()));
            // A jump of minutes is found no more accurately than the drift before it is known.
            assertThat(step.bound()).isLessThan(200_000 + Math.abs(size) / 100_000);
            assertThat(step.touches(when, when)).isTrue();
            assertThat(step.touches(when - 2 * SECOND, when - SECOND)).isFalse();
            assertThat(step.sentence(start)).startsWith("The clock of this agent or of the coordinator stepped by ");
        });
        long end = start + 39 * SECOND + shift;
        assertThat(band.at(end).offset()).isCloseTo(offset + size, within(band.at(end).bound()));
        assertThat(band.at(end).bound()).isLessThan(40_000);
    }

    /** A time daemon that adjusts the clock quickly: 1 ms a second for three seconds. */
    @Test
    void aClockThatRunsTooFastForAWhileIsOneStep() {
        OffsetBand band = new OffsetBand();
        Random random = new Random(5);
        for (long time = 0; time < 30 * SECOND; time += 20_000_000) {
            long t2 = time + 20_000 + random.nextLong(50_000);
            long t4 = t2 + 20_000 + random.nextLong(50_000);
            band.add(time + fast(time), t2, t2, t4 + fast(t4));
        }
        assertThat(band.steps()).singleElement().satisfies(step -> {
            assertThat(step.times()).isGreaterThan(5);
            assertThat(step.by()).isCloseTo(3_000_000, within(step.bound()));
        });
        assertThat(band.at(29 * SECOND).offset()).isCloseTo(3_000_000, within(band.at(29 * SECOND).bound()));
    }

    private static long fast(long time) {
        return Math.clamp((time - 10 * SECOND) / 1_000, 0, 3_000_000);
    }

    @Test
    void probesMayComeInAnyOrder() {
        Random random = new Random(9);
        List<long[]> probes = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            long time = i * 1_000_000L;
            long out = random.nextLong(10_000_000);
            long back = random.nextLong(10_000_000);
            probes.add(new long[] {time, time + out - 77, time + out - 77, time + out + back});
        }
        OffsetBand inOrder = new OffsetBand();
        OffsetBand asTheyCame = new OffsetBand();
        probes.forEach(p -> inOrder.add(p[0], p[1], p[2], p[3]));
        probes.sort((a, b) -> Long.compare(a[3], b[3]));
        probes.forEach(p -> asTheyCame.add(p[0], p[1], p[2], p[3]));
        assertThat(asTheyCame.at(100_000_000)).isEqualTo(inOrder.at(100_000_000));
    }

    @Test
    void aLongRunNeedsNoMoreMemoryAndKnowsTheLastMinuteOnly() {
        OffsetBand band = new OffsetBand();
        long offset = 0;
        long time = 0;
        for (int i = 0; i < 500_000; i++) {
            time += 20_000_000;
            // The drift varies between -2 and 2 ppm with a period of two hours, so no line fits the whole run.
            offset += Math.round(20_000_000 * 2e-6 * Math.sin(i / 180_000.0 * Math.PI));
            band.add(time + offset, time + 5_000, time + 6_000, time + 11_000 + offset);
            if (i % 50_000 == 0) {
                assertThat(band.at(time + offset).offset()).isCloseTo(offset, within(band.at(time + offset).bound()));
            }
        }
        assertThat(band.steps()).isEmpty();
        assertThat(time - band.begin()).isLessThan(61 * SECOND);
    }
}
