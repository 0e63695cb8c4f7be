package io.brokermeter.engine.recording.confidence;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.DoubleSupplier;
import java.util.function.Function;

import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.lane.Lane;
import io.brokermeter.engine.scenario.measure.Metric;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Simulated runs whose true percentiles and rates are known by theory. */
class SectionsCoverageTest {

    private static final int RUNS = 200;
    /** The size of one unit of simulated time in the histograms, small so that simulations are fast. */
    private static final double UNIT = 500;
    private static final double RATE = 200;

    /** A stationary source of times; the first comes from a warmed-up state. */
    private interface Source extends Function<SplittableRandom, DoubleSupplier> {}

    /** Times in a queue with random arrivals, in mean services. */
    private static Source queue(double load, Function<SplittableRandom, Double> service) {
        return random -> {
            double[] waited = {0};
            DoubleSupplier next = () -> {
                waited[0] = Math.max(0, waited[0] - exponential(random) / load) + service.apply(random);
                return waited[0];
            };
            for (int i = 0; i < 20 / (1 - load) / (1 - load); i++) {
                next.getAsDouble();
            }
            return next;
        };
    }

    private static Source mm1(double load) {
        return queue(load, SectionsCoverageTest::exponential);
    }

    /** The true percentile of M/M/1: the time in the system is exponential. */
    private static double mm1(double load, double percentile) {
        return -Math.log(1 - percentile / 100) / (1 - load);
    }

    /** Log-normal times whose logarithms are an autoregressive series. */
    private static Source autoregressive(double memory) {
        return random -> {
            double[] last = {random.nextGaussian()};
            double kept = Math.exp(-1 / memory);
            return () -> Math.exp(last[0] = kept * last[0] + Math.sqrt(1 - kept * kept) * random.nextGaussian());
        };
    }

    private static Source pareto(double power) {
        return random -> () -> Math.pow(1 - random.nextDouble(), -1 / power);
    }

    /** Exponential times, longer by the rest of a pause of 10 messages that begins with each message by chance. */
    private static Source bursts(double chance) {
        return random -> {
            int[] left = {0};
            return () -> {
                left[0] = random.nextDouble() < chance ? 10 : Math.max(0, left[0] - 1);
                return exponential(random) + 10 * left[0];
            };
        };
    }

    /** The true percentile of {@link #bursts}, by the distribution of what is left of a pause. */
    private static double burst(double chance, double percentile) {
        double low = 0;
        double high = 1000;
        while (high - low > 1e-6) {
            double at = (low + high) / 2;
            double beyond = Math.pow(1 - chance, 10) * Math.exp(-at);
            for (int left = 1; left <= 10; left++) {
                beyond += chance * Math.pow(1 - chance, 10 - left) * (10 * left >= at ? 1 : Math.exp(10 * left - at));
            }
            if (beyond > 1 - percentile / 100) {
                low = at;
            } else {
                high = at;
            }
        }
        return low;
    }

    private static double exponential(SplittableRandom random) {
        return -Math.log(1 - random.nextDouble());
    }

    private static double normal(double percentile) {
        return percentile == 50 ? 0 : percentile == 90 ? 1.281552 : 2.326348;
    }

    static List<Arguments> enough() {
        return List.of(
            Arguments.of("M/M/1 at 0.5", mm1(0.5), 50, 60, mm1(0.5, 50)),
            Arguments.of("M/M/1 at 0.5", mm1(0.5), 99, 240, mm1(0.5, 99)),
            Arguments.of("M/M/1 at 0.8", mm1(0.8), 50, 60, mm1(0.8, 50)),
            Arguments.of("M/M/1 at 0.8", mm1(0.8), 90, 120, mm1(0.8, 90)),
            Arguments.of("M/M/1 at 0.95", mm1(0.95), 50, 300, mm1(0.95, 50)),
            Arguments.of("M/D/1 at 0.8", queue(0.8, _ -> 1.0), 90, 60, Double.NaN),
            Arguments.of("AR(1)", autoregressive(20), 99, 240, Math.exp(normal(99))),
            Arguments.of("AR(1) of a second", autoregressive(200), 90, 300, Math.exp(normal(90))),
            Arguments.of("Pareto", pareto(1.5), 99, 60, Math.pow(0.01, -1 / 1.5)),
            Arguments.of("Pareto", pareto(1.5), 99.9, 240, Math.pow(0.001, -1 / 1.5)),
            Arguments.of("bursts", bursts(0.005), 99, 60, burst(0.005, 99)));
    }

    @ParameterizedTest(name = "{0}, p{2} of {3} s")
    @MethodSource("enough")
    void anIntervalCoversTheTruthWhereEnoughEpisodesAre(String name, Source source, double percentile, int seconds, double theory) {
        double truth = Double.isNaN(theory) ? simulated(source, percentile) : theory;
        Coverage count = count(source, percentile, seconds, truth);

        assertThat(count.shown).as("intervals shown").isGreaterThan(RUNS * 9 / 10);
        assertThat((double) count.covering / count.shown).as("coverage").isBetween(0.90, 0.985);
    }

    static List<Arguments> tooFew() {
        return List.of(Arguments.of("M/M/1 at 0.8", mm1(0.8), 99, 60, mm1(0.8, 99)),
            Arguments.of("M/M/1 at 0.8", mm1(0.8), 99, 240, mm1(0.8, 99)),
            Arguments.of("M/M/1 at 0.95", mm1(0.95), 99, 190, mm1(0.95, 99)),
            Arguments.of("M/M/1 at 0.95", mm1(0.95), 90, 120, mm1(0.95, 90)),
            Arguments.of("AR(1) of a second", autoregressive(200), 99, 60, Math.exp(normal(99))),
            Arguments.of("rare bursts", bursts(0.0002), 99.9, 240, burst(0.0002, 99.9)));
    }

    @ParameterizedTest(name = "{0}, p{2} of {3} s")
    @MethodSource("tooFew")
    void aPercentileOfFewEpisodesHasNoInterval(String name, Source source, double percentile, int seconds, double truth) {
        Coverage count = count(source, percentile, seconds, truth);

        assertThat(count.shown).as("intervals shown").isLessThan(RUNS / 3);
        assertThat(count.shown - count.covering).as("wrong intervals").isLessThan(RUNS * 6 / 100);
    }

    /** @param shown runs that had an interval */
    private record Coverage(int shown, int covering) {}

    private static Coverage count(Source source, double percentile, int seconds, double truth) {
        int shown = 0;
        int covering = 0;
        for (int run = 0; run < RUNS; run++) {
            Confidence one = run(source, seconds, run).of(Metric.RESPONSE, percentile);
            if (one.isKnown()) {
                shown++;
                covering += truth * UNIT >= one.low() * 0.999 && truth * UNIT <= one.high() * 1.001 ? 1 : 0;
            } else {
                assertThat(one.isTooFew()).isTrue();
            }
        }
        return new Coverage(shown, covering);
    }

    private static Confidences run(Source source, int seconds, long seed) {
        DoubleSupplier times = source.apply(new SplittableRandom(seed));
        Sections sections = new Sections();
        Histogram samples = Distribution.empty();
        // Intervals as long as sections are in the end, which changes nothing but the time that the test takes.
        int length = (seconds + 39) / 40;
        for (int at = 0; at < seconds; at += length) {
            samples.reset();
            for (int i = 0; i < RATE * length; i++) {
                samples.recordValue(Math.min(Lane.HIGHEST, (long) (times.getAsDouble() * UNIT)));
            }
            sections.add(SectionsTest.interval(at, length, (long) RATE * length, samples));
        }
        return sections.confidences(SectionsTest.stretch(seconds), SectionsTest.stretch(seconds));
    }

    private static double simulated(Source source, double percentile) {
        DoubleSupplier times = source.apply(new SplittableRandom(4711));
        Histogram samples = Distribution.empty();
        for (int i = 0; i < 2_000_000; i++) {
            samples.recordValue((long) (times.getAsDouble() * UNIT));
        }
        return samples.getValueAtPercentile(percentile) / UNIT;
    }

    @Test
    void theIntervalOfARateCoversTheMeanOfAnAutoregressiveOne() {
        int covering = 0;
        for (int run = 0; run < 1000; run++) {
            SplittableRandom random = new SplittableRandom(run);
            Sections sections = new Sections();
            double off = random.nextGaussian();
            for (int second = 0; second < 120; second++) {
                off = 0.5 * off + Math.sqrt(0.75) * random.nextGaussian();
                sections.add(SectionsTest.counted(second, Math.round(10_000 + 300 * off)));
            }
            Confidence rate = sections.confidences(SectionsTest.stretch(120), SectionsTest.stretch(120)).sent();
            covering += rate.low() <= 10_000 && rate.high() >= 10_000 ? 1 : 0;
        }
        assertThat(covering).isBetween(900, 975);
    }
}
