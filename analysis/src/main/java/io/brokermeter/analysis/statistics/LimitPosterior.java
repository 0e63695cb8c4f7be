package io.brokermeter.analysis.statistics;

import java.util.Arrays;

/**
 * What trials that held or failed say about a limit: the load at which half of all trials hold. A trial at load <i>r</i> holds with
 * probability 0.05 + 0.9 &Phi;((&theta; - ln r) / s), where &theta; is the logarithm of the limit and s the spread of the limit from one
 * trial to the next. A twentieth of the trials on either side thus counts as an accident, so that one of them decides nothing. Both unknowns
 * have a flat prior on a grid, &theta; in steps of 0.5 %. The model is that of psychometric functions (Watson and Pelli, QUEST, 1983; the
 * spread as a second unknown as in Kontsevich and Tyler, 1999). Mutable; used by one thread.
 */
public final class LimitPosterior {

    private static final double STEP = 0.005;
    private static final double ACCIDENT = 0.05;
    private static final double FAR = 7;
    private static final double[] SPREADS = {0.008, 0.015, 0.03, 0.06, 0.12, 0.24, 0.48};

    private final double lowest;
    private final int points;
    /** Logarithms of the weights, by spread and point. */
    private final double[][] weights;
    /** The probability of each point. */
    private final double[] density;
    private double spread;

    /**
     * Creates the state before the first trial.
     *
     * @param least the smallest load that may be the limit, above 0
     * @param most the greatest load that may be the limit
     */
    public LimitPosterior(double least, double most) {
        lowest = Math.log(least);
        points = (int) Math.ceil((Math.log(most) - lowest) / STEP) + 1;
        weights = new double[SPREADS.length][points];
        density = new double[points];
        look();
    }

    /**
     * Adds trials at one load that had the same outcome.
     *
     * @param load the load, above 0
     * @param held whether they held
     * @param times their number
     */
    public void add(double load, boolean held, int times) {
        double at = Math.log(load);
        double likely = times * Math.log(1 - ACCIDENT);
        double unlikely = times * Math.log(ACCIDENT);
        for (int s = 0; s < SPREADS.length; s++) {
            for (int i = 0; i < points; i++) {
                double distance = (lowest + i * STEP - at) / SPREADS[s];
                // Far from the load the normal distribution is 0 or 1, which saves most of the work.
                if (Math.abs(distance) > FAR) {
                    weights[s][i] += distance > 0 == held ? likely : unlikely;
                } else {
                    double holds = ACCIDENT + (1 - 2 * ACCIDENT) * normal(distance);
                    weights[s][i] += times * Math.log(held ? holds : 1 - holds);
                }
            }
        }
        look();
    }

    /** Computes what the weights say: the distribution of the limit, and the mean of the spread. */
    private void look() {
        double greatest = Arrays.stream(weights).flatMapToDouble(Arrays::stream).max().orElse(0);
        Arrays.fill(density, 0);
        double sum = 0;
        double mean = 0;
        for (int s = 0; s < SPREADS.length; s++) {
            for (int i = 0; i < points; i++) {
                double share = Math.exp(weights[s][i] - greatest);
                density[i] += share;
                sum += share;
                mean += share * SPREADS[s];
            }
        }
        for (int i = 0; i < points; i++) {
            density[i] /= sum;
        }
        spread = mean / sum;
    }

    /**
     * Returns the median of the limit with its central credible interval.
     *
     * @param confidence probability that the limit lies in the interval, such as 0.98
     */
    public ConfidenceInterval limit(double confidence) {
        double tail = (1 - confidence) / 2;
        return new ConfidenceInterval(quantile(0.5), quantile(tail), quantile(1 - tail), confidence);
    }

    /** Returns the mean of the spread: by which share the limit differs from one trial to the next. */
    public double spread() {
        return spread;
    }

    /** Returns the probability that the limit is at most {@code load}. */
    public double below(double load) {
        double sum = 0;
        for (int i = 0; i < points && lowest + i * STEP <= Math.log(load); i++) {
            sum += density[i];
        }
        return Math.min(1, sum);
    }

    private double quantile(double part) {
        double sum = 0;
        int point = 0;
        while (sum + density[point] < part) {
            sum += density[point++];
        }
        // The probability of a point lies evenly in the half step on either side of it.
        return Math.exp(lowest + (point - 0.5 + (part - sum) / density[point]) * STEP);
    }

    /**
     * Returns the distribution function of the standard normal distribution, to 1.2e-7: the complementary error function by the rational
     * Chebyshev approximation of Press and others, Numerical Recipes, 6.2.
     */
    static double normal(double x) {
        double z = Math.abs(x) / Math.sqrt(2);
        double t = 1 / (1 + 0.5 * z);
        double tail = 0.5 * t * Math.exp(-z * z - 1.26551223 + t * (1.00002368 + t * (0.37409196 + t * (0.09678418
            + t * (-0.18628806 + t * (0.27886807 + t * (-1.13520398 + t * (1.48851587 + t * (-0.82215223 + t * 0.17087277)))))))));
        return x > 0 ? 1 - tail : tail;
    }
}
