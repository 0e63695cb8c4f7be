package io.brokermeter.analysis.statistics;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

import org.jspecify.annotations.Nullable;

/**
 * E-divisive (Matteson and James, A Nonparametric Approach for Multiple Change Point Analysis of Multivariate Data, 2014): the series is
 * divided where the energy distance of what is before and what follows, weighted by their lengths, is greatest, then the part in which it is
 * greatest is divided, and so on, as long as a permutation test finds that values in another order would hardly have come to as much. No distribution is assumed; the test
 * assumes that values of one level could have come in any order, so a slow drift appears as changes.
 *
 * @param significance the probability at most with which a series without a change is given one
 * @param permutations how many orders are tried for each decision
 * @param shortest the fewest values of one level, at least 2; a single wild value is no level
 * @param seed of the permutations
 */
public record ChangePoints(double significance, int permutations, int shortest, long seed) {

    /**
     * The part of the significance that is for divisions from a stretch of what follows, the paper's own; the rest is for those from all that follows,
     * which find a last change of level more surely, but none that is soon taken back: what comes after it is like what was before.
     */
    private static final double OF_STRETCHES = 0.2;

    /** With fewer values the test finds little but by chance. */
    public static final int FEWEST = 20;

    /**
     * A new level.
     *
     * @param index of the first value of it
     * @param pValue share of the orders, the real one included, that divide as well
     */
    public record Change(int index, double pValue) {}

    /** Where a part is best divided, and how well. */
    record Split(int index, double quality) {}

    public ChangePoints {
        if (shortest < 2) {
            throw new IllegalArgumentException("A level has two values at least");
        }
    }

    /** One in a hundred series without a change is given one; a level has three values at least. */
    public static ChangePoints usual(long seed) {
        return new ChangePoints(0.01, 999, 3, seed);
    }

    /**
     * Finds the changes of level of a series.
     *
     * @param values in the order of time, all finite
     * @return in the order of time; none for fewer than {@value #FEWEST} values
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

    /** The best division of all parts; null when it is not better than chance. */
    private @Nullable Change change(double[] values, List<Integer> bounds, boolean stretches, double most, SplittableRandom random) {
        Split best = best(values, bounds, stretches);
        if (best == null) {
            return null;
        }
        int many = (int) Math.round(most * (permutations + 1));
        double p = pValue(values, bounds, stretches, best.quality(), many, random);
        return p * (permutations + 1) < many + 0.5 ? new Change(best.index(), p) : null;
    }

    /** Those among permutations within the parts that divide as well as the real order; given up as soon as they are too many. */
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

    private static void shuffle(double[] values, int from, int to, SplittableRandom random) {
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
     * The best division of a part: mn/(m+n) (2 mean|X-Y| - mean|X-X'| - mean|Y-Y'|) is greatest.
     *
     * @param stretches whether Y may end before the part does
     */
    static Split split(double[] values, int from, int to, int shortest, boolean stretches) {
        // The distances of each value to those before it, and to those before the division.
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
