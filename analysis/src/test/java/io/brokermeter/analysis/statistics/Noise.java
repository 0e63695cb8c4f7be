package io.brokermeter.analysis.statistics;

import java.util.SplittableRandom;

/** Seeded numbers as trials have them: log-normal about a level, as logarithms. */
public final class Noise {

    private Noise() {}

    /** Logarithms of {@code n} trials about a level. */
    public static double[] trials(SplittableRandom random, int n, double level, double spread) {
        double[] values = new double[n];
        for (int i = 0; i < n; i++) {
            values[i] = Math.log(level) + spread * random.nextGaussian();
        }
        return values;
    }

    /**
     * Logarithms of the throughput of {@code n} trials of so many messages each, with a server like the one behind LOOPBACK's service rate whose service
     * times are exponential.
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

    /** Second minus first. */
    public static double[] differences(double[] first, double[] second) {
        double[] values = new double[first.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = second[i] - first[i];
        }
        return values;
    }
}
