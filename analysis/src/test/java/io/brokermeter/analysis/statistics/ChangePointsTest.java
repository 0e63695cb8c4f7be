package io.brokermeter.analysis.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChangePointsTest {

    /**
     * Returns logarithms with noise of 2 %, whose level changes at the indices {@code shifts}, alternately by the factor {@code change} and
     * back.
     */
    private static double[] series(SplittableRandom random, int n, double change, int... shifts) {
        double[] values = new double[n];
        for (int i = 0; i < n; i++) {
            int at = i;
            long passed = IntStream.of(shifts).filter(shift -> shift <= at).count();
            values[i] = Math.log(40_000) + (passed % 2 == 0 ? 0 : Math.log(change)) + 0.02 * random.nextGaussian();
        }
        return values;
    }

    private static List<Integer> found(double[] values) {
        return ChangePoints.usual(1).in(values).stream().map(ChangePoints.Change::index).toList();
    }

    /** Known answers by numpy: {@code src/test/scipy/known_answers.py}. */
    @Test
    void theBestDivisionAndItsQuality() {
        double[] values = {4, 7, 5, 6, 4, 6, 11, 13, 12, 10, 14, 12};
        ChangePoints.Split split = ChangePoints.split(values, 0, values.length, 2, true);
        assertThat(split.index()).isEqualTo(6);
        assertThat(split.quality()).isEqualTo(30.4, within(1e-9));
        assertThat(ChangePoints.split(values, 0, values.length, 2, false).quality()).isEqualTo(30.4, within(1e-9));
    }

    /** Known answers by the same script. A temporary shift is divided best at its beginning if the second part may end with the shift. */
    @Test
    void theBestDivisionOfAStretchThatComesAndGoes() {
        double[] values = {4, 7, 5, 6, 4, 6, 11, 13, 12, 5, 4, 7, 6, 5, 6};
        ChangePoints.Split split = ChangePoints.split(values, 0, values.length, 3, true);
        assertThat(split.index()).isEqualTo(6);
        assertThat(split.quality()).isEqualTo(316 / 15.0, within(1e-9));
    }

    /** Returns the weighted energy distance of two neighbouring pieces by its definition: means over all pairs of values. */
    private static double energy(double[] values, int from, int split, int end) {
        double[] x = Arrays.copyOfRange(values, from, split);
        double[] y = Arrays.copyOfRange(values, split, end);
        return (double) x.length * y.length / (x.length + y.length)
            * (2 * meanDistance(x, y) - meanDistance(x, x) * x.length / (x.length - 1)
                - meanDistance(y, y) * y.length / (y.length - 1));
    }

    private static double meanDistance(double[] a, double[] b) {
        return Arrays.stream(a).map(x -> Arrays.stream(b).map(y -> Math.abs(x - y)).average().orElseThrow()).average().orElseThrow();
    }

    /** No other division of the part, and of no other stretch, is better than the one that is found, whatever lies around the part. */
    @ParameterizedTest
    @CsvSource({"0, 24, 2", "5, 24, 3", "3, 19, 6", "0, 12, 6", "7, 31, 4"})
    void noDivisionIsBetterThanTheBest(int from, int to, int shortest) {
        SplittableRandom random = new SplittableRandom(3);
        for (int round = 0; round < 20; round++) {
            double[] values = random.doubles(32).toArray();
            ChangePoints.Split whole = ChangePoints.split(values, from, to, shortest, false);
            ChangePoints.Split stretch = ChangePoints.split(values, from, to, shortest, true);
            double bestWhole = Double.NEGATIVE_INFINITY;
            double bestStretch = Double.NEGATIVE_INFINITY;
            for (int split = from + shortest; split + shortest <= to; split++) {
                bestWhole = Math.max(bestWhole, energy(values, from, split, to));
                for (int end = split + shortest; end <= to; end++) {
                    bestStretch = Math.max(bestStretch, energy(values, from, split, end));
                }
            }
            assertThat(whole.quality()).isCloseTo(bestWhole, within(1e-9));
            assertThat(energy(values, from, whole.index(), whole.end())).isCloseTo(bestWhole, within(1e-9));
            assertThat(whole.end()).isEqualTo(to);
            assertThat(stretch.quality()).isCloseTo(bestStretch, within(1e-9));
            assertThat(energy(values, from, stretch.index(), stretch.end())).isCloseTo(bestStretch, within(1e-9));
        }
    }

    /**
     * Every part of the procedure at once, by its definition: energies are means over all pairs, the series of an order is worked out anew,
     * and all orders are tried, however many divide as well.
     */
    @ParameterizedTest
    @CsvSource({"20, 6, 0.5, 39", "24, 6, 0.9, 39", "30, 5, 0.4, 99", "27, 2, 0.3, 99", "24, 3, 0.05, 99"})
    void theChangesAreThoseOfTheDefinition(int n, int shortest, double significance, int permutations) {
        SplittableRandom random = new SplittableRandom(21);
        int found = 0;
        for (int round = 0; round < 3; round++) {
            double[] values = series(random, n, 0.95, n / 2);
            List<ChangePoints.Change> changes = new ChangePoints(significance, permutations, shortest, round).in(values);
            assertThat(changes).isEqualTo(byDefinition(values, significance, permutations, shortest, round));
            found += changes.size();
        }
        assertThat(found).isPositive();
    }

    private static List<ChangePoints.Change> byDefinition(double[] values, double significance, int permutations, int shortest, int seed) {
        SplittableRandom random = new SplittableRandom(seed);
        TreeSet<Integer> bounds = new TreeSet<>(List.of(0, values.length));
        Map<Integer, ChangePoints.Change> changes = new TreeMap<>();
        for (boolean found = true; found;) {
            found = false;
            for (boolean stretches : new boolean[] {false, true}) {
                int most = (int) Math.round(significance * (stretches ? 0.2 : 0.8) * (permutations + 1));
                ChangePoints.Split best = bestByDefinition(values, bounds, shortest, stretches);
                double correlation = best == null ? 0 : ChangePoints.correlation(values, List.copyOf(bounds), best);
                double[] news = newsByDefinition(values, bounds, correlation);
                int asGood = 1;
                for (int i = 0; best != null && i < permutations && asGood <= most; i++) {
                    double[] order = orderByDefinition(news, bounds, correlation, random);
                    asGood += Objects.requireNonNull(bestByDefinition(order, bounds, shortest, stretches)).quality() >= best.quality() ? 1
                        : 0;
                }
                if (best != null && asGood <= most) {
                    found = true;
                    changes.put(best.index(), new ChangePoints.Change(best.index(), asGood / (permutations + 1.0)));
                    bounds.add(best.index());
                    break;
                }
            }
        }
        return List.copyOf(changes.values());
    }

    private static ChangePoints.@Nullable Split bestByDefinition(double[] values, TreeSet<Integer> bounds, int shortest,
            boolean stretches) {
        ChangePoints.Split best = null;
        for (int from : bounds.headSet(values.length)) {
            int to = Objects.requireNonNull(bounds.higher(from));
            for (int split = from + shortest; split + shortest <= to; split++) {
                for (int end = stretches ? split + shortest : to; end <= to; end++) {
                    double quality = energy(values, from, split, end);
                    best = best == null || quality > best.quality() ? new ChangePoints.Split(split, end, quality) : best;
                }
            }
        }
        return best;
    }

    private static double[] newsByDefinition(double[] values, TreeSet<Integer> bounds, double correlation) {
        double[] news = new double[values.length];
        for (int i = 0; i < news.length; i++) {
            int from = Objects.requireNonNull(bounds.floor(i));
            double mean = Arrays.stream(values, from, Objects.requireNonNull(bounds.higher(i))).average().orElseThrow();
            news[i] = i == from ? (values[i] - mean) * Math.sqrt(1 - correlation * correlation)
                : values[i] - mean - correlation * (values[i - 1] - mean);
        }
        return news;
    }

    /** Returns the series of another order of {@code news}, which is changed to that order. */
    private static double[] orderByDefinition(double[] news, TreeSet<Integer> bounds, double correlation, SplittableRandom random) {
        double[] series = new double[news.length];
        for (int i = 0; i < series.length; i++) {
            if (bounds.contains(i)) {
                ChangePoints.shuffle(news, i, Objects.requireNonNull(bounds.higher(i)), random);
                series[i] = news[i] / Math.sqrt(1 - correlation * correlation);
            } else {
                series[i] = correlation * series[i - 1] + news[i];
            }
        }
        return series;
    }

    /** Of 24,000 orders of four values, each of the 24 should come 1,000 times; the standard error is 31. */
    @Test
    void everyOrderIsAsLikelyAndNothingElseMoves() {
        SplittableRandom random = new SplittableRandom(2);
        Map<String, Integer> seen = new TreeMap<>();
        for (int i = 0; i < 24_000; i++) {
            double[] values = {-1, 1, 2, 3, 4, -2};
            ChangePoints.shuffle(values, 1, 5, random);
            assertThat(values[0]).isEqualTo(-1);
            assertThat(values[5]).isEqualTo(-2);
            seen.merge(Arrays.toString(values), 1, Integer::sum);
        }
        assertThat(seen).hasSize(24);
        assertThat(seen.values()).allSatisfy(count -> assertThat(count).isBetween(1_000 - 125, 1_000 + 125));
    }

    /** Worked out by hand: products of neighbours over squares, the bias of Marriott and Pope for each mean, and one standard error. */
    @Test
    void theCorrelationOfNeighbours() {
        double[] two = {1, 2, 4, 3, 1, 0, 2, 5, 9, 8, 8, 7, 10, 9, 8, 9};
        ChangePoints.Split atEight = new ChangePoints.Split(8, 16, 0);
        assertThat(ChangePoints.correlation(two, List.of(0, 16), atEight)).isEqualTo(9 / 136.0 + (1 + 27 / 136.0) * 2 / 16 + 0.25,
            within(1e-12));
        double[] three = {1, 2, 4, 3, 1, 0, 2, 5, 9, 8, 8, 7, 1, 2, 3, 1};
        assertThat(ChangePoints.correlation(three, List.of(0, 16), new ChangePoints.Split(8, 12, 0))).isEqualTo(0.5744201030927835,
            within(1e-12));
        double[] inTurn = {1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1};
        assertThat(ChangePoints.correlation(inTurn, List.of(0, 16), atEight)).isZero();
        assertThat(ChangePoints.correlation(new double[16], List.of(0, 16), atEight)).isEqualTo(0.375, within(1e-12));
    }

    /** The real order alone divides as well: its share of the 1,000 orders that are counted is 1 in 1,000. */
    @Test
    void aClearChangeIsAsUnlikelyAsTheOrdersCanTell() {
        List<ChangePoints.Change> changes = ChangePoints.usual(1).in(series(new SplittableRandom(7), 40, 0.5, 20));
        assertThat(changes).containsExactly(new ChangePoints.Change(20, 0.001));
    }

    /** Levels of 6 values are the shortest: the change is found at the border of the first six or the last six, too. */
    @ParameterizedTest
    @CsvSource({"6", "34"})
    void theShortestLevelIsFoundAtEitherEnd(int shift) {
        assertThat(found(series(new SplittableRandom(7), 40, 0.5, shift))).containsExactly(shift);
    }

    @Test
    void aLevelOfOneValueIsRefused() {
        assertThatThrownBy(() -> new ChangePoints(0.01, 99, 1, 1)).isInstanceOf(IllegalArgumentException.class)
            .hasMessage("A level has two values at least");
        assertThat(new ChangePoints(0.01, 99, 2, 1).shortest()).isEqualTo(2);
    }

    /** With 99 orders a change has a share of 1 % at least, which is more than a significance of 0.5 % allows. */
    @Test
    void tooFewOrdersFindNothing() {
        double[] values = series(new SplittableRandom(7), 40, 0.5, 20);
        assertThat(new ChangePoints(0.005, 99, 6, 1).in(values)).isEmpty();
        assertThat(new ChangePoints(0.0125, 99, 6, 1).in(values)).as("one order is just allowed").hasSize(1);
        assertThat(new ChangePoints(0.0063, 99, 6, 1).in(values)).as("0.504 orders of 100 are one").hasSize(1);
    }

    /** The greater change is found first and comes last. */
    @Test
    void changesAreInTheOrderOfTime() {
        double[] values = series(new SplittableRandom(7), 45, 2, 28);
        for (int i = 0; i < 12; i++) {
            values[i] -= 0.2;
        }
        assertThat(new ChangePoints(0.02, 99, 6, 1).in(values)).extracting(ChangePoints.Change::index).containsExactly(12, 28);
    }

    @ParameterizedTest
    @CsvSource({"30, 20", "40, 25", "60, 50", "80, 74"})
    void aChangeOfFivePercentIsFoundWhereItWasPut(int n, int shift) {
        SplittableRandom random = new SplittableRandom(7);
        int right = 0;
        for (int i = 0; i < 100; i++) {
            List<Integer> found = found(series(random, n, 0.95, shift));
            right += !found.isEmpty() && found.stream().anyMatch(index -> Math.abs(index - shift) <= 2) ? 1 : 0;
        }
        assertThat(right).isGreaterThanOrEqualTo(90);
    }

    @Test
    void thereAndBackAreTwoChanges() {
        SplittableRandom random = new SplittableRandom(9);
        int right = 0;
        for (int i = 0; i < 50; i++) {
            List<Integer> found = found(series(random, 60, 0.93, 20, 40));
            right += found.size() == 2 && Math.abs(found.getFirst() - 20) <= 1 && Math.abs(found.getLast() - 40) <= 1 ? 1 : 0;
        }
        assertThat(right).isGreaterThanOrEqualTo(45);
    }

    /** A regression in the builds of some nights, until it was fixed. */
    @ParameterizedTest
    @CsvSource({"40, 17, 25", "60, 27, 34", "60, 40, 48", "100, 48, 55"})
    void aFewRunsThatAreSlowerAreFoundAmongMany(int n, int from, int to) {
        SplittableRandom random = new SplittableRandom(5);
        int right = 0;
        for (int i = 0; i < 20; i++) {
            List<Integer> found = found(series(random, n, 0.9, from, to));
            right += found.size() == 2 && Math.abs(found.getFirst() - from) <= 1 && Math.abs(found.getLast() - to) <= 1 ? 1 : 0;
        }
        assertThat(right).isGreaterThanOrEqualTo(18);
    }

    @ParameterizedTest
    @CsvSource({"20", "60"})
    void hardlyAnySeriesWithoutAChangeIsGivenOne(int n) {
        SplittableRandom random = new SplittableRandom(11);
        int wrong = 0;
        for (int i = 0; i < 300; i++) {
            wrong += found(series(random, n, 1)).isEmpty() ? 0 : 1;
        }
        assertThat(wrong).isLessThanOrEqualTo(9);
    }

    @Test
    void oneWildValueIsNoLevel() {
        double[] values = series(new SplittableRandom(13), 40, 1);
        values[20] -= 0.5;
        assertThat(found(values)).isEmpty();
    }

    @Test
    void theSameSeriesHasTheSameChanges() {
        double[] values = series(new SplittableRandom(15), 50, 0.97, 30);
        assertThat(ChangePoints.usual(1).in(values)).isEqualTo(ChangePoints.usual(1).in(values));
    }

    @Test
    void fewerThanTwentyValuesHaveNoChanges() {
        assertThat(found(series(new SplittableRandom(17), 19, 0.5, 10))).isEmpty();
    }

    @Test
    void valuesThatAreAllAlikeHaveNoChanges() {
        assertThat(found(new double[30])).isEmpty();
    }
}
