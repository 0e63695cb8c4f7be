package io.brokermeter.reports.table;

import java.util.Collection;

/**
 * The spread of a figure over repeats of one trial.
 *
 * @param median the middle value, or the mean of the two in the middle
 * @param least the least value
 * @param most the greatest value
 * @param count number of values
 */
public record Spread(double median, double least, double most, int count) {

    /** Returns the spread of those values that are known. */
    public static Spread of(Collection<Double> values) {
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).filter(Double::isFinite).sorted().toArray();
        int n = sorted.length;
        return n == 0 ? new Spread(Double.NaN, Double.NaN, Double.NaN, 0)
            : new Spread((sorted[(n - 1) / 2] + sorted[n / 2]) / 2, sorted[0], sorted[n - 1], n);
    }

    public boolean isKnown() {
        return count > 0;
    }
}
