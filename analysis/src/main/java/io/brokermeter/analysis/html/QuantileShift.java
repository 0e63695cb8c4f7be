package io.brokermeter.analysis.html;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import io.brokermeter.analysis.ComparedFigure;
import io.brokermeter.analysis.Comparison;
import io.brokermeter.analysis.ComparisonWords;
import io.brokermeter.analysis.FigureComparison;
import io.brokermeter.analysis.statistics.ConfidenceInterval;
import io.brokermeter.reports.StoredResult;
import io.brokermeter.reports.picture.Drawing;

/**
 * The ratio of a time on the second side to that on the first, at each percentile. A shift that grows to the right is one of the tail, and
 * one that is level is one of every message. The distance of percentiles on the axis is that of the logarithms of the share beyond them.
 *
 * @param percentiles percentiles that both sides have, ascending
 * @param ratios their comparisons
 */
record QuantileShift(Comparison sides, List<Double> percentiles, List<FigureComparison> ratios) {

    /** What takes a drawing: a page, or a picture of its own. */
    interface DrawingReceiver {
        void picture(String heading, String explanation, Drawing drawing);
    }

    private static final int WIDTH = 760;
    private static final int HEIGHT = 260;
    private static final int LEFT = 150;
    private static final int RIGHT = 150;
    private static final double TOP = 14;
    private static final double BOTTOM = HEIGHT - 34.0;

    /**
     * Compares the percentiles of a time; empty where both sides have fewer than two in common.
     *
     * @param time key of the time: {@code response}
     */
    static Optional<QuantileShift> of(Comparison sides, String time) {
        List<Double> percentiles = new ArrayList<>();
        List<FigureComparison> ratios = new ArrayList<>();
        for (String part : StoredResult.PARTS) {
            FigureComparison figure = part.startsWith("p") ? sides.compared(ComparedFigure.of(time + "." + part)) : null;
            if (figure != null && figure.isKnown() && figure.observed() > 0 && Double.isFinite(figure.observed())) {
                percentiles.add(Double.parseDouble(part.substring(1)));
                ratios.add(figure);
            }
        }
        return ratios.size() < 2 ? Optional.empty() : Optional.of(new QuantileShift(sides, percentiles, ratios));
    }

    /** Passes on the drawing with its heading and its explanation. */
    void addTo(DrawingReceiver page, String words) {
        String ratio = "Ratio of " + sides.second().letter() + " to " + sides.first().letter() + " over the percentiles of the " + words;
        boolean known = ratios.stream().allMatch(figure -> figure.ratio() != null);
        page.picture(ratio, (known ? "The coloured band is the 95 % interval of each percentile by itself, not of the whole curve."
            : "Some percentiles have too few trials for an interval, and no band.")
            + " Within the grey part a difference does not count.", drawing(ratio));
    }

    private static double x(double percentile, double first, double last) {
        return LEFT + (beyond(percentile) - beyond(first)) / (beyond(last) - beyond(first)) * (WIDTH - LEFT - RIGHT);
    }

    private static double beyond(double percentile) {
        return -Math.log10(1 - percentile / 100);
    }

    /** Returns the largest logarithm of a ratio that the drawing shows, at most that of 4. */
    private double reach() {
        double reach = Math.log(1 + 2 * sides.least());
        for (FigureComparison figure : ratios) {
            ConfidenceInterval ratio = figure.ratio();
            reach = Math.max(reach, Math.abs(Math.log(figure.observed())));
            if (ratio != null) {
                reach = Math.max(reach, Math.max(Math.abs(Math.log(ratio.low())), Math.abs(Math.log(ratio.high()))));
            }
        }
        return Math.min(reach, Math.log(4)) * 1.05;
    }

    private Drawing drawing(String title) {
        double reach = reach();
        double middle = (TOP + BOTTOM) / 2;
        double scale = (BOTTOM - TOP) / 2 / reach;
        Drawing drawing = new Drawing(WIDTH, HEIGHT, title);
        double least = Math.log(1 + sides.least()) * scale;
        drawing.rectangle("band", LEFT, middle - least, WIDTH - LEFT - RIGHT, 2 * least);
        for (double mark : new double[] {-reach * 0.9, 0, reach * 0.9}) {
            drawing.line(mark == 0 ? "axis" : "grid", LEFT, middle - mark * scale, WIDTH - RIGHT, middle - mark * scale)
                .words("end", LEFT - 10, middle - mark * scale + 4,
                    String.format(Locale.ROOT, mark == 0 ? "%.0f" : "%.2f", Math.exp(mark)));
        }
        int n = ratios.size();
        double[] xs = new double[n];
        double[] ys = new double[n];
        List<double[]> band = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            FigureComparison figure = ratios.get(i);
            ConfidenceInterval ratio = figure.ratio();
            xs[i] = x(percentiles.get(i), percentiles.getFirst(), percentiles.getLast());
            ys[i] = y(figure.observed(), reach, middle, scale);
            if (ratio != null) {
                band.addFirst(new double[] {xs[i], y(ratio.low(), reach, middle, scale)});
                band.addLast(new double[] {xs[i], y(ratio.high(), reach, middle, scale)});
            }
            drawing.words("middle", xs[i], HEIGHT - 10, figure.figure().name().substring(figure.figure().name().indexOf('.') + 1));
        }
        if (band.size() >= 4) {
            drawing.area("area1", band.stream().mapToDouble(point -> point[0]).toArray(),
                band.stream().mapToDouble(point -> point[1]).toArray());
        }
        drawing.line("s1", xs, ys);
        for (int i = 0; i < n; i++) {
            ConfidenceInterval ratio = ratios.get(i).ratio();
            drawing.mark(1, xs[i], ys[i], ratios.get(i).figure().heading() + ": "
                + ComparisonWords.ratio(ratios.get(i).observed()) + (ratio == null ? ""
                    : " (" + ComparisonWords.ratio(ratio.low()) + " to " + ComparisonWords.ratio(ratio.high()) + ")"));
        }
        return drawing.words("start", WIDTH - RIGHT + 12, ys[n - 1] + 4, ComparisonWords.ratio(ratios.getLast().observed()));
    }

    private static double y(double ratio, double reach, double middle, double scale) {
        return middle - Math.clamp(Math.log(ratio), -reach, reach) * scale;
    }
}
