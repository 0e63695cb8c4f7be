package io.brokermeter.analysis.statistics;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Change point detection by E-divisive (Matteson and James, A Nonparametric Approach for Multiple Change Point Analysis of Multivariate
 * Data, 2014). The series is divided where the energy distance between the values before and the values that follow, weighted by their
 * numbers, is greatest; then the part in which it is greatest is divided, and so on, as long as a permutation test finds that reordered
 * values would rarely reach such a distance. No distribution is assumed.
 *
 * <p>Noise that lasts for several values (other users of a machine, its temperature) looks like levels, so what is reordered is what is new
 * in each value: the value without that part of the value before which the correlation of neighbours explains. From these each order
 * builds a series with the same correlation. The correlation is that of the values about the levels that the division would make, and is
 * taken as high as it may well be, since it is estimated from few values. A slow drift still appears as changes.
 *
 * @param significance the maximum probability with which a change is found in a series without one
 * @param permutations number of orders that are tried for each decision
 * @param shortest the minimum number of values of a level, at least 2, so that a single outlier is not a level
 * @param seed seed of the permutations
 */
public record ChangePoints(double significance, int permutations, int shortest, long seed) {

    /**
     * The share of the significance for divisions that compare with a stretch of the values that follow, as in the paper. The rest is for
     * divisions that compare with all values that follow. These find a last change of level more reliably, but no change that is soon
     * reverted, since the values after the reversal are like those before the change.
     */
    private static final double OF_STRETCHES = 0.2;

    /** The minimum number of values. With fewer the test finds little except by chance. */
    public static final int FEWEST = 20;

    /**
     * The minimum number of values of a level by default. With fewer, noise that lasts is too often taken for a level, see
     * {@link #usual}.
     */
    public static final int SHORTEST = 6;

    /** The highest correlation of neighbours that is assumed. With a higher one, hardly any change could be told from noise. */
    private static final double MOST_CORRELATION = 0.9;

    /**
     * The beginning of a new level.
     *
     * @param index index of its first value
     * @param pValue share of the tried orders, including the real one, that divide at least as well
     */
    public record Change(int index, double pValue) {}

    /** The best division of a part: where its second piece begins and ends, and its quality. */
    record Split(int index, int end, double quality) {}

    public ChangePoints {
        if (shortest < 2) {
            throw new IllegalArgumentException("A level has two values at least");
        }
    }

    /**
     * Returns the default detection. Its numbers were chosen by simulation, for a change that is found by two looks in succession, one run
     * apart, and is 3 % at least: noise of 2 %, of which neighbours have a correlation of 0.3, makes such a change within 100 looks in
     * fewer than 5 of 100 histories; a step of 5 % after 30 runs with independent noise of 2 % is found within 10 runs in 95 of 100.
     */
    public static ChangePoints usual(long seed) {
        return new ChangePoints(0.015, 999, SHORTEST, seed);
    }

    /**
     * Finds the changes of level in a series.
     *
     * @param values values in the order of time, all finite
     * @return the changes in the order of time; none for fewer than {@value #FEWEST} values
     */
    public List<Change> in(double[] values) {
        if (values.length < FEWEST) {
            return List.of();
        }
        List<Change> changes = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(seed);
        List<Integer> bounds = new ArrayList<>(List.of(0, values.length));
        while (true) {
            Change change = change(values, bounds, false, significance * (1 - OF_STRETCHES), random);
            if (change == null) {
                change = change(values, bounds, true, significance * OF_STRETCHES, random);
            }
            if (change == null) {
                break;
            }
            changes.add(change);
            bounds.add(change.index());
            bounds.sort(Comparator.naturalOrder());
        }
        changes.sort(Comparator.comparingInt(Change::index));
        return changes;
    }

    /** Returns the best division of all parts; null when it is not better than chance. */
    private @Nullable Change change(double[] values, List<Integer> bounds, boolean stretches, double most, SplittableRandom random) {
        Split best = best(values, bounds, stretches);
        if (best.quality() == Double.NEGATIVE_INFINITY) {
            return null;
        }
        int many = (int) Math.round(most * (permutations + 1));
        int count = asGood(values, bounds, stretches, best, many, random);
        return count <= many ? new Change(best.index(), count / (double) (permutations + 1)) : null;
    }

    /**
     * Returns the number of the orders that divide at least as well as the real one, among series made of what is new in the values in
     * random orders within the parts, and the real one; stops as soon as there are too many.
     */
    private int asGood(double[] values, List<Integer> bounds, boolean stretches, Split best, int many, SplittableRandom random) {
        double correlation = correlation(values, bounds, best);
        double scale = 1 / Math.sqrt(1 - correlation * correlation);
        double[] news = news(values, bounds, correlation, scale);
        int count = 1;
        double[] series = new double[values.length];
        for (int i = 0; i < permutations && count <= many; i++) {
            for (int part = 0; part + 1 < bounds.size(); part++) {
                int from = bounds.get(part);
                shuffle(news, from, bounds.get(part + 1), random);
                for (int at = from; at < bounds.get(part + 1); at++) {
                    series[at] = at == from ? news[at] * scale : correlation * series[at - 1] + news[at];
                }
            }
            if (best(series, bounds, stretches).quality() >= best.quality()) {
                count++;
            }
        }
        return count;
    }

    /** Returns what is new in each value; the first of a part is scaled to the spread of the others. */
    private static double[] news(double[] values, List<Integer> bounds, double correlation, double scale) {
        double[] news = new double[values.length];
        for (int part = 0; part + 1 < bounds.size(); part++) {
            int from = bounds.get(part);
            double mean = mean(values, from, bounds.get(part + 1));
            for (int i = from; i < bounds.get(part + 1); i++) {
                news[i] = i == from ? (values[i] - mean) / scale : values[i] - mean - correlation * (values[i - 1] - mean);
            }
        }
        return news;
    }

    /**
     * Estimates the correlation of neighbours about the means of the parts and of the pieces that a division makes: without the bias that
     * these means cause, and a standard error higher.
     */
    static double correlation(double[] values, List<Integer> bounds, Split division) {
        List<Integer> all =
            Stream.concat(bounds.stream(), Stream.of(division.index(), division.end())).distinct().sorted().toList();
        double products = 0;
        double squares = 0;
        for (int part = 0; part + 1 < all.size(); part++) {
            double mean = mean(values, all.get(part), all.get(part + 1));
            for (int i = all.get(part); i < all.get(part + 1); i++) {
                double off = values[i] - mean;
                squares += off * off;
                products += i == all.get(part) ? 0 : off * (values[i - 1] - mean);
            }
        }
        double estimate = squares > 0 ? products / squares : 0;
        double bias = (1 + 3 * Math.max(0, estimate)) * (all.size() - 1) / values.length;
        return Math.clamp(estimate + bias + 1 / Math.sqrt(values.length), 0, MOST_CORRELATION);
    }

    private static double mean(double[] values, int from, int to) {
        return Arrays.stream(values, from, to).average().orElse(0);
    }

    static void shuffle(double[] values, int from, int to, SplittableRandom random) {
        for (int i = to - 1; i > from; i--) {
            int other = from + random.nextInt(i + 1 - from);
            double kept = values[i];
            values[i] = values[other];
            values[other] = kept;
        }
    }

    /** Returns the best division of all parts; of quality minus infinity where all are too short for one. */
    private Split best(double[] values, List<Integer> bounds, boolean stretches) {
        Split best = new Split(0, 0, Double.NEGATIVE_INFINITY);
        for (int part = 0; part + 1 < bounds.size(); part++) {
            Split own = split(values, bounds.get(part), bounds.get(part + 1), shortest, stretches);
            if (own.quality() > best.quality()) {
                best = own;
            }
        }
        return best;
    }

    /**
     * Returns the best division of a part in two, by sums that follow from each other: several times as fast as with stretches, which most
     * of the time of a long history goes to.
     */
    private static Split ofWhole(double[] values, int from, int to, int shortest) {
        // The sums of the distances of each value to all before it, and to all after it.
        double[] before = new double[to];
        double[] after = new double[to];
        double right = 0;
        for (int i = from; i < to; i++) {
            for (int j = from; j < i; j++) {
                before[i] += Math.abs(values[i] - values[j]);
            }
            for (int j = i + 1; j < to; j++) {
                after[i] += Math.abs(values[i] - values[j]);
            }
            right += after[i];
        }
        double all = right;
        double left = 0;
        Split best = new Split(from, to, Double.NEGATIVE_INFINITY);
        for (int t = from + 1; t + shortest <= to; t++) {
            left += before[t - 1];
            right -= after[t - 1];
            int m = t - from;
            int n = to - t;
            double quality = quality(m, n, all - left - right, left, right);
            if (m >= shortest && quality > best.quality()) {
                best = new Split(t, to, quality);
            }
        }
        return best;
    }

    private static double quality(double m, double n, double across, double left, double right) {
        return m * n / (m + n) * (2 * across / (m * n) - 2 * left / (m * (m - 1)) - 2 * right / (n * (n - 1)));
    }

    /**
     * Returns the best division of a part, the one with the greatest mn/(m+n) (2 mean|X-Y| - mean|X-X'| - mean|Y-Y'|).
     *
     * @param stretches whether Y may end before the part does
     */
    static Split split(double[] values, int from, int to, int shortest, boolean stretches) {
        if (!stretches) {
            return ofWhole(values, from, to, shortest);
        }
        // The sums of the distances of each value to all values before it, and to those before the division.
        double[] before = new double[to];
        double[] cross = new double[to];
        for (int i = from; i < to; i++) {
            for (int j = from; j < i; j++) {
                before[i] += Math.abs(values[i] - values[j]);
            }
        }
        Split best = new Split(from, to, Double.NEGATIVE_INFINITY);
        double leftSum = 0;
        for (int t = from + 1; t + shortest <= to; t++) {
            leftSum += before[t - 1];
            double m = t - from;
            double crossSum = 0;
            double rightSum = 0;
            for (int end = t; end < to; end++) {
                cross[end] += Math.abs(values[end] - values[t - 1]);
                crossSum += cross[end];
                rightSum += before[end] - cross[end];
                double n = end + 1 - t;
                if (m >= shortest && n >= shortest) {
                    double quality = quality(m, n, crossSum, leftSum, rightSum);
                    if (quality > best.quality()) {
                        best = new Split(t, end + 1, quality);
                    }
                }
            }
        }
        return best;
    }
}
