package io.brokermeter.analysis.html;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

import io.brokermeter.analysis.Comparison;
import io.brokermeter.analysis.MeasuredTrial;
import io.brokermeter.analysis.Side;
import io.brokermeter.engine.scenario.measure.Counted;
import io.brokermeter.reports.Amounts;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.document.ResultDocument.FaultDocument;
import io.brokermeter.reports.html.StillPage;
import io.brokermeter.reports.picture.Drawing;
import io.brokermeter.reports.screen.FaultTime;
import io.brokermeter.reports.screen.ScorecardText;

/**
 * Formats the scorecards of several sides: the times as a picture, and every figure in a table. Each run with a scorecard is included, even
 * if it failed, since a run that lost messages because of a fault has failed and is of particular interest. Runs that were cut off have no
 * scorecard, and runs that were interrupted had no chance to recover.
 */
final class FailoverHtml {

    private static final int WIDTH = 760;
    private static final int LEFT = 250;
    private static final int RIGHT = 110;
    private static final int ROW = 19;

    /**
     * A time that is shown in the picture.
     */
    private record Time(String label, FaultTime time) {}

    private static final List<Time> TIMES = List.of(new Time("without a confirmed send", FaultTime.WITHOUT_SEND),
        new Time("without a delivery", FaultTime.WITHOUT_DELIVERY), new Time("to 95 % of the rate", FaultTime.TO_95_PERCENT),
        new Time("catching up", FaultTime.CATCH_UP), new Time("longest wait of a message", FaultTime.LONGEST_WAIT));

    /** A side with its scored runs. */
    private record Scored(Side side, List<StoredResult> results, ScorecardText.Sheet sheet) {

        /** Returns the report on a later fault, by its index among the faults after the first, from 0. */
        Optional<ScorecardText.Further> later(int number) {
            return sheet.further().stream().skip(number).findFirst();
        }

        /**
         * Returns the name of a fault: its number on the time line of the run, which the events and the report of the run use as well.
         *
         * @param number index among the faults with times of their own, from 0
         */
        String name(int number) {
            Set<Integer> faults = number == 0 ? sheet.faults() : sheet.further().get(number - 1).faults();
            return faults.isEmpty() ? "scored fault " + (number + 1)
                : "fault " + faults.stream().map(String::valueOf).collect(Collectors.joining(" or "));
        }

        /** Returns a time of each run, ascending. */
        double[] values(int fault, Time time) {
            return all(fault, time).filter(Double::isFinite).sorted().toArray();
        }

        /** Returns the number of runs that should have a time, but have no value for it. */
        long missing(int fault, Time time) {
            return all(fault, time).filter(Double::isNaN).count();
        }

        /**
         * Returns a time of each run whose scorecard judges the fault, or of each run where the time stands alone.
         *
         * @param fault 0 for the first fault, 1 and above for later ones, which exist only where all runs have as many
         */
        private DoubleStream all(int fault, Time time) {
            return results.stream().map(result -> result.document().failover()).filter(Objects::nonNull)
                .<FaultDocument>map(card -> fault == 0 ? card : card.further().get(fault - 1))
                .filter(card -> time.time().isAlone() || ScorecardText.isJudged(card)).mapToDouble(time.time()::of);
        }
    }

    private FailoverHtml() {}

    /** Adds the section on failover, if at least two sides have scorecards. */
    static void add(StillPage page, List<Comparison> comparisons) {
        Map<String, List<Side>> variants = new LinkedHashMap<>();
        for (Comparison one : comparisons) {
            List<Side> sides = variants.computeIfAbsent(one.variant(), _ -> new ArrayList<>());
            for (Side side : List.of(one.first(), one.second())) {
                if (sides.stream().noneMatch(known -> known.letter().equals(side.letter()))) {
                    sides.add(side);
                }
            }
        }
        variants.forEach((variant, sides) -> {
            List<Scored> scored = sides.stream().map(FailoverHtml::scored).flatMap(Optional::stream).toList();
            if (scored.size() > 1) {
                add(page, variant, scored);
            }
        });
    }

    private static Optional<Scored> scored(Side side) {
        List<StoredResult> results = side.trials().stream().filter(trial -> !MeasuredTrial.INTERRUPTED.equals(trial.unfit()))
            .map(MeasuredTrial::result).filter(Objects::nonNull)
            .filter(result -> result.document().failover() != null).toList();
        return ScorecardText.sheet(results).map(sheet -> new Scored(side, results, sheet));
    }

    private static void add(StillPage page, String variant, List<Scored> scored) {
        page.element("h1", "Failover" + (variant.isEmpty() ? "" : ": " + variant));
        List<String> notes = new ArrayList<>();
        for (Scored one : scored) {
            notes.add(one.side().letter() + ": " + one.side().title() + broker(one) + ", " + Counted.of(one.results().size(), "scored run")
                + ". " + one.sheet().heading() + ".");
        }
        notes.add(
            "Each fault that came when all was over of the one before it has its own times, in runs that have as many of them; counts are those of the whole "
                + "run. Runs that failed have their scorecards here, too; no statistics tell whether sides differ in them.");
        page.list(notes);
        int most = scored.stream().mapToInt(one -> one.sheet().further().size()).max().orElse(0);
        for (int fault = 0; fault <= most; fault++) {
            picture(page, scored, fault, most > 0);
        }
        table(page, scored, most);
    }

    private static String broker(Scored one) {
        Set<String> brokers = new LinkedHashSet<>();
        one.results().stream().map(StoredResult::brokerVersion).filter(broker -> !broker.isEmpty()).forEach(brokers::add);
        return brokers.isEmpty() ? "" : " (" + String.join(", ", brokers) + ")";
    }

    /** Returns the name that the sides with times of a fault give it, by its index from 0. */
    private static String name(List<Scored> all, int number) {
        List<Scored> scored = scored(all, number);
        Set<String> names = scored.stream().map(one -> one.name(number)).collect(Collectors.toCollection(LinkedHashSet::new));
        return names.size() == 1 ? names.iterator().next()
            : scored.stream().map(one -> one.name(number) + " of " + one.side().letter()).collect(Collectors.joining(", "));
    }

    private static List<Scored> scored(List<Scored> all, int fault) {
        return all.stream().filter(one -> fault <= one.sheet().further().size()).toList();
    }

    /** Draws each run as a dot, with a line from the lowest to the highest, and the median as text at the right edge. */
    private static void picture(StillPage page, List<Scored> all, int fault, boolean many) {
        List<Scored> scored = scored(all, fault);
        double[] known = TIMES.stream()
            .flatMapToDouble(time -> scored.stream().flatMapToDouble(one -> Arrays.stream(one.values(fault, time))))
            .filter(value -> value > 0).toArray();
        if (known.length == 0) {
            return;
        }
        // The axis spans at least a factor of ten. Times below a millisecond, the resolution of the scorecards, do not extend it.
        double least = Math.log10(Math.max(0.001, Arrays.stream(known).min().orElseThrow()));
        double most = Math.log10(Arrays.stream(known).max().orElseThrow());
        double low = Math.floor(Math.min(least, most - 1));
        double high = Math.max(most, low + 1) + 0.05;
        double scale = (WIDTH - LEFT - RIGHT) / (high - low);
        int height = TIMES.size() * (scored.size() * ROW + 12) + 34;
        Drawing drawing = new Drawing(WIDTH, height, "Times of the scorecards of all sides");
        for (double power = low; power <= high; power++) {
            double x = LEFT + (power - low) * scale;
            drawing.line("grid", x, 0, x, height - 26).words("middle", x, height - 8, Amounts.seconds(Math.pow(10, power)));
        }
        double y = 14;
        for (Time time : TIMES) {
            drawing.words("end", LEFT - 34, y + 4, time.label());
            for (Scored one : scored) {
                double[] values = one.values(fault, time);
                drawing.words("end", LEFT - 12, y + 4, one.side().letter());
                double[] xs = Arrays.stream(values)
                    .map(value -> LEFT + (Math.clamp(Math.log10(Math.max(value, 1e-9)), low, high) - low) * scale).toArray();
                if (values.length > 1) {
                    drawing.line("interval", xs[0], y, xs[xs.length - 1], y);
                }
                for (int i = 0; i < values.length; i++) {
                    drawing.dot(xs[i], y, one.side().letter() + ": " + Amounts.seconds(values[i]));
                }
                drawing.words("start", WIDTH - RIGHT + 12, y + 4, middle(time, values, one.missing(fault, time)));
                y += ROW;
            }
            y += 12;
        }
        page.picture(many ? "Times of " + name(all, fault) : "Times",
            "On a logarithmic axis, at whose left edge stands what is less than its begin; each dot is a run, and the figure that of the middle one, of an "
                + "even number the lower. n/a: the time did not end before the run did, or is not known.",
            drawing);
    }

    /** Formats the median, in which times that did not end count as longer than all known ones, and unknown times do not count. */
    private static String middle(Time time, double[] known, long missing) {
        int middle = (int) (known.length + (time.time().isAlone() ? 0 : missing) - 1) / 2;
        return known.length == 0 ? Amounts.UNKNOWN : middle >= known.length ? "n/a in most"
            : Amounts.seconds(known[middle]) + (missing > 0 ? ", not all" : "");
    }

    private static void table(StillPage page, List<Scored> scored, int most) {
        List<List<String>> rows = new ArrayList<>();
        List<String> head = new ArrayList<>(List.of("figure"));
        scored.forEach(one -> head.add(one.side().letter()));
        // The last column of the tables of a page is for words.
        head.add("");
        rows.add(head);
        Set<String> labels = new LinkedHashSet<>();
        scored.forEach(one -> one.sheet().rows().forEach(row -> labels.add(row.label())));
        for (String label : labels) {
            rows.add(row(label, scored, one -> one.sheet().text(label)));
        }
        page.element("h2", "Scorecards").table(rows);
        for (int i = 0; i < most; i++) {
            later(page, scored, head, i);
        }
    }

    /**
     * Adds the table of a later fault.
     *
     * @param number index among the faults after the first, from 0
     */
    private static void later(StillPage page, List<Scored> scored, List<String> head, int number) {
        List<List<String>> rows = new ArrayList<>(List.of(head));
        rows.add(row("took effect at", scored, one -> one.later(number).map(ScorecardText.Further::at).orElse("")));
        rows.add(row("outcome", scored, one -> one.later(number).map(ScorecardText.Further::said).orElse("")));
        scored.stream().flatMap(one -> one.later(number).stream()).flatMap(later -> later.rows().stream()).map(ScorecardText.Row::label)
            .distinct().forEach(label -> rows.add(row(label, scored, one -> one.later(number).map(later -> later.text(label)).orElse(""))));
        String name = name(scored, number + 1);
        page.element("h2", name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1)).table(rows);
    }

    private static List<String> row(String label, List<Scored> scored, Function<Scored, String> text) {
        List<String> cells = new ArrayList<>(List.of(label));
        scored.forEach(one -> cells.add(text.apply(one)));
        cells.add("");
        return cells;
    }
}
