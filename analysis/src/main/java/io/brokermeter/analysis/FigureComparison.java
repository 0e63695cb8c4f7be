package io.brokermeter.analysis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.brokermeter.analysis.statistics.ConfidenceInterval;
import io.brokermeter.analysis.statistics.HodgesLehmann;
import org.jspecify.annotations.Nullable;

/**
 * The comparison of one figure of two sides.
 *
 * @param first the median of the first side; NaN when that side does not have the figure
 * @param second the median of the second side; NaN when that side does not have the figure
 * @param firstCount number of trials of the first side that have the figure
 * @param secondCount number of trials of the second side that have the figure
 * @param firstZeros number of those trials of the first side in which the figure is 0, which has no ratio to anything
 * @param secondZeros number of those trials of the second side in which the figure is 0
 * @param paired whether trials were compared in pairs
 * @param count number of pairs, or of trials of the smaller side
 * @param ratio ratio of the second side to the first with its interval; null when there are too few trials, or when the figure is 0 in one
 *     of them
 * @param verdict the verdict on the ratio
 */
public record FigureComparison(
        ComparedFigure figure, double first, double second, int firstCount, int secondCount, int firstZeros, int secondZeros,
        boolean paired, int count, @Nullable ConfidenceInterval ratio, RatioVerdict verdict) {

    /** The probability with which the interval of a comparison covers the true ratio. */
    public static final double CONFIDENCE = 0.95;
    /** The normal quantile of that probability, by that of the limits of searches, 98 %. */
    private static final double NARROWER = 1.95996 / 2.32635;

    /**
     * Compares a figure of two sides, in pairs if the trials were measured in turn. If the figure is 0 in a trial there is no ratio: the
     * remaining trials would be a biased selection. Sides in which the figure is 0 in all trials are the same, given enough trials.
     *
     * @param least the least effect that counts, such as 0.03
     * @param looks whether the width of the interval, examined several times, ended the trials, see {@link StoppingRule}
     */
    public static FigureComparison of(ComparedFigure figure, Side first, Side second, double least, boolean looks) {
        double confidence = looks ? StoppingRule.OF_EACH_LOOK : CONFIDENCE;
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
        ConfidenceInterval ratio = null;
        if (paired) {
            ratio = HodgesLehmann.paired(differences.stream().mapToDouble(Double::doubleValue).toArray(), confidence).exp()
                .covering(CONFIDENCE);
        } else if (hasRatio && count >= HodgesLehmann.FEWEST) {
            ratio = HodgesLehmann.shift(logarithms(one), logarithms(other), confidence).exp().covering(CONFIDENCE);
        }
        if (ratio == null && one.length == 1 && other.length == 1) {
            ratio = ratio(first.fit().getFirst().limit(), second.fit().getFirst().limit());
        }
        boolean nothing = zeros == one.length && otherZeros == other.length && count >= HodgesLehmann.FEWEST;
        return new FigureComparison(figure, ComparedFigure.median(one), ComparedFigure.median(other), one.length, other.length, zeros,
            otherZeros, paired, count, ratio,
            ratio != null ? RatioVerdict.of(ratio, least) : nothing ? RatioVerdict.SAME : RatioVerdict.UNDECIDED);
    }

    /** Returns the ratio of two limits by their own intervals, which are those of a normal distribution of the logarithm; null for no limits. */
    private static @Nullable ConfidenceInterval ratio(MeasuredTrial.@Nullable Limit first, MeasuredTrial.@Nullable Limit second) {
        ConfidenceInterval one = first == null ? null : first.value();
        ConfidenceInterval other = second == null ? null : second.value();
        if (one == null || other == null) {
            return null;
        }
        double middle = Math.log(other.estimate() / one.estimate());
        double spread = Math.hypot(Math.log(one.high() / one.low()), Math.log(other.high() / other.low())) / 2 * NARROWER;
        return new ConfidenceInterval(middle, middle - spread, middle + spread, CONFIDENCE).exp();
    }

    private static int zeros(double[] values) {
        return (int) Arrays.stream(values).filter(value -> !(value > 0)).count();
    }

    private static double[] logarithms(double[] values) {
        return Arrays.stream(values).map(Math::log).toArray();
    }

    /** Returns whether both sides have the figure. */
    public boolean isKnown() {
        return firstCount > 0 && secondCount > 0;
    }

    /** Returns whether the figure is 0 in every trial of both sides. */
    boolean isNothing() {
        return isKnown() && firstZeros == firstCount && secondZeros == secondCount;
    }

    /** Returns whether both sides are the same without a ratio: the figure is 0 in all of their trials, and the trials are enough. */
    boolean isSameNothing() {
        return ratio == null && verdict == RatioVerdict.SAME;
    }

    /** Returns whether there is no ratio because the figure is 0 in some trials, but not in all of both sides. */
    public boolean lacksRatio() {
        return firstZeros + secondZeros > 0 && !isNothing();
    }

    /**
     * Returns the ratio as far as it is known: the estimate, or the ratio of the medians where the trials are too few for one, or 1 where
     * the figure is 0 in all trials of both sides; NaN where it {@linkplain #lacksRatio() has no ratio}.
     */
    public double observed() {
        return ratio != null ? ratio.estimate() : isNothing() ? 1 : lacksRatio() ? Double.NaN : second / first;
    }
}
