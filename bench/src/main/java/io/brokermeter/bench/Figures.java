package io.brokermeter.bench;

import java.util.Arrays;
import java.util.Collection;

/** Statistics over runs. */
public final class Figures {

    private Figures() {}

    /** Returns the median: the middle value, or the mean of the two middle ones; NaN for no values. */
    public static double median(Collection<Double> values) {
        return median(values.stream().mapToDouble(d -> d).toArray());
    }

    /** Returns the median: the middle value, or the mean of the two middle ones; NaN for no values. */
    static double median(double[] values) {
        double[] sorted = Arrays.stream(values).sorted().toArray();
        int n = sorted.length;
        return n == 0 ? Double.NaN : n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    }
}
