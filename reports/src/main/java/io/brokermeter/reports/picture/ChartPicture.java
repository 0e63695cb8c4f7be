package io.brokermeter.reports.picture;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;

import io.brokermeter.reports.Verdict;
import io.brokermeter.reports.html.chart.Chart;
import io.brokermeter.reports.html.chart.Course;
import io.brokermeter.reports.html.chart.HeatMap;
import io.brokermeter.reports.html.chart.Series;

/**
 * Draws charts of a page below each other, under what was measured and what came of it, for places where no script runs. It draws what
 * {@code charts.js} draws of the same charts in a browser, of those over time and over percentiles.
 *
 * @param title what was measured
 * @param figures what came of it, in one sentence
 * @param reason what speaks against it, empty for nothing
 * @param about further facts on one line, at the bottom
 */
public record ChartPicture(String title, Verdict verdict, String figures, String reason, String about) {

    /** The largest number of columns of time that can be told apart. */
    public static final int MOST_COLUMNS = 300;

    private static final int LEFT = 88;
    private static final int RIGHT = Sheet.WIDTH - 24;
    /** Height of the only chart of a picture. */
    private static final int ALONE = 330;
    private static final int STEPS = 24;
    private static final int SAMPLE = 26;
    private static final int RAMP = 96;
    static final List<String> CIVIDIS =
        List.of("#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838");

    /** Returns the picture of some charts, all of which are over time where there are several. */
    public Drawing of(List<Chart> charts, Course course) {
        Sheet sheet = new Sheet(title + ". " + verdict.title() + ": " + figures).title(title).verdict(verdict).text(figures).text(reason);
        for (Chart chart : charts) {
            int height = charts.size() == 1 ? ALONE : chart.height() - 34;
            keys(sheet.caption(chart.title(), chart.note()), chart);
            Plot plot = new Plot(sheet.body(), chart, course, LEFT, sheet.y() + 8, RIGHT - LEFT, height);
            plot.draw(chart == charts.getFirst(), chart.heat() != null || charts.size() == 1);
            sheet.down(8 + height + (chart == charts.getLast() ? plot.places() : 0));
        }
        return sheet.done(about);
    }

    /** Draws the lines of a chart with their names. */
    private static void keys(Sheet sheet, Chart chart) {
        List<Series> named = chart.series().stream().filter(one -> !one.isEmpty() && one.form() == Series.Form.LINE).toList();
        if (named.size() < 2 && chart.heat() == null) {
            return;
        }
        sheet.down(18);
        double x = Sheet.MARGIN;
        for (Series one : named) {
            double wide = SAMPLE + 6 + Sheet.widthOf(one.label(), 12) + 14;
            if (x + wide > Sheet.WIDTH - Sheet.MARGIN) {
                x = Sheet.MARGIN;
                sheet.down(16);
            }
            sheet.body().line(chart.heat() == null ? "line" + one.style() % 8 : "over" + chart.series().indexOf(one) % 3, x, sheet.y() - 4,
                x + SAMPLE, sheet.y() - 4).words("quiet", "start", x + SAMPLE + 6, sheet.y(), one.label());
            x += wide;
        }
        if (chart.heat() != null) {
            ramp(sheet.body(), most(chart.heat().used()), x + 10, sheet.y());
        }
    }

    private static void ramp(Drawing to, long most, double from, double y) {
        double x = from;
        if (most > 1) {
            to.words("quiet", "start", x, y, "1");
            x += 12;
        }
        for (int i = 0; i < STEPS; i++) {
            to.cells(colour(i), new int[] {(int) x + i * RAMP / STEPS, (int) y - 9, RAMP / STEPS, 10});
        }
        to.words("quiet", "start", x + RAMP + 6, y, most == 1 ? "1 message" : AxisText.three(most) + " messages");
    }

    private static long most(HeatMap.Used heat) {
        return heat.columns().stream().flatMapToLong(Arrays::stream).max().orElse(1);
    }

    /** Returns a step of the colours from a single message to the most. */
    private static String colour(int step) {
        double at = (double) step / (STEPS - 1) * (CIVIDIS.size() - 1);
        int low = Math.min(CIVIDIS.size() - 2, (int) at);
        StringBuilder mixed = new StringBuilder("#");
        for (int k = 1; k < 7; k += 2) {
            int a = Integer.parseInt(CIVIDIS.get(low).substring(k, k + 2), 16);
            int b = Integer.parseInt(CIVIDIS.get(low + 1).substring(k, k + 2), 16);
            mixed.append(String.format(Locale.ROOT, "%02x", Math.round(a * (1 - at + low) + b * (at - low))));
        }
        return mixed.toString();
    }

    /** Draws the heat map: boxes of the same colour are one shape, and neighbours in a column one box. */
    static void heat(Drawing to, HeatMap.Used heat, Axes axes, double[] edges) {
        long most = most(heat);
        TreeMap<Integer, List<Integer>> boxes = new TreeMap<>();
        for (int c = 0; c < heat.columns().size(); c++) {
            long[] column = heat.columns().get(c);
            int left = (int) Math.round(axes.x(edges[c]));
            int width = Math.max(1, (int) Math.round(axes.x(edges[c + 1])) - left);
            for (int row = 0; row < column.length; row++) {
                if (column[row] == 0) {
                    continue;
                }
                int step = step(column[row], most);
                int first = row;
                while (row + 1 < column.length && column[row + 1] > 0 && step(column[row + 1], most) == step) {
                    row++;
                }
                int top = (int) Math.round(axes.y(heat.edges()[row + 1]));
                int bottom = Math.max(top + 1, (int) Math.round(axes.y(heat.edges()[first])));
                boxes.computeIfAbsent(step, _ -> new ArrayList<>()).addAll(List.of(left, top, width, bottom - top));
            }
        }
        boxes.forEach((step, all) -> to.cells(colour(step), all.stream().mapToInt(Integer::intValue).toArray()));
    }

    private static int step(long count, long most) {
        return most == 1 ? STEPS - 1 : (int) Math.round((STEPS - 1) * Math.log(count) / Math.log(most));
    }
}
