package io.brokermeter.reports.html;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Metric;
import io.brokermeter.reports.stored.LoggedSamples;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The times of a run by column: percentiles of the samples of each column together, never averages of percentiles, and heat maps. A percentile
 * that fewer than ten samples lie beyond is not known, as everywhere. Samples come in the order of time; microseconds.
 */
final class Latencies {

    static final double[] PERCENTILES = {50, 90, 99, 99.9};
    static final String[] NAMES = {"p50", "p90", "p99", "p99.9"};

    private final TimeColumns columns;
    private final Map<Metric, ByColumn> all = new EnumMap<>(Metric.class);
    private final Map<Metric, Histogram> measured = new EnumMap<>(Metric.class);

    /** What one metric has. */
    private final class ByColumn {

        final double[][] percentiles = new double[PERCENTILES.length][columns.count()];
        final double[] most = new double[columns.count()];
        final HeatMap heat = new HeatMap(columns.count());
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
                now.reset();
            }
        }
    }

    Latencies(TimeColumns columns) {
        this.columns = columns;
    }

    /** Takes the samples of an interval, those of the warm-up too. */
    void add(LoggedSamples samples) {
        if (columns.count() > 0) {
            all.computeIfAbsent(samples.metric(), _ -> new ByColumn())
                .add(columns.at(samples.startSeconds() + samples.seconds() / 2), samples.micros());
        }
        if (!samples.warmup()) {
            measured.computeIfAbsent(samples.metric(), _ -> new Histogram(3)).add(samples.micros());
        }
    }

    /** Everything has been added. */
    Latencies done() {
        all.values().forEach(ByColumn::end);
        return this;
    }

    boolean has(Metric metric) {
        return all.containsKey(metric);
    }

    /** All samples without the warm-up; null when there are none. */
    @Nullable Histogram measured(Metric metric) {
        return measured.get(metric);
    }

    /** For each column a percentile of {@link #PERCENTILES}, by its number. */
    double[] percentile(Metric metric, int number) {
        ByColumn one = all.get(metric);
        return one == null ? new double[0] : one.percentiles[number];
    }

    double[] most(Metric metric) {
        ByColumn one = all.get(metric);
        return one == null ? new double[0] : one.most;
    }

    @Nullable HeatMap heat(Metric metric) {
        ByColumn one = all.get(metric);
        return one == null ? null : one.heat;
    }

    /** What a user waits if it is known, otherwise the nearest to it; null when nothing was timed. */
    @Nullable Metric main() {
        for (Metric metric : new Metric[] {Metric.RESPONSE, Metric.TRANSFER, Metric.ROUND_TRIP, Metric.SEND}) {
            if (has(metric)) {
                return metric;
            }
        }
        return null;
    }
}
