package io.brokermeter.trials.sweep;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.brokermeter.analysis.ComparedFigure;
import io.brokermeter.analysis.Comparison;
import io.brokermeter.analysis.Gate;
import io.brokermeter.analysis.StoppingRule;
import io.brokermeter.engine.scenario.UsageException;
import org.jspecify.annotations.Nullable;

/**
 * The question that a comparison of {@code ab} answers. It is kept with the trials, since a comparison that is resumed must ask the same:
 * choosing the looks or the figure after having seen half of the pairs means choosing the answer.
 *
 * @param looks the rule that decides when pairs are enough
 * @param question the figures to compare
 * @param gates the conditions under which the command fails
 * @param time the longest time that the pairs may take; null for no limit
 */
public record PairedOrder(StoppingRule looks, Comparison.Question question, List<Gate> gates, @Nullable Duration time) {

    private static final String PAIRS = "pairs";
    private static final String WIDTH = "width";
    private static final String FIGURES = "figures";
    private static final String LEAST = "minEffect";
    private static final String FAIL_IF = "failIf";
    private static final String SECONDS = "timeSeconds";

    public PairedOrder {
        gates = List.copyOf(gates);
    }

    /** Returns this order with another time, or this order for null. */
    PairedOrder within(@Nullable Duration other) {
        return other == null ? this : new PairedOrder(looks, question, gates, other);
    }

    /**
     * Returns this order after a look at a figure: the figure decides from now on, so that the results of further pairs do not select
     * another one.
     */
    PairedOrder decidedBy(ComparedFigure figure) {
        return question.figures().isEmpty() ? new PairedOrder(looks, question.decidedBy(figure), gates, time) : this;
    }

    /** Returns the values from which {@link #of} restores this order. */
    Map<String, @Nullable Object> values() {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        values.put(PAIRS, looks.pairs());
        values.put(WIDTH, looks.width());
        values.put(FIGURES, question.figures().stream().map(ComparedFigure::name).toList());
        values.put(LEAST, question.least());
        values.put(FAIL_IF, gates.stream().map(Gate::text).toList());
        values.put(SECONDS, time == null ? null : time.toMillis() / 1e3);
        return values;
    }

    /**
     * Restores an order from the values that {@link #values} returned.
     *
     * @throws UsageException when they cannot be read
     */
    static PairedOrder of(Map<String, @Nullable Object> values) {
        try {
            StoppingRule rule = StoppingRule.of(texts(values, PAIRS).stream().map(text -> Integer.toString((int) Double.parseDouble(text)))
                .collect(Collectors.joining(",")), number(values, WIDTH));
            List<Gate> gates = texts(values, FAIL_IF).stream().map(Gate::parse).toList();
            return new PairedOrder(rule, new Comparison.Question(texts(values, FIGURES).stream().map(ComparedFigure::of).toList(),
                gates.stream().map(Gate::figure).toList(), number(values, LEAST), true, Set.of()), gates,
                values.get(SECONDS) == null ? null : Duration.ofMillis(Math.round(number(values, SECONDS) * 1e3)));
        } catch (NumberFormatException e) {
            throw new UsageException("what was asked of the comparison cannot be read");
        }
    }

    private static List<String> texts(Map<String, @Nullable Object> values, String name) {
        return values.get(name) instanceof List<?> all ? all.stream().map(String::valueOf).toList() : List.of();
    }

    private static double number(Map<String, @Nullable Object> values, String name) {
        return Double.parseDouble(String.valueOf(values.get(name)));
    }
}
