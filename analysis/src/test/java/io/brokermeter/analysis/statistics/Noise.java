package io.brokermeter.analysis.statistics;

import java.util.SplittableRandom;

/** Seeded results of trials, as logarithms. */
public final class Noise {

    private Noise() {}

    /** Returns logarithms of {@code n} trials with log-normal noise around a level. */
    public static double[] trials(SplittableRandom random, int n, double level, double spread) {
        double[] values = new double[n];
        for (int i = 0; i < n; i++) {
            values[i] = Math.log(level) + spread * random.nextGaussian();
        }
        return values;
    }

    /**
     * Returns logarithms of the throughput of {@code n} trials of {@code messages} messages each, with a server like that of the service
     * rate of LOOPBACK, but with exponential service times.
     */
    public static double[] served(SplittableRandom random, int n, double perSecond, int messages) {
        double[] values = new double[n];
        for (int i = 0; i < n; i++) {
            double seconds = 0;
            for (int message = 0; message < messages; message++) {
                seconds += random.nextExponential() / perSecond;
            }
            values[i] = Math.log(messages / seconds);
        }
        return values;
    }

    /** Returns noise in which neighbours have a given correlation (an autoregressive process of the first order). */
    public static double[] correlated(SplittableRandom random, int n, double correlation, double spread) {
        double[] values = new double[n];
        for (int i = 0; i < n; i++) {
            values[i] = i == 0 ? spread * random.nextGaussian()
                : correlation * values[i - 1] + spread * Math.sqrt(1 - correlation * correlation) * random.nextGaussian();
        }
        return values;
    }

    /** Returns the differences, second minus first. */
    public static double[] differences(double[] first, double[] second) {
        double[] values = new double[first.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = second[i] - first[i];
        }
        return values;
    }
}
