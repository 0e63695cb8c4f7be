package io.brokermeter.analysis.html;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.brokermeter.analysis.ComparedFigure;
import io.brokermeter.analysis.Comparison;
import io.brokermeter.analysis.ComparisonText;
import io.brokermeter.analysis.ComparisonWords;
import io.brokermeter.analysis.FigureComparison;
import io.brokermeter.analysis.Side;
import io.brokermeter.analysis.statistics.ConfidenceInterval;
import io.brokermeter.engine.scenario.measure.Counted;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.html.StillPage;
import io.brokermeter.reports.picture.Drawing;
import io.brokermeter.reports.picture.Sheet;

/** Formats comparisons as a page: the answer, the ratios with their intervals, the percentiles of both sides, and each trial. */
public final class ComparisonHtml {

    private static final int WIDTH = 760;
    private static final int LEFT = 150;
    private static final int RIGHT = 150;
    private static final List<Metric> TIMES = List.of(Metric.RESPONSE, Metric.SEND, Metric.ROUND_TRIP);
    private static final List<String> PARTS = List.of("p50", "p90", "p99", "p99.9", "p99.99");

    private ComparisonHtml() {}

    /** Returns the whole file. */
    public static String text(List<Comparison> comparisons) {
        StillPage page = new StillPage("comparison");
        // For runs with injected faults, the recovery is the main result.
        FailoverHtml.add(page, comparisons);
        for (Comparison one : comparisons) {
            if (!one.variant().isEmpty()) {
                page.element("p", one.variant());
            }
            page.element("h1", ComparisonWords.answer(one));
            List<String> notes = new ArrayList<>(sides(one));
            notes.addAll(ComparisonWords.notes(one));
            page.list(notes);
            ratios(page::picture, one);
            for (Metric time : TIMES) {
                percentiles(page, one, time);
                QuantileShift.of(one, time.key()).ifPresent(shift -> shift.addTo(page::picture, time.words()));
            }
            trials(page, one);
            if (!one.figures().isEmpty()) {
                page.element("h2", "All figures").table(ComparisonText.rows(one));
            }
        }
        return page.text();
    }

    private static List<String> sides(Comparison one) {
        return Stream.of(one.first(), one.second())
            .map(side -> side.letter() + ": " + side.title() + ", " + Counted.of(side.trials().size(), "trial")).toList();
    }

    /**
     * Draws the answers with the ratios of all figures, and those of the percentiles of the first time that has any; of what cannot be
     * compared, the reason alone.
     */
    public static Drawing picture(List<Comparison> comparisons) {
        Sheet sheet = new Sheet(comparisons.stream().map(ComparisonWords::answer).collect(Collectors.joining(" ")));
        for (Comparison one : comparisons) {
            sheet.title((one.variant().isEmpty() ? "" : one.variant() + ": ") + ComparisonWords.answer(one));
            sides(one).forEach(sheet::text);
            QuantileShift.DrawingReceiver to =
                (heading, explanation, drawing) -> sheet.caption(heading, explanation).drawing(drawing);
            ratios(to, one);
            TIMES.stream().filter(time -> QuantileShift.of(one, time.key()).isPresent()).findFirst()
                .ifPresent(time -> QuantileShift.of(one, time.key()).orElseThrow().addTo(to, time.words()));
        }
        return sheet.done("brokermeter comparison");
    }

    private static void ratios(QuantileShift.DrawingReceiver page, Comparison one) {
        List<FigureComparison> figures = one.figures().stream().filter(figure -> figure.ratio() != null).toList();
        if (figures.isEmpty()) {
            return;
        }
        double reach = Math.log(1 + 2 * one.least());
        for (FigureComparison figure : figures) {
            ConfidenceInterval ratio = figure.ratio();
            if (ratio != null) {
                reach = Math.max(reach, Math.max(Math.abs(Math.log(ratio.low())), Math.abs(Math.log(ratio.high()))));
            }
        }
        reach = Math.min(reach, Math.log(4)) * 1.05;
        double middle = LEFT + (WIDTH - LEFT - RIGHT) / 2.0;
        double scale = (WIDTH - LEFT - RIGHT) / 2.0 / reach;
        int height = 26 * figures.size() + 34;
        Drawing drawing =
            new Drawing(WIDTH, height, "Ratio of " + one.second().letter() + " to " + one.first().letter() + " for each figure");
        double least = Math.log(1 + one.least()) * scale;
        drawing.rectangle("band", middle - least, 0, 2 * least, height - 24).line("axis", middle, 0, middle, height - 24)
            .words("middle", middle, height - 8, "1");
        for (double edge : new double[] {-reach, reach}) {
            drawing.words("middle", middle + edge * scale * 0.95, height - 8, String.format(Locale.ROOT, "%.2f", Math.exp(edge * 0.95)));
        }
        double y = 16;
        for (FigureComparison figure : figures) {
            ConfidenceInterval ratio = figure.ratio();
            if (ratio != null) {
                double low = middle + Math.clamp(Math.log(ratio.low()), -reach, reach) * scale;
                double high = middle + Math.clamp(Math.log(ratio.high()), -reach, reach) * scale;
                double at = middle + Math.clamp(Math.log(ratio.estimate()), -reach, reach) * scale;
                String text = ComparisonWords.ratio(ratio.estimate());
                drawing.words("end", LEFT - 12, y + 4, figure.figure().heading()).line("interval", low, y, high, y)
                    .mark(0, at, y, text + " (" + ComparisonWords.ratio(ratio.low()) + " to " + ComparisonWords.ratio(ratio.high()) + ")")
                    .words("start", WIDTH - RIGHT + 12, y + 4, text + " " + ComparisonWords.word(one, figure));
            }
            y += 26;
        }
        page.picture("Ratio of " + one.second().letter() + " to " + one.first().letter(),
            "Lines are intervals; within the shaded part a difference does not count.", drawing);
    }

    /** Draws the medians of the percentiles of the trials, with an area from the lowest to the highest. */
    private static void percentiles(StillPage page, Comparison one, Metric time) {
        List<ComparedFigure> known = PARTS.stream().map(part -> ComparedFigure.of(time.key() + "." + part))
            .filter(figure -> one.first().values(figure).length > 0 && one.second().values(figure).length > 0).toList();
        if (known.size() < 2) {
            return;
        }
        double least = Double.MAX_VALUE;
        double most = 0;
        for (ComparedFigure figure : known) {
            for (Side side : List.of(one.first(), one.second())) {
                least = Math.min(least, Arrays.stream(side.values(figure)).min().orElse(least));
                most = Math.max(most, Arrays.stream(side.values(figure)).max().orElse(most));
            }
        }
        if (!(least > 0)) {
            return;
        }
        int height = 300;
        double bottom = height - 34.0;
        double low = Math.log(least * 0.95);
        double scale = (bottom - 12) / (Math.log(most * 1.05) - low);
        double step = (WIDTH - LEFT - RIGHT) / (double) (known.size() - 1);
        Drawing drawing = new Drawing(WIDTH, height, "Percentiles of the " + time.words() + " of both sides");
        for (double value : logarithmic(least * 0.95, most * 1.05)) {
            double y = bottom - (Math.log(value) - low) * scale;
            drawing.line("grid", LEFT, y, WIDTH - RIGHT, y).words("end", LEFT - 10, y + 4, known.getFirst().text(value));
        }
        for (int i = 0; i < known.size(); i++) {
            drawing.words("middle", LEFT + i * step, height - 10, known.get(i).name().substring(time.key().length() + 1));
        }
        List<Side> sides = List.of(one.first(), one.second());
        for (int s = 0; s < sides.size(); s++) {
            int n = known.size();
            double[] xs = new double[n];
            double[] ys = new double[n];
            double[] around = new double[2 * n];
            double[] edges = new double[2 * n];
            for (int i = 0; i < n; i++) {
                double[] values = sides.get(s).values(known.get(i));
                Arrays.sort(values);
                xs[i] = LEFT + i * step;
                ys[i] = bottom - (Math.log(ComparedFigure.median(values)) - low) * scale;
                around[i] = xs[i];
                around[2 * n - 1 - i] = xs[i];
                edges[i] = bottom - (Math.log(values[0]) - low) * scale;
                edges[2 * n - 1 - i] = bottom - (Math.log(values[values.length - 1]) - low) * scale;
            }
            drawing.area("area" + s, around, edges).line("s" + s, xs, ys)
                .words("start", WIDTH - RIGHT + 10, ys[n - 1] + (s == 0 ? -2 : 12), sides.get(s).letter());
        }
        page.picture("Percentiles of the " + time.words(), "Medians of the trials; shaded from the least to the most.", drawing);
    }

    /**
     * Returns round values for the marks of a logarithmic axis: 1, 2 and 5 of each power of ten, or the ends of the axis when fewer than
     * two lie between them.
     */
    static double[] logarithmic(double least, double most) {
        double[] round = IntStream.rangeClosed((int) Math.floor(Math.log10(least)), (int) Math.ceil(Math.log10(most)))
            .mapToObj(power -> DoubleStream.of(1, 2, 5).map(digit -> digit * Math.pow(10, power))).flatMapToDouble(Function.identity())
            .filter(value -> value >= least && value <= most).toArray();
        return round.length < 2 ? new double[] {least, most} : round;
    }

    private static void trials(StillPage page, Comparison one) {
        List<Side> sides = List.of(one.first(), one.second());
        ComparedFigure figure = one.headline();
        double least = Double.MAX_VALUE;
        double most = -Double.MAX_VALUE;
        int count = 0;
        for (Side side : sides) {
            least = Math.min(least, Arrays.stream(side.values(figure)).min().orElse(least));
            most = Math.max(most, Arrays.stream(side.values(figure)).max().orElse(most));
            count = Math.max(count, side.values(figure).length);
        }
        if (count == 0) {
            return;
        }
        int height = 240;
        double bottom = height - 34.0;
        double span = most > least ? most - least : Math.max(1, Math.abs(most));
        double low = most > least ? least : least - span / 2;
        Drawing drawing = new Drawing(WIDTH, height, figure.heading() + " of each trial");
        for (int i = 0; i < 5; i++) {
            double y = bottom - i / 4.0 * (bottom - 12);
            drawing.line("grid", LEFT, y, WIDTH - RIGHT, y).words("end", LEFT - 10, y + 4, figure.text(low + span * i / 4));
        }
        for (int s = 0; s < sides.size(); s++) {
            double[] values = sides.get(s).values(figure);
            if (values.length == 0) {
                continue;
            }
            double median = bottom - (ComparedFigure.median(values) - low) / span * (bottom - 12);
            drawing.line("s" + s, LEFT, median, WIDTH - RIGHT, median)
                .words("start", WIDTH - RIGHT + 10, median + (s == 0 ? -2 : 12), sides.get(s).letter());
            for (int i = 0; i < values.length; i++) {
                drawing.mark(s, LEFT + (i + 0.5) * (WIDTH - LEFT - RIGHT) / count, bottom - (values[i] - low) / span * (bottom - 12),
                    sides.get(s).letter() + " " + (i + 1) + ": " + figure.text(values[i]));
            }
        }
        drawing.words("middle", LEFT + (WIDTH - LEFT - RIGHT) / 2.0, height - 8, "trials in the order of time");
        page.picture(figure.heading() + " of each trial", "Lines are medians.", drawing);
    }
}
