package io.brokermeter.reports.picture;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

import io.brokermeter.reports.html.chart.Chart;
import io.brokermeter.reports.html.chart.Course;
import io.brokermeter.reports.html.chart.Series;

/** The axes of a chart in a picture: where values are, and which have a name. */
final class Axes {

    /** Values below it, in microseconds, are drawn there on a logarithmic axis. */
    private static final double LEAST = 0.5;
    /** Seconds from one name to the next at the axis of a long run; those of a short one are decimal. */
    private static final double[] CLOCK =
        {1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400, 172_800, 604_800};
    private static final double LONG = 600;
    /** Height below which names at the y axis stand closer to each other. */
    private static final double LOW = 100;

    private final Chart chart;
    private final boolean isLong;
    private final double left;
    private final double top;
    private final double width;
    private final double height;
    private final double from;
    private final double to;
    private final double low;
    private final double high;

    /** @param heat edges of the rows of its heat map; empty for none */
    Axes(Chart chart, Course course, double[] heat, double left, double top, double width, double height) {
        this.chart = chart;
        this.left = left;
        this.top = top;
        this.width = width;
        this.height = height;
        double[] x = chart.axis() == Chart.Axis.TIME ? course.edges() : chart.x();
        this.isLong = chart.axis() == Chart.Axis.TIME && x[x.length - 1] > LONG;
        this.from = x[0];
        double span = x[x.length - 1] - x[0];
        this.to = chart.axis() == Chart.Axis.TIME ? x[x.length - 1] : x[x.length - 1] + (span > 0 ? span / 100 : 0.5);
        double[] values = chart.series().stream().map(Series::values).flatMapToDouble(Arrays::stream).filter(Double::isFinite).toArray();
        double least = Arrays.stream(values).min().orElse(1);
        double most = Arrays.stream(values).max().orElse(1);
        if (heat.length > 0) {
            low = heat[0];
            high = heat[heat.length - 1];
        } else if (chart.logarithmic()) {
            least = Math.max(least, LEAST);
            low = least / 1.25;
            high = Math.max(Math.max(most, least) * 1.25, least * 2);
        } else {
            low = Math.min(0, least);
            high = most > 0 ? most * 1.08 : 1;
        }
    }

    double x(double value) {
        return left + (value - from) / (to - from) * width;
    }

    double y(double value) {
        DoubleUnaryOperator scale = chart.logarithmic() ? Math::log : DoubleUnaryOperator.identity();
        double at = Math.clamp(chart.logarithmic() ? Math.max(value, LEAST) : value, low, high);
        return top + height - (scale.applyAsDouble(at) - scale.applyAsDouble(low))
            / (scale.applyAsDouble(high) - scale.applyAsDouble(low)) * height;
    }

    /** Returns the values with a name at the y axis, none closer to the one before than a line of text. */
    double[] ys() {
        DoubleStream all = chart.logarithmic() ? logarithmic() : even(low, high, step(high - low, height / (height < LOW ? 18 : 30)));
        List<Double> kept = new ArrayList<>();
        all.forEach(value -> {
            if (kept.isEmpty() || y(kept.getLast()) - y(value) >= 15) {
                kept.add(value);
            }
        });
        return kept.stream().mapToDouble(Double::doubleValue).toArray();
    }

    private DoubleStream logarithmic() {
        double[] digits = high / low > 5e3 ? new double[] {1} : high / low > 60 ? new double[] {1, 3} : new double[] {1, 2, 3, 5, 7};
        return IntStream.rangeClosed((int) Math.floor(Math.log10(low)), (int) Math.floor(Math.log10(high))).boxed()
            .flatMapToDouble(power -> Arrays.stream(digits).map(digit -> digit * Math.pow(10, power)))
            .filter(value -> value >= low && value <= high);
    }

    private static DoubleStream even(double low, double high, double step) {
        return IntStream.rangeClosed((int) Math.ceil(low / step - 1e-9), (int) Math.floor(high / step + 1e-9)).mapToDouble(i -> i * step);
    }

    /** Returns the least of 1, 2 and 5 times a power of ten that divides a span into no more parts. */
    private static double step(double span, double parts) {
        double least = span / Math.max(1, Math.floor(parts));
        double power = Math.pow(10, Math.floor(Math.log10(least)));
        return DoubleStream.of(1, 2, 5, 10).map(digit -> digit * power).filter(value -> value >= least * (1 - 1e-9)).findFirst()
            .orElse(10 * power);
    }

    /** Returns the values with a name at the x axis. */
    double[] xs() {
        if (chart.axis() == Chart.Axis.PERCENTILE) {
            return IntStream.rangeClosed(0, (int) Math.floor(chart.x()[chart.x().length - 1])).mapToDouble(i -> i).toArray();
        }
        double parts = width / 70;
        double step = !isLong ? step(to - from, parts)
            : Arrays.stream(CLOCK).filter(one -> one >= (to - from) / parts).findFirst().orElse(CLOCK[CLOCK.length - 1]);
        return even(from, to, step).toArray();
    }

    String nameOfX(double value) {
        return chart.axis() == Chart.Axis.PERCENTILE ? AxisText.percentile((int) Math.round(value)) : AxisText.moment(value, isLong);
    }

    String titleOfX() {
        return chart.axis() == Chart.Axis.PERCENTILE ? chart.xTitle() : "time since the start of the load";
    }
}
