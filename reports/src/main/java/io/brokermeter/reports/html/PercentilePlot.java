package io.brokermeter.reports.html;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.html.chart.Chart;
import io.brokermeter.reports.html.chart.Series;
import org.HdrHistogram.Histogram;

/**
 * Draws the percentiles of a run on the axis of HdrHistogram, where 90, 99 and 99.9 % are equally far apart: response and service times
 * together, so that their difference, coordinated omission, is visible. Lines are thin where fewer than ten samples lie beyond.
 */
final class PercentilePlot {

    private static final double STEP = 0.05;
    private static final List<Metric> ORDER =
        List.of(Metric.RESPONSE, Metric.TRANSFER, Metric.SEND, Metric.ROUND_TRIP, Metric.LATE_DELIVERY,
            Metric.SEND_DELAY, Metric.HANDLER);

    private PercentilePlot() {}

    static Chart of(Latencies latencies) {
        long most = 1;
        for (Metric metric : ORDER) {
            Histogram samples = latencies.measured(metric);
            most = Math.max(most, samples == null ? 0 : samples.getTotalCount());
        }
        double[] x = new double[(int) Math.ceil(Math.log10(most) / STEP) + 1];
        for (int i = 0; i < x.length; i++) {
            x[i] = Math.round(i * STEP * 100) / 100.0;
        }
        List<Series> lines = new ArrayList<>();
        for (int style = 0; style < ORDER.size(); style++) {
            Histogram samples = latencies.measured(ORDER.get(style));
            if (samples != null) {
                add(lines, ORDER.get(style).words(), style, x, samples);
            }
        }
        return Chart.of(its -> {
            its.id = "percentile-plot";
            its.title = "Percentiles of the whole run";
            its.note =
                "Without the warm-up. Response is from when a message was due, transfer from when it was sent. Thin: fewer than ten samples beyond.";
            its.axis = Chart.Axis.PERCENTILE;
            its.xTitle = "percentile";
            its.unit = Chart.Unit.MICROS;
            its.logarithmic = true;
            its.height = 300;
            its.x = x;
            its.series = lines;
        });
    }

    private static void add(List<Series> lines, String label, int style, double[] x, Histogram samples) {
        double[] sure = new double[x.length];
        double[] beyond = new double[x.length];
        Arrays.fill(sure, Double.NaN);
        Arrays.fill(beyond, Double.NaN);
        double end = Math.log10(samples.getTotalCount());
        for (int i = 0; i < x.length; i++) {
            if (x[i] - STEP >= end && i > 0) {
                break;
            }
            double value = samples.getValueAtPercentile(100 * (1 - Math.pow(10, -x[i])));
            if (x[i] <= 0.3 || x[i] <= end - 1) {
                sure[i] = value;
            } else {
                // The thin line begins where the other one ends.
                if (i > 0 && Double.isNaN(beyond[i - 1])) {
                    beyond[i - 1] = sure[i - 1];
                }
                beyond[i] = value;
            }
        }
        lines.add(Series.line(label, style, sure));
        lines.add(Series.line(label + ", few samples", style, beyond).as(Series.Form.THIN));
    }
}
