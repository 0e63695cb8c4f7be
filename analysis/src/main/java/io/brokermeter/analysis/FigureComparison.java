package io.brokermeter.analysis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

import io.brokermeter.analysis.statistics.ConfidenceInterval;
import io.brokermeter.analysis.statistics.HodgesLehmann;
import org.jspecify.annotations.Nullable;

/**
 * One figure of two sides.
 *
 * @param first the median of the first side, NaN when it does not have the figure
 * @param second that of the second side
 * @param firstCount how many trials of the first side have it
 * @param secondCount how many of the second
 * @param firstZeros in how many of those of the first side it is 0, which has no ratio to anything
 * @param secondZeros in how many of the second
 * @param paired whether trials were compared two by two
 * @param count the pairs, or the trials of the smaller side
 * @param ratio second to first with its interval; null when there are too few trials, and where one of them has 0
 * @param verdict what that means
 */
public record FigureComparison(
        ComparedFigure figure, double first, double second, int firstCount, int secondCount, int firstZeros, int secondZeros,
        boolean paired, int count, @Nullable ConfidenceInterval ratio, RatioVerdict verdict) {

    /** What it is made of by name. */
    @SuppressWarnings("NullAway.Init") // what has no default is asked for when all is set
    public static final class Values {

        public ComparedFigure figure;
        public double first;
        public double second;
        public int firstCount;
        public int secondCount;
        public int firstZeros;
        public int secondZeros;
        public boolean paired;
        public int count;
        public @Nullable ConfidenceInterval ratio;
        public RatioVerdict verdict;

        private Values() {}
    }

    /** Of what {@code change} sets. */
    public static FigureComparison of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new FigureComparison(Objects.requireNonNull(its.figure, "figure"), its.first, its.second, its.firstCount, its.secondCount,
            its.firstZeros, its.secondZeros, its.paired, its.count, its.ratio, Objects.requireNonNull(its.verdict, "verdict"));
    }

    /** What an interval of a comparison covers with. */
    public static final double CONFIDENCE = 0.95;

    /**
     * Compares a figure of two sides, by pairs where the trials were measured in turn. Where it is 0 in a trial there is no ratio: one of the other trials alone
     * would be one of a selection. Sides that have nothing but 0 are the same.
     *
     * @param least the least effect that counts, such as 0.03
     */
    public static FigureComparison of(ComparedFigure figure, Side first, Side second, double least, double confidence) {
        double[] one = first.values(figure);
        double[] other = second.values(figure);
        int zeros = zeros(one);
        int otherZeros = zeros(other);
        List<Double> differences = new ArrayList<>();
        for (Side.Pair pair : Side.pairs(first, second)) {
            double difference = Math.log(pair.second().figure(figure) / pair.first().figure(figure));
            if (Double.isFinite(difference)) {
                differences.add(difference);
            }
        }
        boolean hasRatio = zeros + otherZeros == 0;
        boolean paired = hasRatio && differences.size() >= HodgesLehmann.FEWEST;
        int fewer = Math.min(one.length, other.length);
        int count = paired || hasRatio && !differences.isEmpty() && fewer < HodgesLehmann.FEWEST ? differences.size() : fewer;
        return FigureComparison.of(its -> {
            its.figure = figure;
            its.first = ComparedFigure.median(one);
            its.second = ComparedFigure.median(other);
            its.firstCount = one.length;
            its.secondCount = other.length;
            its.firstZeros = zeros;
            its.secondZeros = otherZeros;
            its.paired = paired;
            its.count = count;
            if (paired) {
                its.ratio = HodgesLehmann.paired(differences.stream().mapToDouble(Double::doubleValue).toArray(), confidence).exp();
            } else if (hasRatio && count >= HodgesLehmann.FEWEST) {
                its.ratio = HodgesLehmann.shift(logarithms(one), logarithms(other), confidence).exp();
            }
            boolean nothing = zeros == one.length && otherZeros == other.length && count >= HodgesLehmann.FEWEST;
            its.verdict = its.ratio != null ? RatioVerdict.of(its.ratio, least) : nothing ? RatioVerdict.SAME : RatioVerdict.UNDECIDED;
        });
    }

    private static int zeros(double[] values) {
        return (int) Arrays.stream(values).filter(value -> !(value > 0)).count();
    }

    private static double[] logarithms(double[] values) {
        return Arrays.stream(values).map(Math::log).toArray();
    }

    /** Whether both sides have the figure at all. */
    public boolean isKnown() {
        return firstCount > 0 && secondCount > 0;
    }

    /** Whether it is 0 in every trial of both sides. */
    boolean isNothing() {
        return isKnown() && firstZeros == firstCount && secondZeros == secondCount;
    }

    /** Whether both sides are the same though they have no ratio: it is 0 in all of their trials, which are enough. */
    boolean isSameNothing() {
        return ratio == null && verdict == RatioVerdict.SAME;
    }

    /** Whether there is no ratio because of trials in which it is 0. */
    public boolean lacksRatio() {
        return firstZeros + secondZeros > 0 && !isNothing();
    }

    /**
     * The ratio as far as it is known: that of the medians where there is no estimate, 1 where all trials of both sides have 0; not finite where the median of the
     * first side alone is 0.
     */
    public double observed() {
        return ratio != null ? ratio.estimate() : isNothing() ? 1 : second / first;
    }
}
