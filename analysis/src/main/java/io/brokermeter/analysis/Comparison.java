package io.brokermeter.analysis;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * A comparison of two sides, figure by figure.
 *
 * @param variant the sweep variant that the trials of both sides have in common; empty for none
 * @param first the side that the other one is measured against
 * @param second the other side
 * @param headline the figure that decides: the response time, or else the send time, if a rate was requested, unless most trials of both
 *     sides missed it; otherwise throughput
 * @param figures comparisons of all figures that both sides have, the headline first; empty when no figure is known on both sides
 * @param apart differences between the sides that make figures incomparable
 * @param subjects differences between the sides that may be the subject of the comparison
 * @param least the least effect that counts, such as 0.03
 * @param looks whether the width of the interval, examined several times, ended the trials, see {@link StoppingRule}
 */
public record Comparison(
        String variant, Side first, Side second, ComparedFigure headline, List<FigureComparison> figures, List<Confounder> apart,
        List<Confounder> subjects, double least, boolean looks) {

    /**
     * The request for a comparison.
     *
     * @param figures figures to compare, the first of which decides; empty for the default ones
     * @param besides further figures, which are always compared as well
     * @param least the least effect that counts, such as 0.03
     * @param looks whether the width of the interval, examined several times, ended the trials, see {@link StoppingRule}
     * @param meant names of conditions that are allowed to differ
     */
    public record Question(List<ComparedFigure> figures, List<ComparedFigure> besides, double least, boolean looks, Set<String> meant) {

        /** The request of a user who sets no option. */
        public static final Question USUAL = new Question(List.of(), List.of(), 0.03, false, Set.of());

        public Question {
            figures = List.copyOf(figures);
            besides = List.copyOf(besides);
            meant = Set.copyOf(meant);
        }

        /** Returns a copy of this request for trials that ended by the width of the interval. */
        Question afterLooks() {
            return new Question(figures, besides, least, true, meant);
        }

        /**
         * Returns a copy of this request in which the given figure decides, however further trials turn out, and the default figures are
         * compared beside it.
         */
        public Question decidedBy(ComparedFigure figure) {
            List<ComparedFigure> all = Stream.concat(Stream.of(figure), ComparedFigure.shown().stream()).distinct().toList();
            return new Question(all, besides, least, looks, meant);
        }
    }

    /**
     * Compares two sides.
     *
     * @param question the figures to compare, and how
     */
    public static Comparison of(String variant, Side first, Side second, Question question) {
        return of(variant, first, second, question, false);
    }

    /** Compares two variants of one sweep, whose differences are the subject of the sweep. */
    static Comparison meant(Side first, Side second, Question question) {
        return of("", first, second, question, true);
    }

    private static Comparison of(String variant, Side first, Side second, Question question, boolean meant) {
        ComparedFigure headline = question.figures().isEmpty() ? headline(first, second) : question.figures().getFirst();
        List<ComparedFigure> asked = new ArrayList<>(List.of(headline));
        (question.figures().isEmpty() ? ComparedFigure.shown() : question.figures()).stream().filter(figure -> !asked.contains(figure))
            .forEach(asked::add);
        question.besides().stream().filter(figure -> !asked.contains(figure)).forEach(asked::add);
        List<FigureComparison> figures = asked.stream()
            .map(figure -> FigureComparison.of(figure, first, second, question.least(), question.looks()))
            .filter(FigureComparison::isKnown).toList();
        List<Confounder> conditions = Confounder.between(first, second);
        Confounder order = TrialOrder.of(first, second, headline).confounder(first, second);
        boolean judged = figures.stream().anyMatch(figure -> figure.verdict() != RatioVerdict.UNDECIDED || figure.ratio() != null);
        boolean drifts = order != null && judged && !order.isMeant(question.meant());
        return new Comparison(variant, first, second, headline, figures,
            Stream.concat(conditions.stream().filter(one -> !isSubject(one, question, meant)), drifts ? Stream.of(order) : Stream.empty())
                .toList(),
            conditions.stream().filter(one -> isSubject(one, question, meant)).toList(), question.least(), question.looks());
    }

    private static boolean isSubject(Confounder condition, Question question, boolean meant) {
        return meant || condition.subject() || condition.isMeant(question.meant());
    }

    /**
     * Returns the figure that decides. The choice depends on the request and not on the result, so that neither an overloaded side nor a
     * single trial determines the figure. At a requested rate, throughput is that rate or slightly less, and the response time is the
     * result of interest, or the send time where it is not known. If most trials of both sides missed the rate, it exceeds the capacity of
     * both: times are those of a growing backlog, and the throughput reached is the finding.
     */
    static ComparedFigure headline(Side first, Side second) {
        for (MeasuredTrial trial : first.trials()) {
            if (trial.limit() != null) {
                return trial.limit().figure();
            }
        }
        boolean asked = Stream.of(first, second).flatMap(side -> side.fit().stream()).allMatch(MeasuredTrial::isAsked);
        boolean missed = Stream.of(first, second).allMatch(side -> 2 * side.missedRates() > side.fit().size());
        for (String name : List.of("response.p99", "send.p99")) {
            ComparedFigure figure = ComparedFigure.of(name);
            if (asked && !missed && first.values(figure).length > 0 && second.values(figure).length > 0) {
                return figure;
            }
        }
        return ComparedFigure.THROUGHPUT;
    }

    /** Returns the comparison of the figure that decides; null when that figure is not known on both sides. */
    public @Nullable FigureComparison decisive() {
        return figures.stream().filter(figure -> figure.figure().equals(headline)).findFirst().orElse(null);
    }

    /** Returns the comparison of a figure, whether it was asked for or not. */
    public FigureComparison compared(ComparedFigure figure) {
        return figures.stream().filter(one -> one.figure().equals(figure)).findFirst()
            .orElseGet(() -> FigureComparison.of(figure, first, second, least, looks));
    }

    /** Returns whether the figures of the two sides may be compared at all. */
    public boolean isComparable() {
        return apart.isEmpty();
    }

    /** Returns whether nothing but the order in which the trials were measured makes the figures incomparable. */
    boolean isBlocked() {
        return !apart.isEmpty() && apart.stream().allMatch(one -> one.name().equals(TrialOrder.NAME));
    }

    /** Returns whether trials that measured the generator and not the broker are why the figure that decides has no ratio. */
    public boolean lacksValidTrials() {
        FigureComparison decisive = decisive();
        return (decisive == null || decisive.verdict() == RatioVerdict.UNDECIDED && decisive.ratio() == null && !decisive.lacksRatio())
            && Stream.of(first, second).flatMap(side -> side.trials().stream())
                .anyMatch(trial -> MeasuredTrial.INVALID.equals(trial.unfit()));
    }

    /** Returns the order in which the trials were measured. */
    TrialOrder order() {
        return TrialOrder.of(first, second, headline);
    }

    /** Returns the verdict on a figure; {@link RatioVerdict#UNDECIDED} for sides that cannot be compared. */
    public RatioVerdict verdict(FigureComparison figure) {
        return isComparable() ? figure.verdict() : RatioVerdict.UNDECIDED;
    }
}
