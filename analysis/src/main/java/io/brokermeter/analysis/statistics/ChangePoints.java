package io.brokermeter.analysis.statistics;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

import org.jspecify.annotations.Nullable;

/**
 * Change point detection by E-divisive (Matteson and James, A Nonparametric Approach for Multiple Change Point Analysis of Multivariate
 * Data, 2014). The series is divided where the energy distance between the values before and the values that follow, weighted by their
 * numbers, is greatest; then the part in which it is greatest is divided, and so on, as long as a permutation test finds that reordered
 * values would rarely reach such a distance. No distribution is assumed; the test assumes that the values of one level could have come in
 * any order, so that a slow drift appears as changes.
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

    /** The minimum number of values of a level by default. */
    public static final int SHORTEST = 3;

    /**
     * The beginning of a new level.
     *
     * @param index index of its first value
     * @param pValue share of the tried orders, including the real one, that divide at least as well
     */
    public record Change(int index, double pValue) {}

    /** The best division of a part, and its quality. */
    record Split(int index, double quality) {}

    public ChangePoints {
        if (shortest < 2) {
            throw new IllegalArgumentException("A level has two values at least");
        }
    }

    /**
     * Returns the default detection: at most one in a hundred series without a change is given one, and a level has at least
     * {@value #SHORTEST} values.
     */
    public static ChangePoints usual(long seed) {
        return new ChangePoints(0.01, 999, SHORTEST, seed);
    }

    /**
     * Finds the changes of level in a series.
     *
     * @param values values in the order of time, all finite
     * @return the changes in the order of time; none for fewer than {@value #FEWEST} values
     */
    public List<Change> in(double[] values) {
        List<Change> changes = new ArrayList<>();
        if (values.length < FEWEST) {
            return changes;
        }
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
        if (best == null) {
            return null;
        }
        int many = (int) Math.round(most * (permutations + 1));
        double p = pValue(values, bounds, stretches, best.quality(), many, random);
        return p * (permutations + 1) < many + 0.5 ? new Change(best.index(), p) : null;
    }

    /**
     * Returns the share of the orders that divide at least as well as the real one, among permutations within the parts and the real order;
     * stops as soon as there are too many.
     */
    private double pValue(double[] values, List<Integer> bounds, boolean stretches, double quality, int many, SplittableRandom random) {
        int count = 1;
        double[] mixed = values.clone();
        for (int i = 0; i < permutations && count <= many; i++) {
            for (int part = 0; part + 1 < bounds.size(); part++) {
                shuffle(mixed, bounds.get(part), bounds.get(part + 1), random);
            }
            Split other = best(mixed, bounds, stretches);
            if (other != null && other.quality() >= quality) {
                count++;
            }
        }
        return count / (double) (permutations + 1);
    }

    static void shuffle(double[] values, int from, int to, SplittableRandom random) {
        for (int i = to - 1; i > from; i--) {
            int other = from + random.nextInt(i + 1 - from);
            double kept = values[i];
            values[i] = values[other];
            values[other] = kept;
        }
    }

    private @Nullable Split best(double[] values, List<Integer> bounds, boolean stretches) {
        Split best = null;
        for (int part = 0; part + 1 < bounds.size(); part++) {
            int from = bounds.get(part);
            int to = bounds.get(part + 1);
            if (to - from >= 2 * shortest) {
                Split own = split(values, from, to, shortest, stretches);
                if (best == null || own.quality() > best.quality()) {
                    best = own;
                }
            }
        }
        return best;
    }

    /**
     * Returns the best division of a part, the one with the greatest mn/(m+n) (2 mean|X-Y| - mean|X-X'| - mean|Y-Y'|).
     *
     * @param stretches whether Y may end before the part does
     */
    static Split split(double[] values, int from, int to, int shortest, boolean stretches) {
        // The sums of the distances of each value to all values before it, and to those before the division.
        double[] before = new double[to];
        double[] cross = new double[to];
        for (int i = from; i < to; i++) {
            for (int j = from; j < i; j++) {
                before[i] += Math.abs(values[i] - values[j]);
            }
        }
        Split best = new Split(from + shortest, Double.NEGATIVE_INFINITY);
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
                if (m >= shortest && n >= shortest && (stretches || end + 1 == to)) {
                    double quality =
                        m * n / (m + n) * (2 * crossSum / (m * n) - 2 * leftSum / (m * (m - 1)) - 2 * rightSum / (n * (n - 1)));
                    if (quality > best.quality()) {
                        best = new Split(t, quality);
                    }
                }
            }
        }
        return best;
    }
}
