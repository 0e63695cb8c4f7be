package io.brokermeter.bench;

import java.util.Arrays;
import java.util.Collection;

/** Sums over runs. */
final class Figures {

    private Figures() {}

    /** The middle value, or the mean of the two middle ones. */
    static double median(Collection<Double> values) {
        return median(values.stream().mapToDouble(d -> d).toArray());
    }

    /** The same. */
    static double median(double[] values) {
        double[] sorted = Arrays.stream(values).sorted().toArray();
        int n = sorted.length;
        return n == 0 ? Double.NaN : n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    }
}
