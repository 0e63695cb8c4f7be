package io.brokermeter.reports.picture;

import java.util.List;

import io.brokermeter.reports.html.chart.Chart;
import io.brokermeter.reports.html.chart.Course;
import io.brokermeter.reports.html.chart.HeatMap;
import io.brokermeter.reports.html.chart.Series;
import org.jspecify.annotations.Nullable;

/** One chart of a picture: what stands behind its lines, the axes, the lines, and the events over them. */
final class Plot {

    private final Drawing to;
    private final Chart chart;
    private final Course course;
    private final HeatMap.@Nullable Used heat;
    private final Axes axes;
    private final double left;
    private final double top;
    private final double right;
    private final double bottom;

    Plot(Drawing to, Chart chart, Course course, double left, double top, double width, double height) {
        this.to = to;
        this.chart = chart;
        this.course = chart.axis() == Chart.Axis.TIME ? course : Course.NONE;
        HeatMap map = chart.heat();
        this.heat = map == null ? null : map.used();
        this.axes = new Axes(chart, course, heat == null ? new double[0] : heat.edges(), left, top, width, height);
        this.left = left;
        this.top = top;
        this.right = left + width;
        this.bottom = top + height;
    }

    /**
     * Draws all but the names at the x axis.
     *
     * @param bands whether the parts of the run have their names here
     * @param marks whether events have
     */
    void draw(boolean bands, boolean marks) {
        bands();
        for (double value : axes.ys()) {
            to.line("grid", left, axes.y(value), right, axes.y(value))
                .words("quiet", "end", left - 8, axes.y(value) + 4, AxisText.of(chart.unit(), value));
        }
        for (double value : axes.xs()) {
            to.line("grid", axes.x(value), top, axes.x(value), bottom);
        }
        if (heat != null) {
            ChartPicture.heat(to, heat, axes, course.edges());
        }
        List<Series> shown = chart.series();
        for (int i = 0; i < shown.size(); i++) {
            switch (shown.get(i).form()) {
                case LINE -> {
                    if (heat != null) {
                        line("rim", shown.get(i));
                        line("over" + i % 3, shown.get(i));
                    } else {
                        line("line" + shown.get(i).style() % 8, shown.get(i));
                    }
                }
                case THIN -> line("thin" + shown.get(i).style() % 8, shown.get(i));
                default -> {
                    // hidden, or of a chart that is not drawn here
                }
            }
        }
        if (bands) {
            // The lines are at the top where nothing went wrong, and the names of events at the bottom.
            names(marks ? top + 11 : bottom - 4);
        }
        marks(marks);
        to.line("axis", left, bottom, right, bottom);
    }

    /** Draws the names at the x axis, and returns the room that they take. */
    double places() {
        for (double value : axes.xs()) {
            to.line("axis", axes.x(value), bottom, axes.x(value), bottom + 4)
                .words("quiet", "middle", axes.x(value), bottom + 17, axes.nameOfX(value));
        }
        to.words("quiet", "middle", (left + right) / 2, bottom + 34, axes.titleOfX());
        return 34;
    }

    private double from(Course.Band band) {
        return Math.max(left, axes.x(band.from()));
    }

    private double until(Course.Band band) {
        return Math.min(right, axes.x(band.to()));
    }

    private void bands() {
        for (int i = 0; i < course.bands().size(); i++) {
            Course.Band band = course.bands().get(i);
            if (band.name().equals("warm-up") || i % 2 == 0) {
                to.rectangle("band", from(band), top, until(band) - from(band), bottom - top);
            }
        }
    }

    private void names(double y) {
        for (Course.Band band : course.bands()) {
            if (Sheet.widthOf(band.name(), 11) < until(band) - from(band)) {
                to.words("halo", "start", from(band) + 3, y, band.name());
            }
        }
    }

    private void marks(boolean named) {
        double free = left;
        for (Course.Mark mark : course.marks()) {
            double x = axes.x(mark.at());
            if (x < left || x > right) {
                continue;
            }
            to.line("event", x, top, x, bottom);
            double width = Sheet.widthOf(mark.kind(), 11);
            double at = Math.min(x + 3, right - width);
            if (named && at >= free) {
                to.words("halo-event", "start", at, bottom - 4, mark.kind());
                free = at + width + 4;
            }
        }
    }

    /** Draws the parts of a line between its gaps; a value between two gaps is a dot, or on a heat map a short line. */
    private void line(String kind, Series series) {
        double[] values = series.values();
        for (int i = 0; i < values.length; i++) {
            int first = i;
            while (i < values.length && Double.isFinite(values[i])) {
                i++;
            }
            if (i - first == 1 && heat == null) {
                to.dot("point" + series.style() % 8, x(first), axes.y(values[first]), 2);
            } else if (i > first) {
                double[] xs = new double[i - first + 1];
                double[] ys = new double[xs.length];
                for (int k = first; k < i; k++) {
                    xs[k - first] = x(k);
                    ys[k - first] = axes.y(values[k]);
                }
                xs[xs.length - 1] = xs[xs.length - 2] + 0.5;
                ys[ys.length - 1] = ys[ys.length - 2];
                if (xs.length == 2) {
                    xs[0] -= 4;
                    xs[1] += 4;
                }
                to.line(kind, xs, ys);
            }
        }
    }

    private double x(int column) {
        return axes.x(chart.axis() == Chart.Axis.TIME ? (course.edges()[column] + course.edges()[column + 1]) / 2 : chart.x()[column]);
    }
}
