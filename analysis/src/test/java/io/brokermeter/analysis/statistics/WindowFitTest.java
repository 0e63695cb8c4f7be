package io.brokermeter.analysis.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.DoubleBinaryOperator;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Fits of rates that are computed from a known cause, with and without noise. */
class WindowFitTest {

    private static final double[] ROUND_TRIPS = {0, 0.010, 0.030, 0.100};
    private static final double[] SIZES = {256, 2048, 16384};
    /**
     * Spread of the logarithm of a rate: half a normal distribution below the rate that the cause allows, plus a normal one of a tenth of
     * it.
     */
    private static final double NOISE = 0.04;

    /** Returns the rates of a cause, which is the time per message as a function of round trip and size. */
    static List<RateOverDistance> rates(double noise, long seed, DoubleBinaryOperator time) {
        return rates(SIZES, noise, seed, time);
    }

    private static List<RateOverDistance> rates(double[] sizes, double noise, long seed, DoubleBinaryOperator time) {
        SplittableRandom random = new SplittableRandom(seed);
        List<RateOverDistance> rates = new ArrayList<>();
        for (double size : sizes) {
            for (double roundTrip : ROUND_TRIPS) {
                double most = Math.min(30_000, 24e6 / size);
                double rate = Math.min(most, 1 / time.applyAsDouble(roundTrip, size))
                    * Math.exp(noise * (0.1 * random.nextGaussian() - Math.abs(random.nextGaussian())));
                rates.add(new RateOverDistance(roundTrip, size, rate, most, 3));
            }
        }
        return rates;
    }

    static double messages(double window, double roundTrip) {
        return Math.max(20e-6, (roundTrip + 0.0003) / window);
    }

    private static double bytes(double window, double overhead, double roundTrip, double size) {
        return Math.max(20e-6, (roundTrip + 0.0003) * (size + overhead) / window);
    }

    @ParameterizedTest
    @ValueSource(doubles = {1, 60, 1000})
    void aWindowInMessagesIsFound(double window) {
        for (int seed = 0; seed < 5; seed++) {
            WindowFit fit = WindowFit.of(rates(seed == 0 ? 0 : NOISE, seed, (roundTrip, _) -> messages(window, roundTrip)));

            assertThat(fit.limit()).isEqualTo(WindowFit.Limit.MESSAGES);
            ConfidenceInterval found = Objects.requireNonNull(fit.messages());
            // A window of 1,000 limits the rate over the longest distance only.
            assertThat(found.estimate()).isCloseTo(window, within((window < 1000 ? 0.05 : 0.1) * window));
            assertThat(window).isBetween(0.97 * found.low(), 1.03 * found.high());
            assertThat(found.high() / found.low()).isLessThan(1.5);
            assertThat(fit.probability()).isGreaterThan(0.7);
            assertThat(fit.bytes()).isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {16384, 65536, 1 << 20})
    void aWindowInBytesIsFoundWithWhatAMessageTakesOfItBesideItsBody(double window) {
        for (int seed = 0; seed < 5; seed++) {
            WindowFit fit = WindowFit.of(rates(seed == 0 ? 0 : NOISE, seed, (roundTrip, size) -> bytes(window, 180, roundTrip, size)));

            assertThat(fit.limit()).isEqualTo(WindowFit.Limit.BYTES);
            ConfidenceInterval found = Objects.requireNonNull(fit.bytes());
            // A window of 1 MiB limits the rate over the longest distance only, since 24 MB/s are asked.
            assertThat(found.estimate()).isCloseTo(window, within((window < 1e6 ? 0.05 : 0.15) * window));
            assertThat(window).isBetween(0.97 * found.low(), 1.03 * found.high());
            assertThat(fit.probability()).isGreaterThan(0.7);
            if (window < 1e6) {
                assertThat(fit.overhead()).isCloseTo(180, within(60.0));
            }
        }
    }

    @Test
    void aWindowOfEachKindIsFoundWhereBothHold() {
        WindowFit fit =
            WindowFit.of(rates(NOISE, 7, (roundTrip, size) -> Math.max(messages(100, roundTrip), bytes(262_144, 100, roundTrip, size))));

        assertThat(fit.limit()).isEqualTo(WindowFit.Limit.BOTH);
        assertThat(Objects.requireNonNull(fit.messages()).estimate()).isCloseTo(100, within(5.0));
        assertThat(Objects.requireNonNull(fit.bytes()).estimate()).isCloseTo(262_144, within(20_000.0));
    }

    /** Whatever two windows do to messages of two sizes, one in bytes does with some overhead. */
    @ParameterizedTest
    @CsvSource({"256, 16384, 100, 262144, 0", "256, 2048, 300, 131072, 0", "256, 16384, 1e9, 65536, 180"})
    void twoSizesDoNotTellTwoWindowsFromBytesWithOverhead(double small, double large, double messages, double bytes, double overhead) {
        for (int seed = 0; seed < 5; seed++) {
            WindowFit fit = WindowFit.of(rates(new double[] {small, large}, NOISE, seed,
                (roundTrip, size) -> Math.max(messages(messages, roundTrip), bytes(bytes, overhead, roundTrip, size))));
            WindowFit other = Objects.requireNonNull(fit.other());
            assertThat(List.of(fit.limit(), other.limit())).containsExactlyInAnyOrder(WindowFit.Limit.BYTES, WindowFit.Limit.BOTH);
            assertThat(fit.probability()).isLessThan(0.8);
            assertThat(fit.probability() + other.probability()).isGreaterThan(0.9);
        }
    }

    @Test
    void twoSizesTellWhatOneWindowExplains() {
        for (int seed = 0; seed < 5; seed++) {
            WindowFit messages = WindowFit.of(rates(new double[] {256, 16384}, NOISE, seed, (roundTrip, _) -> messages(60, roundTrip)));
            assertThat(messages.limit()).isEqualTo(WindowFit.Limit.MESSAGES);
            assertThat(messages.other()).isNull();
            WindowFit bytes =
                WindowFit.of(rates(new double[] {256, 16384}, NOISE, seed, (roundTrip, size) -> bytes(65_536, 0, roundTrip, size)));
            assertThat(bytes.limit()).isEqualTo(WindowFit.Limit.BYTES);
            assertThat(bytes.other()).isNull();
        }
    }

    /** Trials of a tenth of the usual length: over 100 ms, the last round trip is a quarter of one, and a rate lacks up to all of it. */
    @ParameterizedTest
    @ValueSource(doubles = {0.1, 0.2})
    void whatAShortTrialLacksIsNoWindow(double scale) {
        int windows = 0;
        for (int seed = 0; seed < 10; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            List<RateOverDistance> rates = new ArrayList<>();
            for (RateOverDistance one : rates(0.02, seed, (_, size) -> (size + 50) / 2e6)) {
                double seconds = scale * Math.max(3, 40 * one.roundTrip());
                double lacking = 1 - random.nextDouble() * one.roundTrip() / seconds;
                rates.add(new RateOverDistance(one.roundTrip(), one.size(), one.rate() * lacking, Double.POSITIVE_INFINITY, seconds));
            }
            windows += WindowFit.of(rates).limit() == WindowFit.Limit.NOTHING ? 0 : 1;
        }
        assertThat(windows).isZero();
    }

    @Test
    void messagesOfOneSizeTellNoWindowInMessagesFromOneInBytes() {
        List<RateOverDistance> all = rates(0, 0, (roundTrip, size) -> bytes(65_536, 0, roundTrip, size)).stream()
            .filter(one -> one.size() == 2048).toList();
        WindowFit fit = WindowFit.of(all);

        assertThat(fit.limit()).isEqualTo(WindowFit.Limit.EITHER);
        assertThat(fit.isUntouched()).isFalse();
        ConfidenceInterval messages = Objects.requireNonNull(fit.messages());
        assertThat(messages.estimate()).isCloseTo(32, within(2.0));
        assertThat(Objects.requireNonNull(fit.bytes()).estimate()).isEqualTo(2048 * messages.estimate());
        assertThat(fit.overhead()).isZero();
        assertThat(fit.rate(0.1, 2048, 1e6)).isCloseTo(all.getLast().rate(), within(0.1 * all.getLast().rate()));

        WindowFit slow = WindowFit.of(rates(new double[] {2048}, 0, 0, (roundTrip, _) -> Math.max(0.001, messages(32, roundTrip))));
        assertThat(slow.limit()).isEqualTo(WindowFit.Limit.EITHER);
        assertThat(slow.perMessage()).isCloseTo(0.001, within(0.00005));
        assertThat(slow.perByte()).isZero();
    }

    @Test
    void aServiceTimeAndABandwidthAreNoWindow() {
        WindowFit service = WindowFit.of(rates(NOISE, 1, (_, _) -> 0.001));
        assertThat(service.limit()).isEqualTo(WindowFit.Limit.NOTHING);
        assertThat(service.perMessage()).isCloseTo(0.001, within(0.00005));
        assertThat(service.rate(0.1, 1000, Double.POSITIVE_INFINITY)).isCloseTo(1000, within(50.0));

        WindowFit bandwidth = WindowFit.of(rates(NOISE, 2, (_, size) -> (size + 50) / 2e6));
        assertThat(bandwidth.limit()).isEqualTo(WindowFit.Limit.NOTHING);
        assertThat(1 / bandwidth.perByte()).isCloseTo(2e6, within(1e5));
        assertThat(bandwidth.messages()).isNull();
        assertThat(bandwidth.bytes()).isNull();
    }

    @Test
    void aBandwidthBesideAWindowIsNotTakenForIt() {
        WindowFit fit = WindowFit.of(rates(NOISE, 3, (roundTrip, size) -> Math.max(size / 10e6, bytes(65_536, 100, roundTrip, size))));
        assertThat(fit.limit()).isEqualTo(WindowFit.Limit.BYTES);
        assertThat(Objects.requireNonNull(fit.bytes()).estimate()).isCloseTo(65_536, within(0.05 * 65_536));
    }

    @Test
    void aRateThatIsKeptOverEachDistanceIsHeldDownByNothing() {
        WindowFit fit = WindowFit.of(rates(NOISE, 4, (_, _) -> 1e-9));
        assertThat(fit.limit()).isEqualTo(WindowFit.Limit.NOTHING);
        assertThat(fit.falls()).isGreaterThan(0.9);
        assertThat(fit.isUntouched()).isTrue();
        assertThat(fit.probability()).isNaN();
    }

    @Test
    void oneWildTrialMovesTheWindowLittle() {
        List<RateOverDistance> rates = rates(NOISE, 5, (roundTrip, _) -> messages(60, roundTrip));
        RateOverDistance far = rates.get(7);
        assertThat(far.roundTrip()).isEqualTo(0.1);
        rates.set(7, new RateOverDistance(far.roundTrip(), far.size(), far.rate() * 0.4, far.most(), far.seconds()));

        WindowFit fit = WindowFit.of(rates);
        assertThat(fit.limit()).isEqualTo(WindowFit.Limit.MESSAGES);
        assertThat(Objects.requireNonNull(fit.messages()).estimate()).isCloseTo(60, within(4.0));
    }

    /** A busy machine lowers rates and never raises them; their mean would be 9 % below the window. */
    @ParameterizedTest
    @ValueSource(doubles = {1, 60})
    void aStarvedMachineDoesNotMakeAWindowSmaller(double window) {
        SplittableRandom random = new SplittableRandom(11);
        for (int i = 0; i < 5; i++) {
            List<RateOverDistance> rates = rates(0, 0, (roundTrip, _) -> messages(window, roundTrip)).stream()
                .map(
                    one -> new RateOverDistance(one.roundTrip(), one.size(), one.rate() * Math.exp(-0.12 * Math.abs(random.nextGaussian())),
                        one.most(), one.seconds()))
                .toList();
            WindowFit fit = WindowFit.of(rates);
            assertThat(fit.limit()).isEqualTo(WindowFit.Limit.MESSAGES);
            assertThat(Objects.requireNonNull(fit.messages()).estimate()).isCloseTo(window, within(0.06 * window));
        }
    }

    /** Rates measured beside other work on both cores. It was not recorded for how long the machine delayed the last trial. */
    @ParameterizedTest
    @CsvSource({"0, BYTES", "0.2, NOTHING", "0.4, NOTHING"})
    void aTrialThatTheMachineHeldUpIsWeakEvidence(double held, WindowFit.Limit limit) {
        WindowFit fit = WindowFit.of(List.of(new RateOverDistance(0.005, 256, 199, 200, 1), new RateOverDistance(0.05, 256, 200, 200, 1.1),
            new RateOverDistance(0.005, 4096, 200, 200, 1), new RateOverDistance(0.05, 4096, 158, 200, 1.1, held)));
        assertThat(fit.limit()).isEqualTo(limit);
    }

    private static WindowFit explained(@Nullable Double messages, @Nullable Double bytes, double falls) {
        return new WindowFit(WindowFit.Limit.BOTH, 1, messages == null ? null : new ConfidenceInterval(messages, 0, 0, 0.95),
            bytes == null ? null : new ConfidenceInterval(bytes, 0, 0, 0.95), 24, 0.01, 0.001, 0.00001, falls, null);
    }

    /** Times per message: 2 ms for 100 bytes without a window; (90 + 10) ms / 20 = 5 ms; 100 ms x 124 / 1,000 = 12.4 ms. */
    @Test
    void theLongestTimePerMessageIsThatOfTheRate() {
        assertThat(explained(null, null, 1).rate(0.09, 100, 1e6)).isCloseTo(500, within(1e-9));
        assertThat(explained(null, null, 1).rate(0.09, 100, 400)).isCloseTo(400, within(1e-9));
        assertThat(explained(20.0, null, 1).rate(0.09, 100, 1e6)).isCloseTo(200, within(1e-9));
        assertThat(explained(20.0, null, 1).rate(0.02, 100, 1e6)).isCloseTo(500, within(1e-9));
        assertThat(explained(null, 1_000.0, 1).rate(0.09, 100, 1e6)).isCloseTo(1 / 0.0124, within(1e-9));
        assertThat(explained(20.0, 1_000.0, 1).rate(0.09, 100, 1e6)).isCloseTo(1 / 0.0124, within(1e-9));
        assertThat(explained(5.0, 1_000.0, 1).rate(0.09, 100, 1e6)).isCloseTo(50, within(1e-9));
        assertThat(explained(5.0, 1_000.0, 1).rate(0.09, 100, 40)).isCloseTo(40, within(1e-9));
    }

    @Test
    void aWindowHasItsUnitAndAFallOfATenthIsToBeExplained() {
        WindowFit fit = explained(20.0, 1_000.0, 0.9);
        assertThat(fit.window(WindowFit.Limit.MESSAGES)).isEqualTo(fit.messages());
        assertThat(fit.window(WindowFit.Limit.BYTES)).isEqualTo(fit.bytes());
        assertThat(fit.isUntouched()).isFalse();
        assertThat(explained(null, null, 0.901).isUntouched()).isTrue();
    }

    @Test
    void tooFewRatesAreRefused() {
        assertThatThrownBy(() -> WindowFit.of(rates(0, 0, (_, _) -> 1).subList(0, 3))).isInstanceOf(IllegalArgumentException.class);
        List<RateOverDistance> near =
            rates(new double[] {1, 2, 3, 4}, 0, 0, (_, _) -> 1).stream().filter(one -> one.roundTrip() == 0).toList();
        assertThat(near).hasSize(4);
        assertThatThrownBy(() -> WindowFit.of(near)).hasMessage("Too few rates over too few distances");
        assertThatThrownBy(() -> new RateOverDistance(0.1, 100, 0, 1, 1)).isInstanceOf(IllegalArgumentException.class);
    }

    /**
     * Known answers of the likelihood that the class describes, maximized from many starts by {@code src/test/scipy/known_answers.py}: rates
     * of sizes of 256, 2,048 and 16,384 bytes over each of four distances, the last with a limit and a machine that held trials up.
     */
    @ParameterizedTest
    @CsvSource({
        "MESSAGES, 21800 5700 1930 590 12000 5610 1975 575 2650 2600 1900 596, Infinity, 3, 0, 59.2176, 57.7753, 60.9825, 0.998901, 48.0688, 40.5924",
        "BYTES, 21500 14200 5000 1480 12100 2860 965 290 2680 384 128 39.2, Infinity, 3, 0, 65270.55, 63601.3, 67744.5, 0.996585, 30.5973, 41.3009",
        "BOTH, 21800 9600 3270 985 12100 9500 3300 992 2690 1540 525 157, Infinity, 3, 0, 99.6379, 97.2094, 103.33, 1, 40.8021, 40.7888",
        "MESSAGES, 21800 5400 1750 590 11000 5610 1990 520 2650 2380 1660 596, 20000, 2, 0.02, 60.8934, 58.0156, 65.9879, 0.998819, 82.0108, 44.7931"})
    void theLikeliestWindowAndItsIntervalAreFound(WindowFit.Limit limit, String words, double most, double seconds, double held,
            double window, double low, double high, double probability, double extraIn10Micros, double perMessageMicros) {
        double[] found = Arrays.stream(words.split(" ")).mapToDouble(Double::parseDouble).toArray();
        List<RateOverDistance> rates = new ArrayList<>();
        for (int i = 0; i < found.length; i++) {
            rates.add(new RateOverDistance(ROUND_TRIPS[i % 4], SIZES[i / 4], found[i], most, seconds, held));
        }
        WindowFit fit = WindowFit.of(rates);
        assertThat(fit.limit()).isEqualTo(limit);
        assertThat(fit.probability()).isCloseTo(probability, within(0.001));
        ConfidenceInterval interval = Objects.requireNonNull(limit == WindowFit.Limit.BYTES ? fit.bytes() : fit.messages());
        assertThat(interval.estimate()).isCloseTo(window, withinPercentage(0.2));
        assertThat(interval.low()).isCloseTo(low, withinPercentage(0.5));
        assertThat(interval.high()).isCloseTo(high, withinPercentage(0.5));
        assertThat(fit.extra() * 1e5).isCloseTo(extraIn10Micros, withinPercentage(2));
        assertThat(fit.perMessage() * 1e6).isCloseTo(perMessageMicros, withinPercentage(1));
    }
}
