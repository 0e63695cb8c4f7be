package io.brokermeter.engine.run.judge;

import java.util.Arrays;

/**
 * Finds where a series becomes steady by MSER-5: the series is averaged in fives, and the beginning is cut that leaves the mean of the rest
 * with the smallest estimated error (White, An effective truncation heuristic for bias reduction in simulation output, Simulation 69, 1997;
 * Hoad, Robinson and Davies judged it the rule best suited to automation, Journal of the Operational Research Society 61, 2010).
 */
final class SteadyPart {

    /** The number of values that are averaged. */
    private static final int BATCH = 5;
    /** The least number of averages that tell anything. */
    private static final int LEAST = 6;
    /** The share of the series at which a cut is late; a drift moves it towards the middle, and noise keeps it from that exactly. */
    private static final double LATE = 0.4;
    /** The share of the steady part's mean below which what comes before differs from it by nothing: a recorded time is as coarse. */
    private static final double SAME = 0.01;

    /** The series has too few values to tell. */
    static final int UNKNOWN = -1;
    /** The best cut is so late in the series that the steady part is not known to have begun. */
    static final int NOT_YET = -2;

    private SteadyPart() {}

    /** Returns the number of values before the steady part of a series; {@link #NOT_YET} or {@link #UNKNOWN}. */
    static int begin(double[] series) {
        int count = series.length / BATCH;
        if (count < LEAST) {
            return UNKNOWN;
        }
        double[] means = new double[count];
        for (int i = 0; i < count; i++) {
            means[i] = Arrays.stream(series, i * BATCH, (i + 1) * BATCH).sum() / BATCH;
        }
        int best = 0;
        double least = Double.POSITIVE_INFINITY;
        for (int cut = 0; cut <= count / 2; cut++) {
            double error = error(means, cut);
            if (error < least) {
                least = error;
                best = cut;
            }
        }
        if (best == 0) {
            return 0;
        }
        double before = Arrays.stream(means, 0, best).average().orElseThrow();
        double after = Arrays.stream(means, best, count).average().orElseThrow();
        if (Math.abs(before - after) <= SAME * Math.abs(after)) {
            return 0;
        }
        return best >= LATE * count ? NOT_YET : best * BATCH;
    }

    /** Returns the squared standard error of the mean behind a cut, as if the values were independent. */
    private static double error(double[] means, int cut) {
        double mean = Arrays.stream(means, cut, means.length).average().orElseThrow();
        double left = means.length - cut;
        return Arrays.stream(means, cut, means.length).map(value -> (value - mean) * (value - mean)).sum() / left / left;
    }
}
