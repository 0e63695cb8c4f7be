package io.brokermeter.analysis;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

import io.brokermeter.analysis.statistics.ConfidenceInterval;
import io.brokermeter.analysis.statistics.SerialCorrelation;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.JsonObject;
import io.brokermeter.reports.document.JsonText;
import org.jspecify.annotations.Nullable;

/** Formats comparisons as one JSON object. */
public final class ComparisonJson {

    private static final int FORMAT = 1;

    private ComparisonJson() {}

    private record Comparisons(int format, List<OneComparison> comparisons) {}

    private record OneComparison(String variant, OneSide first, OneSide second, boolean comparable, List<Condition> apart,
            List<Condition> differs, Order order, String figure, String verdict, String answer, List<String> notes, double leastEffect,
            List<Figure> figures, List<Gate.Judged> failIf) {}

    private record OneSide(String letter, String title, List<OneTrial> trials) {}

    private record OneTrial(String directory, @Nullable String start, @Nullable String leftOut, boolean doubtful) {}

    private record Order(boolean inTurn, List<Block> blocks, double correlation, double correlationPValue) {}

    private record Block(String side, long trials, double secondsAfterLast) {}

    private record Condition(String name, String first, String second) {}

    private record Figure(String name, String unit, double first, double second, int firstTrials, int secondTrials, boolean paired,
            int count, double observedRatio, double ratio, double ratioLow, double ratioHigh, double confidence, String verdict,
            List<Double> firstValues, List<Double> secondValues) {}

    /** Returns the object on one line, ending with a newline. Unknown values are null. */
    public static String text(List<Comparison> comparisons, List<Gate> gates) {
        return JsonText.of(tree(comparisons, gates)) + "\n";
    }

    /** Returns the object. */
    public static JsonObject tree(List<Comparison> comparisons, List<Gate> gates) {
        return DocumentJson.treeOfJavaNumbers(new Comparisons(FORMAT, comparisons.stream().map(one -> comparison(one, gates)).toList()));
    }

    /** Returns the verdict on the figure that decides, in the word of the object. */
    public static String verdict(Comparison one) {
        FigureComparison decisive = one.decisive();
        return decisive == null ? "undecided" : word(one.verdict(decisive));
    }

    private static OneComparison comparison(Comparison one, List<Gate> gates) {
        return new OneComparison(one.variant(), side(one.first()), side(one.second()), one.isComparable(),
            one.apart().stream().map(ComparisonJson::condition).toList(), one.subjects().stream().map(ComparisonJson::condition).toList(),
            order(one.order()), one.headline().name(), verdict(one),
            ComparisonWords.answer(one), ComparisonWords.notes(one), one.least(),
            one.figures().stream().map(figure -> figure(one, figure)).toList(),
            gates.stream().map(gate -> gate.judged(gate.of(one), gate.sentence(one))).toList());
    }

    private static OneSide side(Side side) {
        return new OneSide(side.letter(), side.title(), side.trials().stream()
            .map(trial -> new OneTrial(String.valueOf(trial.directory().toAbsolutePath().normalize().getFileName()),
                trial.start() == null ? null : trial.start().toString(), trial.unfit(), trial.isDoubtful()))
            .toList());
    }

    private static Order order(TrialOrder order) {
        SerialCorrelation correlation = order.correlation();
        return new Order(order.inTurn(),
            order.blocks().stream().map(block -> new Block(block.letter(), block.trials(), block.before().toMillis() / 1e3)).toList(),
            correlation == null ? Double.NaN : correlation.coefficient(), correlation == null ? Double.NaN : correlation.pValue());
    }

    private static Condition condition(Confounder condition) {
        return new Condition(condition.name(), condition.first(), condition.second());
    }

    private static Figure figure(Comparison comparison, FigureComparison figure) {
        ConfidenceInterval ratio = figure.ratio();
        return new Figure(figure.figure().name(), figure.figure().kind().unit(), figure.first(), figure.second(), figure.firstCount(),
            figure.secondCount(), figure.paired(), figure.count(), figure.observed(), ratio == null ? Double.NaN : ratio.estimate(),
            ratio == null ? Double.NaN : ratio.low(), ratio == null ? Double.NaN : ratio.high(),
            ratio == null ? Double.NaN : ratio.confidence(), word(comparison.verdict(figure)),
            doubles(comparison.first().values(figure.figure())), doubles(comparison.second().values(figure.figure())));
    }

    private static List<Double> doubles(double[] values) {
        return Arrays.stream(values).boxed().toList();
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
