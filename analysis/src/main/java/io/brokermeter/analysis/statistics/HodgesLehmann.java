package io.brokermeter.analysis.statistics;

import java.util.Arrays;

/**
 * The estimates of Hodges and Lehmann (1963) with their exact, distribution-free intervals: the shifts that a Wilcoxon signed-rank test, or a
 * Mann-Whitney test, does not refuse (Hollander, Wolfe, Chicken: Nonparametric Statistical Methods, 3.2, 3.3, 4.2, 4.3). One wild value among many
 * moves them little, and no distribution is assumed. Of logarithms they give a ratio: {@link ConfidenceInterval#exp}.
 */
public final class HodgesLehmann {

    /** With fewer values an interval of 95 % does not exist for pairs: of 5, only 1 in 16 has all differences on one side. */
    public static final int FEWEST = 6;
    /** Far above it the exact distribution takes seconds. */
    public static final int MOST = 100;

    private HodgesLehmann() {}

    /**
     * The centre of differences of pairs, which must be symmetric about it: the median of the means of all two of them, each with
     * itself included.
     *
     * @param differences {@value #FEWEST} to {@value #MOST} finite numbers
     * @param confidence at least this, up to 0.96
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
     * By how much the second of two independent samples is shifted against the first: the median of all differences.
     *
     * @param first {@value #FEWEST} to {@value #MOST} finite numbers
     * @param second as many, or others within these bounds
     * @param confidence at least this, up to 0.96
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
        if (!(confidence >= 0.5 && confidence <= 0.96)) {
            throw new IllegalArgumentException("The confidence must be 0.5 to 0.96, not " + confidence);
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

    /** The median of values in ascending order. */
    public static double median(double[] sorted) {
        int n = sorted.length;
        return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
    }
}
