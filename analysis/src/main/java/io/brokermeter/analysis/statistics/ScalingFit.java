package io.brokermeter.analysis.statistics;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * How a rate depends on the number of things that share a broker, by the Universal Scalability Law (Gunther, Guerrilla Capacity Planning,
 * 2007, chapter 4): with N of them it is a N / (1 + s (N - 1) + k N (N - 1)), where a is the rate of one alone, the contention s the part of the
 * work for which all wait for each other, from 0 to 1, and the coherency k the cost of each pair of them, at least 0.
 *
 * <p>The law is fitted to the logarithms of the rates, each weighted by its own uncertainty. Intervals have 95 % and are those of the profile
 * likelihood, which also holds at the bounds and for numbers that follow from the coefficients. Where the rates are farther from the law than their
 * uncertainties say, these are widened until they agree.
 *
 * @param alone a, per second
 * @param contention s
 * @param coherency k
 * @param pays the number from which on twice as many bring less than {@value #LITTLE} of the rate more; infinite where that is nowhere
 * @param hurts the number from which on more of them lower the rate; infinite where that is nowhere
 * @param scatter how many times farther the rates are from the law than their uncertainties say, at least 1; 1 with three of them
 */
public record ScalingFit(ConfidenceInterval alone, ConfidenceInterval contention, ConfidenceInterval coherency, ConfidenceInterval pays,
        ConfidenceInterval hurts, double scatter) {

    /** The share by which twice as many must raise the rate, for adding to pay. */
    public static final double LITTLE = 0.1;
    /** The fewest rates to which the law is fitted: it has three coefficients. */
    public static final int FEWEST = 3;

    private static final double CONFIDENCE = 0.95;
    /** The quantile of the chi-squared distribution with one degree of freedom, for {@link #CONFIDENCE}. */
    private static final double BEYOND = 3.8415;
    /** The effect on a rate below which a coefficient counts as 0. */
    private static final double NO_EFFECT = 1e-4;
    private static final double MOST_COHERENCY = 10;
    private static final int POINTS = 80;
    /** How often the grid is laid again over the part of it that the rates leave possible. */
    private static final int ROUNDS = 4;

    /** The law without its factor a. */
    private record Shape(double contention, double coherency) {

        double at(double n) {
            return n / (1 + contention * (n - 1) + coherency * n * (n - 1));
        }

        /** Twice as many bring (1 + l) times the rate or more up to the root of (1 - l) (1 - s) - 2 l (s - k) n - (2 + 4 l) k n^2. */
        double pays() {
            double lost = LITTLE * (contention - coherency);
            double left = (1 - LITTLE) * (1 - contention);
            double square = (2 + 4 * LITTLE) * coherency;
            return Math.max(1, square == 0 ? left / (2 * lost) : (Math.sqrt(lost * lost + square * left) - lost) / square);
        }

        double hurts() {
            return coherency == 0 ? Double.POSITIVE_INFINITY : Math.max(1, Math.sqrt((1 - contention) / coherency));
        }
    }

    /** Rates with their uncertainties. */
    private record Rates(double[] n, double[] logs, double[] weights) {

        /** Returns the logarithm of the factor a that fits best to a shape. */
        double factor(Shape shape) {
            double sum = 0;
            double all = 0;
            for (int i = 0; i < n.length; i++) {
                sum += weights[i] * (logs[i] - Math.log(shape.at(n[i])));
                all += weights[i];
            }
            return sum / all;
        }

        /** Returns the sum of the squares of the distances from the law, in uncertainties. */
        double distance(Shape shape, double factor) {
            double sum = 0;
            for (int i = 0; i < n.length; i++) {
                double off = logs[i] - factor - Math.log(shape.at(n[i]));
                sum += weights[i] * off * off;
            }
            return sum;
        }

        double distance(Shape shape) {
            return distance(shape, factor(shape));
        }
    }

    /**
     * Fits the law.
     *
     * @param n the numbers, all different and at least 1
     * @param rates the rate with each number, above 0
     * @param spreads the standard deviation of the logarithm of each rate, above 0
     * @throws IllegalArgumentException for fewer than {@link #FEWEST} rates
     */
    public static ScalingFit of(double[] n, double[] rates, double[] spreads) {
        if (n.length < FEWEST || n.length != rates.length || n.length != spreads.length) {
            throw new IllegalArgumentException("The law needs " + FEWEST + " rates with their uncertainties.");
        }
        Rates all =
            new Rates(n.clone(), Arrays.stream(rates).map(Math::log).toArray(),
                Arrays.stream(spreads).map(one -> 1 / (one * one)).toArray());
        double most = Math.max(2, Arrays.stream(n).max().orElseThrow());
        double[] least = {Math.log(NO_EFFECT / most), Math.log(NO_EFFECT / (most * most))};
        double[] greatest = {0, Math.log(MOST_COHERENCY)};
        ToDoubleFunction<double[]> distance = at -> all.distance(shape(at, least, greatest));
        double[] start = grid(least, greatest).stream().min((one, other) -> Double.compare(distance.applyAsDouble(one),
            distance.applyAsDouble(other))).orElseThrow();
        double[] best = Simplex.of(distance, start, 0.3).at();
        Shape fitted = shape(best, least, greatest);
        double nearest = all.distance(fitted);
        double scatter = n.length > FEWEST ? Math.max(1, Math.sqrt(nearest / (n.length - FEWEST))) : 1;
        double limit = nearest + BEYOND * scatter * scatter;
        List<double[]> possible = possible(distance, limit, best, least, greatest);
        List<Shape> shapes = new ArrayList<>(possible.stream().map(at -> shape(at, least, greatest)).toList());
        shapes.add(fitted);
        return new ScalingFit(alone(all, shapes, fitted, limit), interval(shapes, fitted, Shape::contention),
            interval(shapes, fitted, Shape::coherency), interval(shapes, fitted, Shape::pays), interval(shapes, fitted, Shape::hurts),
            scatter);
    }

    /** Returns the shape at logarithms of the coefficients; one at its least is 0. */
    private static Shape shape(double[] at, double[] least, double[] greatest) {
        return new Shape(at[0] <= least[0] ? 0 : Math.exp(Math.min(at[0], greatest[0])),
            at[1] <= least[1] ? 0 : Math.exp(Math.min(at[1], greatest[1])));
    }

    private static List<double[]> grid(double[] low, double[] high) {
        List<double[]> all = new ArrayList<>();
        for (int i = 0; i <= POINTS; i++) {
            for (int j = 0; j <= POINTS; j++) {
                all.add(new double[] {low[0] + (high[0] - low[0]) * i / POINTS, low[1] + (high[1] - low[1]) * j / POINTS});
            }
        }
        return all;
    }

    /** Returns points from all over the region that the rates leave possible: the grid becomes finer as it shrinks to that region. */
    private static List<double[]> possible(ToDoubleFunction<double[]> distance, double limit, double[] best, double[] least,
            double[] greatest) {
        double[] low = least.clone();
        double[] high = greatest.clone();
        List<double[]> inside = List.of();
        for (int round = 0; round < ROUNDS; round++) {
            inside = grid(low, high).stream().filter(at -> distance.applyAsDouble(at) <= limit).toList();
            for (int k = 0; k < 2; k++) {
                int coefficient = k;
                double margin = 2 * (high[k] - low[k]) / POINTS;
                double own = Math.clamp(best[k], least[k], greatest[k]);
                double from = inside.stream().mapToDouble(at -> at[coefficient]).min().orElse(own);
                double to = inside.stream().mapToDouble(at -> at[coefficient]).max().orElse(own);
                low[k] = Math.max(least[k], Math.min(own, from) - margin);
                high[k] = Math.min(greatest[k], Math.max(own, to) + margin);
            }
        }
        return inside;
    }

    private static ConfidenceInterval interval(List<Shape> shapes, Shape fitted, ToDoubleFunction<Shape> number) {
        return new ConfidenceInterval(number.applyAsDouble(fitted), shapes.stream().mapToDouble(number).min().orElseThrow(),
            shapes.stream().mapToDouble(number).max().orElseThrow(), CONFIDENCE);
    }

    /** Returns the rate of one alone; what is left of the distance at a shape is how far its factor may be from the best one. */
    private static ConfidenceInterval alone(Rates rates, List<Shape> shapes, Shape fitted, double limit) {
        double all = Arrays.stream(rates.weights).sum();
        double low = Double.POSITIVE_INFINITY;
        double high = Double.NEGATIVE_INFINITY;
        for (Shape shape : shapes) {
            double factor = rates.factor(shape);
            double off = Math.sqrt(Math.max(0, limit - rates.distance(shape, factor)) / all);
            low = Math.min(low, factor - off);
            high = Math.max(high, factor + off);
        }
        return new ConfidenceInterval(rates.factor(fitted), low, high, CONFIDENCE).exp();
    }

    /** Returns the rate with {@code n} of them. */
    public double at(double n) {
        return alone.estimate() * new Shape(contention.estimate(), coherency.estimate()).at(n);
    }
}
