package io.brokermeter.bench;

import java.util.List;

/** Sums over runs. */
final class Figures {

    private Figures() {}

    /** The middle value, or the mean of the two middle ones. */
    static double median(List<Double> values) {
        double[] sorted = values.stream().mapToDouble(d -> d).sorted().toArray();
        int n = sorted.length;
        return n == 0 ? Double.NaN : n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    }
}
