package io.brokermeter.analysis.statistics;

import java.util.Arrays;

/**
 * The estimators of Hodges and Lehmann (1963) with their exact, distribution-free intervals: the shifts that a Wilcoxon signed-rank test,
 * or a Mann-Whitney test, does not reject (Hollander, Wolfe, Chicken: Nonparametric Statistical Methods, 3.2, 3.3, 4.2, 4.3). A single
 * outlier among many values has little influence, and no distribution is assumed. For logarithms they estimate a ratio, see
 * {@link ConfidenceInterval#exp}.
 */
public final class HodgesLehmann {

    /**
     * The minimum number of values. With fewer pairs there is no interval of 95 %: all differences of 5 pairs are on one side in 1 of 16
     * cases by chance alone.
     */
    public static final int FEWEST = 6;
    /** The maximum number of values. The exact distribution takes seconds far above it. */
    public static final int MOST = 100;

    private HodgesLehmann() {}

    /**
     * Estimates the centre of the differences of pairs, which must be distributed symmetrically about it: the median of the means of all
     * pairs of differences, each with itself included.
     *
     * @param differences {@value #FEWEST} to {@value #MOST} finite numbers
     * @param confidence minimum confidence, 0.5 to 0.968
     * @throws IllegalArgumentException for other numbers
     */
    public static ConfidenceInterval paired(double[] differences, double confidence) {
        int n = differences.length;
        require(differences, confidence);
        double[] means = new double[n * (n + 1) / 2];
        for (int i = 0, at = 0; i < n; i++) {
            for (int j = i; j < n; j++) {
                means[at++] = (differences[i] + differences[j]) / 2;
            }
        }
        return interval(means, NullDistribution.signedRank(n), confidence);
    }

    /**
     * Estimates the shift of the second of two independent samples against the first: the median of all differences.
     *
     * @param first {@value #FEWEST} to {@value #MOST} finite numbers
     * @param second {@value #FEWEST} to {@value #MOST} finite numbers
     * @param confidence minimum confidence, 0.5 to 0.968
     * @throws IllegalArgumentException for other numbers
     */
    public static ConfidenceInterval shift(double[] first, double[] second, double confidence) {
        require(first, confidence);
        require(second, confidence);
        double[] differences = new double[first.length * second.length];
        int at = 0;
        for (double a : first) {
            for (double b : second) {
                differences[at++] = b - a;
            }
        }
        return interval(differences, NullDistribution.mannWhitney(first.length, second.length), confidence);
    }

    private static void require(double[] values, double confidence) {
        if (values.length < FEWEST || values.length > MOST) {
            throw new IllegalArgumentException("There must be " + FEWEST + " to " + MOST + " values, not " + values.length);
        }
        if (!(confidence >= 0.5 && confidence <= 0.968)) {
            throw new IllegalArgumentException("The confidence must be 0.5 to 0.968, not " + confidence);
        }
        if (!Arrays.stream(values).allMatch(Double::isFinite)) {
            throw new IllegalArgumentException("A value is not finite");
        }
    }

    private static ConfidenceInterval interval(double[] values, double[] probability, double confidence) {
        Arrays.sort(values);
        int k = NullDistribution.lowest(probability, (1 - confidence) / 2);
        return new ConfidenceInterval(median(values), values[k - 1], values[values.length - k], confidence);
    }

    /** Returns the median of values in ascending order. */
    public static double median(double[] sorted) {
        int n = sorted.length;
        return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
    }
}
