package io.brokermeter.trials.sweep;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.brokermeter.analysis.ComparedFigure;
import io.brokermeter.analysis.Comparison;
import io.brokermeter.analysis.Gate;
import io.brokermeter.analysis.StoppingRule;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.document.SweepDocument.AskedPairs;
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

    /**
     * Returns this order as files keep it.
     *
     * @param ended why no pair follows; empty before the end
     * @param paused why the comparison is paused; empty when it is not
     */
    AskedPairs kept(String ended, String paused) {
        return new AskedPairs(looks.pairs().stream().map(Integer::longValue).toList(), looks.width(),
            question.figures().stream().map(ComparedFigure::name).toList(), question.least(), gates.stream().map(Gate::text).toList(),
            time == null ? Double.NaN : time.toMillis() / 1e3, ended, paused);
    }

    /**
     * Restores an order.
     *
     * @throws UsageException when it cannot be read
     */
    static PairedOrder of(AskedPairs kept) {
        if (Double.isNaN(kept.width() + kept.minEffect())) {
            throw new UsageException("what was asked of the comparison cannot be read");
        }
        List<Gate> gates = kept.failIf().stream().map(Gate::parse).toList();
        return new PairedOrder(StoppingRule.of(kept.pairs().stream().map(String::valueOf).collect(Collectors.joining(",")), kept.width()),
            new Comparison.Question(kept.figures().stream().map(ComparedFigure::of).toList(), gates.stream().map(Gate::figure).toList(),
                kept.minEffect(), true, Set.of()),
            gates, Double.isNaN(kept.timeSeconds()) ? null : Duration.ofMillis(Math.round(kept.timeSeconds() * 1e3)));
    }
}
