package io.brokermeter.analysis.statistics;

import java.util.Arrays;
import java.util.SplittableRandom;

import org.jspecify.annotations.Nullable;

/**
 * The correlation of neighbours in series of values: positive where a slow trial is mostly followed by a slow one.
 *
 * @param coefficient the lag-1 autocorrelation of the values of each series about its mean
 * @param pValue share of random orders of the values within their series, the real one included, with such a coefficient or a higher one
 */
public record SerialCorrelation(double coefficient, double pValue) {

    /** The probability with which independent values are taken for correlated ones. */
    public static final double SIGNIFICANCE = 0.05;

    private static final int ORDERS = 999;
    /** A constant, so that the same series always have the same p-value. */
    private static final long SEED = 21;

    /**
     * Estimates the correlation of several series together; null where they have fewer than {@value HodgesLehmann#FEWEST} pairs of
     * neighbours together, or do not vary.
     *
     * @param series finite values in the order of time
     */
    public static @Nullable SerialCorrelation of(double[]... series) {
        double[][] centred = Arrays.stream(series).map(SerialCorrelation::centred).toArray(double[][]::new);
        double squares = Arrays.stream(centred).flatMapToDouble(Arrays::stream).map(value -> value * value).sum();
        if (Arrays.stream(series).mapToInt(values -> Math.max(0, values.length - 1)).sum() < HodgesLehmann.FEWEST || !(squares > 0)) {
            return null;
        }
        double products = products(centred);
        SplittableRandom random = new SplittableRandom(SEED);
        int count = 1;
        for (int i = 0; i < ORDERS; i++) {
            for (double[] values : centred) {
                ChangePoints.shuffle(values, 0, values.length, random);
            }
            count += products(centred) >= products ? 1 : 0;
        }
        return new SerialCorrelation(products / squares, count / (ORDERS + 1.0));
    }

    private static double[] centred(double[] values) {
        double mean = Arrays.stream(values).average().orElse(0);
        return Arrays.stream(values).map(value -> value - mean).toArray();
    }

    private static double products(double[][] series) {
        double sum = 0;
        for (double[] values : series) {
            for (int i = 1; i < values.length; i++) {
                sum += values[i - 1] * values[i];
            }
        }
        return sum;
    }

    /** Returns whether neighbours are alike beyond what chance explains. */
    public boolean isSignificant() {
        return coefficient > 0 && pValue <= SIGNIFICANCE;
    }
}
