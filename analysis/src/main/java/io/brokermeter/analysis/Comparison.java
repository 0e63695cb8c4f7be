package io.brokermeter.analysis;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Two sides, figure by figure.
 *
 * @param variant what the trials of both have in common in their sweeps, empty for nothing
 * @param first the side that the other one is measured against
 * @param second the other side
 * @param headline the figure that decides: the response time where a rate was asked, unless most trials of both sides missed it; else throughput
 * @param figures each that both sides have, the headline first; empty when no figure is known on both sides
 * @param apart what is not alike and makes figures incomparable
 * @param subjects what is not alike and may be what the comparison is about
 * @param least the least effect that counts, such as 0.03
 */
public record Comparison(
        String variant, Side first, Side second, ComparedFigure headline, List<FigureComparison> figures, List<Confounder> apart,
        List<Confounder> subjects, double least) {

    /** What it is made of by name. */
    @SuppressWarnings("NullAway.Init") // what has no default is asked for when all is set
    public static final class Values {

        public String variant;
        public Side first;
        public Side second;
        public ComparedFigure headline;
        public List<FigureComparison> figures;
        public List<Confounder> apart;
        public List<Confounder> subjects;
        public double least;

        private Values() {}
    }

    /** Of what {@code change} sets. */
    public static Comparison of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new Comparison(Objects.requireNonNull(its.variant, "variant"), Objects.requireNonNull(its.first, "first"),
            Objects.requireNonNull(its.second, "second"), Objects.requireNonNull(its.headline, "headline"),
            Objects.requireNonNull(its.figures, "figures"), Objects.requireNonNull(its.apart, "apart"),
            Objects.requireNonNull(its.subjects, "subjects"), its.least);
    }

    /**
     * What was asked of a comparison.
     *
     * @param figures that are compared, of which the first decides; empty for the usual ones
     * @param besides further figures, which are compared in every case
     * @param least the least effect that counts, such as 0.03
     * @param confidence of the intervals
     * @param meant names of conditions that may differ
     */
    public record Question(List<ComparedFigure> figures, List<ComparedFigure> besides, double least, double confidence, Set<String> meant) {

        /** As a user has it who asks for nothing particular. */
        public static final Question USUAL = new Question(List.of(), List.of(), 0.03, FigureComparison.CONFIDENCE, Set.of());

        public Question {
            figures = List.copyOf(figures);
            besides = List.copyOf(besides);
            meant = Set.copyOf(meant);
        }

        /** The same, decided by one of the usual figures whatever further trials show; the others stay beside it. */
        public Question decidedBy(ComparedFigure figure) {
            List<ComparedFigure> all = Stream.concat(Stream.of(figure), ComparedFigure.shown().stream()).distinct().toList();
            return new Question(all, besides, least, confidence, meant);
        }
    }

    /**
     * Compares two sides.
     *
     * @param question what of them
     */
    public static Comparison of(String variant, Side first, Side second, Question question) {
        return of(variant, first, second, question, false);
    }

    /** Compares two variants of one sweep: what differs between them is what the sweep is for. */
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
            .map(figure -> FigureComparison.of(figure, first, second, question.least(), question.confidence()))
            .filter(FigureComparison::isKnown).toList();
        List<Confounder> conditions = Confounder.between(first, second);
        return Comparison.of(its -> {
            its.variant = variant;
            its.first = first;
            its.second = second;
            its.headline = headline;
            its.figures = figures;
            its.apart = conditions.stream().filter(one -> !isSubject(one, question, meant)).toList();
            its.subjects = conditions.stream().filter(one -> isSubject(one, question, meant)).toList();
            its.least = question.least();
        });
    }

    private static boolean isSubject(Confounder condition, Question question, boolean meant) {
        return meant || condition.subject() || condition.isMeant(question.meant());
    }

    /**
     * By what was asked and not by how it went, so that neither an overloaded side nor a single trial chooses the figure. At an asked rate, throughput is that
     * rate, or hardly less, and the time is what the broker makes of it. Where most trials of both sides missed the rate, it is beyond what either can do, times
     * are those of a growing backlog, and what was reached is the finding.
     */
    static ComparedFigure headline(Side first, Side second) {
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

    /** The figure that decides; null when it is not known on both sides. */
    public @Nullable FigureComparison decisive() {
        return figures.stream().filter(figure -> figure.figure().equals(headline)).findFirst().orElse(null);
    }

    /** Whether its figures may be compared at all. */
    public boolean isComparable() {
        return apart.isEmpty();
    }

    /** What a figure may be said to tell: nothing of sides that cannot be compared. */
    public RatioVerdict verdict(FigureComparison figure) {
        return isComparable() ? figure.verdict() : RatioVerdict.UNDECIDED;
    }
}
