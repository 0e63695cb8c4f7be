package io.brokermeter.analysis;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.brokermeter.analysis.statistics.ConfidenceInterval;
import io.brokermeter.analysis.statistics.SerialCorrelation;
import io.brokermeter.reports.json.JsonText;
import org.jspecify.annotations.Nullable;

/** Formats comparisons as one JSON object. */
public final class ComparisonJson {

    private static final int FORMAT = 1;

    private ComparisonJson() {}

    /** Returns the object on one line, ending with a newline. Unknown values are null. */
    public static String text(List<Comparison> comparisons, List<Gate> gates) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("format", FORMAT);
        all.put("comparisons", comparisons.stream().map(one -> comparison(one, gates)).toList());
        return JsonText.of(all) + "\n";
    }

    private static Map<String, @Nullable Object> comparison(Comparison one, List<Gate> gates) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("variant", one.variant());
        all.put("first", side(one.first()));
        all.put("second", side(one.second()));
        all.put("comparable", one.isComparable());
        all.put("apart", one.apart().stream().map(ComparisonJson::condition).toList());
        all.put("differs", one.subjects().stream().map(ComparisonJson::condition).toList());
        all.put("order", order(one.order()));
        FigureComparison decisive = one.decisive();
        all.put("figure", one.headline().name());
        all.put("verdict", decisive == null ? "undecided" : word(one.verdict(decisive)));
        all.put("answer", ComparisonWords.answer(one));
        all.put("notes", ComparisonWords.notes(one));
        all.put("leastEffect", one.least());
        all.put("figures", one.figures().stream().map(figure -> figure(one, figure)).toList());
        all.put("failIf", gates.stream().map(gate -> gate.values(gate.of(one), gate.sentence(one))).toList());
        return all;
    }

    private static Map<String, @Nullable Object> side(Side side) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("letter", side.letter());
        all.put("title", side.title());
        all.put("trials", side.trials().stream().map(trial -> {
            Map<String, @Nullable Object> one = new LinkedHashMap<>();
            one.put("directory", String.valueOf(trial.directory().toAbsolutePath().normalize().getFileName()));
            one.put("start", trial.start() == null ? null : trial.start().toString());
            one.put("leftOut", trial.unfit());
            one.put("doubtful", trial.isDoubtful());
            return one;
        }).toList());
        return all;
    }

    private static Map<String, @Nullable Object> order(TrialOrder order) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        SerialCorrelation correlation = order.correlation();
        all.put("inTurn", order.inTurn());
        all.put("blocks", order.blocks().stream().map(block -> Map.of("side", block.letter(), "trials", block.trials(), "secondsAfterLast",
            block.before().toMillis() / 1e3)).toList());
        all.put("correlation", correlation == null ? null : correlation.coefficient());
        all.put("correlationPValue", correlation == null ? null : correlation.pValue());
        return all;
    }

    private static Map<String, Object> condition(Confounder condition) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("name", condition.name());
        all.put("first", condition.first());
        all.put("second", condition.second());
        return all;
    }

    private static Map<String, @Nullable Object> figure(Comparison comparison, FigureComparison figure) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        ConfidenceInterval ratio = figure.ratio();
        all.put("name", figure.figure().name());
        all.put("unit", figure.figure().kind().unit());
        all.put("first", figure.first());
        all.put("second", figure.second());
        all.put("firstTrials", figure.firstCount());
        all.put("secondTrials", figure.secondCount());
        all.put("paired", figure.paired());
        all.put("count", figure.count());
        all.put("observedRatio", figure.observed());
        all.put("ratio", ratio == null ? null : ratio.estimate());
        all.put("ratioLow", ratio == null ? null : ratio.low());
        all.put("ratioHigh", ratio == null ? null : ratio.high());
        all.put("confidence", ratio == null ? null : ratio.confidence());
        all.put("verdict", word(comparison.verdict(figure)));
        all.put("firstValues", doubles(comparison.first().values(figure.figure())));
        all.put("secondValues", doubles(comparison.second().values(figure.figure())));
        return all;
    }

    private static List<Double> doubles(double[] values) {
        return Arrays.stream(values).boxed().toList();
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
