package io.brokermeter.analysis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

import io.brokermeter.analysis.statistics.HodgesLehmann;
import io.brokermeter.analysis.statistics.Interval;
import org.jspecify.annotations.Nullable;

/**
 * One figure of two sides.
 *
 * @param first the median of the first side, NaN when it does not have the figure
 * @param second that of the second side
 * @param firstCount how many trials of the first side have it
 * @param secondCount how many of the second
 * @param paired whether trials were compared two by two
 * @param count the pairs, or the trials of the smaller side
 * @param ratio second to first with its interval; null when there are too few trials
 * @param verdict what that means
 */
public record FigureComparison(
        ComparedFigure figure, double first, double second, int firstCount, int secondCount, boolean paired, int count,
        @Nullable Interval ratio, Verdict verdict) {

    /** What it is made of by name. */
    @SuppressWarnings("NullAway.Init") // what has no default is asked for when all is set
    public static final class Values {

        public ComparedFigure figure;
        public double first;
        public double second;
        public int firstCount;
        public int secondCount;
        public boolean paired;
        public int count;
        public @Nullable Interval ratio;
        public Verdict verdict;

        private Values() {}
    }

    /** Of what {@code change} sets. */
    public static FigureComparison of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new FigureComparison(Objects.requireNonNull(its.figure, "figure"), its.first, its.second, its.firstCount, its.secondCount,
            its.paired, its.count, its.ratio, Objects.requireNonNull(its.verdict, "verdict"));
    }

    /** What an interval of a comparison covers with. */
    public static final double CONFIDENCE = 0.95;

    /**
     * Compares a figure of two sides, by pairs where the trials were measured in turn. A value of 0 has no ratio and does not count.
     *
     * @param least the least effect that counts, such as 0.03
     */
    public static FigureComparison of(ComparedFigure figure, Side first, Side second, double least, double confidence) {
        double[] one = counted(first, figure);
        double[] other = counted(second, figure);
        double median = ComparedFigure.median(one);
        double otherMedian = ComparedFigure.median(other);
        List<Double> differences = new ArrayList<>();
        for (Side.Pair pair : Side.pairs(first, second)) {
            double difference = Math.log(pair.second().figure(figure) / pair.first().figure(figure));
            if (Double.isFinite(difference)) {
                differences.add(difference);
            }
        }
        boolean paired = differences.size() >= HodgesLehmann.FEWEST;
        int count = paired || !differences.isEmpty() && Math.min(one.length, other.length) < HodgesLehmann.FEWEST ? differences.size()
            : Math.min(one.length, other.length);
        return FigureComparison.of(its -> {
            its.figure = figure;
            its.first = median;
            its.second = otherMedian;
            its.firstCount = one.length;
            its.secondCount = other.length;
            its.paired = paired;
            its.count = count;
            if (paired) {
                its.ratio = HodgesLehmann.paired(differences.stream().mapToDouble(Double::doubleValue).toArray(), confidence).exp();
            } else if (count >= HodgesLehmann.FEWEST) {
                its.ratio = HodgesLehmann.shift(logarithms(one), logarithms(other), confidence).exp();
            }
            its.verdict = its.ratio == null ? Verdict.UNDECIDED : Verdict.of(its.ratio, least);
        });
    }

    /** The values of a side that count. */
    static double[] counted(Side side, ComparedFigure figure) {
        return Arrays.stream(side.values(figure)).filter(value -> value > 0).toArray();
    }

    private static double[] logarithms(double[] values) {
        return Arrays.stream(values).map(Math::log).toArray();
    }

    /** Whether both sides have the figure at all. */
    public boolean isKnown() {
        return firstCount > 0 && secondCount > 0;
    }

    /** The ratio as far as it is known: that of the medians where there are too few trials for an estimate. */
    public double observed() {
        return ratio == null ? second / first : ratio.estimate();
    }
}
