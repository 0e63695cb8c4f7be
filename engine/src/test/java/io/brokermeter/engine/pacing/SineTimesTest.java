package io.brokermeter.engine.pacing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Times of a sine, against the integral of its rate and against times that follow from symmetry. */
class SineTimesTest {

    /** Returns the number of events due in the first {@code t} seconds of m + a sin(2 pi t / P), by the integral of that. */
    private static double due(double mean, double amplitude, double period, double t) {
        return mean * t + amplitude * period / (2 * Math.PI) * (1 - Math.cos(2 * Math.PI * t / period));
    }

    /** Returns the moment before which {@code events} are due, by halving an interval until it is as small as a double can be. */
    private static double halved(double mean, double amplitude, double period, double events) {
        double low = 0;
        double high = events / mean + period;
        for (int i = 0; i < 200; i++) {
            double middle = (low + high) / 2;
            if (due(mean, amplitude, period, middle) < events) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    @ParameterizedTest(name = "{0}/s, {1}/s around it, every {2} ms")
    @CsvSource({"5000, 4000, 10000", "5000, 1, 10000", "1000, 1000, 2000", "300, 299.5, 700", "7, 3, 60000", "0.5, 0.25, 3600000"})
    void isTheInverseOfTheIntegralOfItsRate(double mean, double amplitude, long periodMillis) {
        double period = periodMillis / 1e3;
        SineTimes times = new SineTimes(mean, amplitude, Duration.ofMillis(periodMillis));
        long last = (long) (2.5 * mean * period) + 3;
        long step = Math.max(1, last / 1_999);
        for (long i = 0; i <= last; i += step) {
            double at = times.at(i) / 1e9;
            // Where the rate touches zero a moment is known no better than the share of an event that it stands for.
            double exact = halved(mean, amplitude, period, i);
            boolean isThere = Math.abs(at - exact) < 5e-9 || Math.abs(due(mean, amplitude, period, at) - i) < 1e-8 * Math.max(1, i);
            assertThat(isThere).as("event %d at %.9f s, by the integral at %.9f s", i, at, exact).isTrue();
        }
    }

    /** By symmetry a period has exactly m P events, and its first half m P / 2 + a P / pi. */
    @Test
    void aPeriodHasAsManyEventsAsItsMean() {
        SineTimes times = new SineTimes(5_000, 4_000, Duration.ofSeconds(10));
        for (int periods = 0; periods < 1_000; periods += 37) {
            assertThat((double) times.at(50_000L * periods)).isCloseTo(10e9 * periods, within(2.0));
        }
        SineTimes half = new SineTimes(Math.PI, Math.PI / 2, Duration.ofSeconds(8));
        // m P / 2 + a P / pi = 4 pi + 4 = 16.566: event 16 is due before the half of the period, event 17 behind it.
        assertThat(half.at(16)).isLessThan(4_000_000_000L);
        assertThat(half.at(17)).isGreaterThan(4_000_000_000L);
    }

    /** Near its start the rate is m (1 + a 2 pi t / P), so the second event comes before 1 / m. */
    @Test
    void theFirstEventIsDueAtOnceAndTheNextOnesComeEverFaster() {
        SineTimes times = new SineTimes(100, 100, Duration.ofSeconds(1));
        assertThat(times.at(0)).isZero();
        long gap = Long.MAX_VALUE;
        // Up to a quarter of the period, which has 25 + 100 / (2 pi) = 40.9 events.
        for (int i = 1; i <= 40; i++) {
            long next = times.at(i) - times.at(i - 1L);
            assertThat(next).as("gap before event " + i).isLessThanOrEqualTo(gap).isLessThan(10_000_000);
            gap = next;
        }
    }

    /** The rate is zero at three quarters of the period; the events around that moment are apart by many mean gaps. */
    @Test
    void hasItsSilenceAtThreeQuartersOfThePeriod() {
        SineTimes times = new SineTimes(100, 100, Duration.ofSeconds(1));
        long widest = 0;
        long at = 0;
        for (long i = 1; i <= 100; i++) {
            if (times.at(i) - times.at(i - 1) > widest) {
                widest = times.at(i) - times.at(i - 1);
                at = times.at(i - 1);
            }
        }
        assertThat(widest).isGreaterThan(50_000_000);
        assertThat(750_000_000L).isBetween(at, at + widest);
    }
}
