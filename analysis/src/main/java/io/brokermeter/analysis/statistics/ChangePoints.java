package io.brokermeter.analysis.statistics;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

import org.jspecify.annotations.Nullable;

/**
 * E-divisive (Matteson and James, A Nonparametric Approach for Multiple Change Point Analysis of Multivariate Data, 2014): the series is
 * divided where the energy distance of both parts, weighted by their lengths, is greatest, then the part in which it is greatest is divided, and so
 * on, as long as a permutation test finds that values in another order would hardly have come to as much. No distribution is assumed; the test
 * assumes that values of one level could have come in any order, so a slow drift appears as changes.
 *
 * @param significance the probability at most with which a series without a change is given one
 * @param permutations how many orders are tried for each decision
 * @param shortest the fewest values of one level, at least 2; a single wild value is no level
 * @param seed of the permutations
 */
public record ChangePoints(double significance, int permutations, int shortest, long seed) {

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
            Split best = best(values, bounds);
            if (best == null) {
                break;
            }
            double p = pValue(values, bounds, best.quality(), random);
            if (p > significance) {
                break;
            }
            changes.add(new Change(best.index(), p));
            bounds.add(best.index());
            bounds.sort(Comparator.naturalOrder());
        }
        changes.sort(Comparator.comparingInt(Change::index));
        return changes;
    }

    /** Those among permutations within the parts that divide as well as the real order; given up as soon as they are too many. */
    private double pValue(double[] values, List<Integer> bounds, double quality, SplittableRandom random) {
        int many = (int) (significance * (permutations + 1));
        int count = 1;
        double[] mixed = values.clone();
        for (int i = 0; i < permutations && count <= many; i++) {
            for (int part = 0; part + 1 < bounds.size(); part++) {
                shuffle(mixed, bounds.get(part), bounds.get(part + 1), random);
            }
            Split other = best(mixed, bounds);
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

    private @Nullable Split best(double[] values, List<Integer> bounds) {
        Split best = null;
        for (int part = 0; part + 1 < bounds.size(); part++) {
            int from = bounds.get(part);
            int to = bounds.get(part + 1);
            if (to - from >= 2 * shortest) {
                Split own = split(values, from, to, shortest);
                if (best == null || own.quality() > best.quality()) {
                    best = own;
                }
            }
        }
        return best;
    }

    /**
     * The best division of a part: mn/(m+n) (2 mean|X-Y| - mean|X-X'| - mean|Y-Y'|) is greatest. A value that goes from the right side to the left one
     * changes the three sums by its distances to both sides.
     */
    static Split split(double[] values, int from, int to, int shortest) {
        double leftSum = 0;
        double crossSum = 0;
        double rightSum = 0;
        for (int i = from; i < to; i++) {
            for (int j = i + 1; j < to; j++) {
                rightSum += Math.abs(values[i] - values[j]);
            }
        }
        Split best = new Split(from + shortest, Double.NEGATIVE_INFINITY);
        for (int t = from; t + shortest < to; t++) {
            double toLeft = 0;
            for (int i = from; i < t; i++) {
                toLeft += Math.abs(values[t] - values[i]);
            }
            double toRight = 0;
            for (int i = t + 1; i < to; i++) {
                toRight += Math.abs(values[t] - values[i]);
            }
            leftSum += toLeft;
            crossSum += toRight - toLeft;
            rightSum -= toRight;
            double m = t + 1 - from;
            double n = to - t - 1;
            if (m >= shortest) {
                double quality = m * n / (m + n) * (2 * crossSum / (m * n) - 2 * leftSum / (m * (m - 1)) - 2 * rightSum / (n * (n - 1)));
                if (quality > best.quality()) {
                    best = new Split(t + 1, quality);
                }
            }
        }
        return best;
    }
}
