package io.brokermeter.reports.html;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.html.chart.HeatMap;
import io.brokermeter.reports.stored.LoggedSamples;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The times of a run by column: percentiles of all samples of a column together, never averages of percentiles, and heat maps. A
 * percentile with fewer than ten samples beyond it is unknown, as everywhere. Samples are added in the order of time; values are in
 * microseconds.
 */
final class Latencies {

    static final double[] PERCENTILES = {50, 90, 99, 99.9};
    static final String[] NAMES = {"p50", "p90", "p99", "p99.9"};

    private TimeColumns columns;
    private final Map<Metric, ByColumn> all = new EnumMap<>(Metric.class);
    private final Map<Metric, Histogram> measured = new EnumMap<>(Metric.class);

    /** The times of one metric. */
    private final class ByColumn {

        final double[][] percentiles = new double[PERCENTILES.length][TimeColumns.MOST];
        final double[] most = new double[TimeColumns.MOST];
        final HeatMap heat = new HeatMap(TimeColumns.MOST);
        private final Histogram now = new Histogram(3);
        private int column = -1;

        ByColumn() {
            Arrays.fill(most, Double.NaN);
            for (double[] values : percentiles) {
                Arrays.fill(values, Double.NaN);
            }
        }

        void add(int at, Histogram micros) {
            if (at != column) {
                end();
                now.reset();
                column = at;
            }
            now.add(micros);
            heat.add(at, micros);
        }

        void end() {
            if (now.getTotalCount() > 0) {
                Distribution samples = new Distribution(now, 0, 0);
                for (int p = 0; p < PERCENTILES.length; p++) {
                    percentiles[p][column] = samples.supports(PERCENTILES[p]) ? now.getValueAtPercentile(PERCENTILES[p]) : Double.NaN;
                }
                most[column] = now.getMaxValue();
            }
        }
    }

    Latencies(TimeColumns columns) {
        this.columns = columns;
    }

    /**
     * Goes on with the columns of a run that has become longer; those before must be among them.
     *
     * @return whether they are; otherwise this object is as it was, and another one must be made of all samples
     */
    boolean goOn(TimeColumns longer) {
        boolean same = longer.each() == columns.each();
        columns = same ? longer : columns;
        return same;
    }

    /** Adds the samples of an interval, those of the warm-up included. */
    void add(LoggedSamples samples) {
        if (columns.count() > 0) {
            all.computeIfAbsent(samples.metric(), _ -> new ByColumn())
                .add(columns.at(samples.startSeconds() + samples.seconds() / 2), samples.micros());
        }
        if (!samples.warmup()) {
            measured.computeIfAbsent(samples.metric(), _ -> new Histogram(3)).add(samples.micros());
        }
    }

    /** Completes the last columns; called when everything has been added so far. */
    Latencies done() {
        all.values().forEach(ByColumn::end);
        return this;
    }

    boolean has(Metric metric) {
        return all.containsKey(metric);
    }

    /** Returns all samples without the warm-up; the map grows. */
    Map<Metric, Histogram> measured() {
        return measured;
    }

    /** Returns all samples without the warm-up; null if there are none. */
    @Nullable Histogram measured(Metric metric) {
        return measured.get(metric);
    }

    /** Returns, for each column, the percentile at an index of {@link #PERCENTILES}; empty if the metric has no samples. */
    double[] percentile(Metric metric, int number) {
        ByColumn one = all.get(metric);
        return one == null ? new double[0] : Arrays.copyOf(one.percentiles[number], columns.count());
    }

    double[] most(Metric metric) {
        ByColumn one = all.get(metric);
        return one == null ? new double[0] : Arrays.copyOf(one.most, columns.count());
    }

    @Nullable HeatMap heat(Metric metric) {
        ByColumn one = all.get(metric);
        return one == null ? null : one.heat.of(columns.count());
    }

    /**
     * Returns the metric that a user waits for, the response time, if it is known, otherwise the nearest to it; null if
     * nothing was timed.
     */
    @Nullable Metric main() {
        return Metric.MAIN.stream().filter(this::has).findFirst().orElse(null);
    }
}
