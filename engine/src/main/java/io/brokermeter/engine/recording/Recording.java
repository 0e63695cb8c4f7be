package io.brokermeter.engine.recording;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import org.HdrHistogram.Histogram;

/**
 * All lanes of a run, by metric, and what has been taken from them. {@link #lane} is called while the run is set up, the
 * rest by the one thread that reports.
 */
public final class Recording {

    private final boolean warmup;
    private final Map<Metric, Series> series = new EnumMap<>(Metric.class);

    /** @param warmup whether the run has a warm-up phase */
    public Recording(boolean warmup) {
        this.warmup = warmup;
        for (Metric metric : Metric.values()) {
            series.put(metric, new Series(warmup));
        }
    }

    /** A new lane for one writing thread. */
    public Lane lane(Metric metric) {
        Lane lane = new Lane(warmup);
        of(metric).lanes.add(lane);
        return lane;
    }

    /** Takes what was recorded since the last call: measured samples, valid until the next call. */
    public void drain() {
        for (Series s : series.values()) {
            s.drain();
        }
    }

    /** Measured samples of the last {@link #drain}. */
    public Map<Metric, Distribution> measured() {
        return map(s -> new Distribution(s.measured, s.negative, s.clamped));
    }

    /** Warm-up samples of the last {@link #drain}. */
    public Map<Metric, Distribution> warmup() {
        return map(s -> new Distribution(s.warm, 0, 0));
    }

    /** Measured samples of the whole run so far. */
    public Map<Metric, Distribution> total() {
        return map(s -> new Distribution(s.total, s.totalNegative, s.totalClamped));
    }

    private Map<Metric, Distribution> map(java.util.function.Function<Series, Distribution> part) {
        Map<Metric, Distribution> all = new EnumMap<>(Metric.class);
        series.forEach((metric, s) -> all.put(metric, part.apply(s)));
        return all;
    }

    private Series of(Metric metric) {
        Series s = series.get(metric);
        if (s == null) {
            throw new IllegalStateException("No series for " + metric);
        }
        return s;
    }

    private static Histogram histogram() {
        return new Histogram(1, Lane.HIGHEST, Lane.DIGITS);
    }

    private static final class Series {
        final List<Lane> lanes = new ArrayList<>();
        final Histogram measured = histogram();
        final Histogram warm;
        final Histogram total = histogram();
        long negative;
        long clamped;
        long totalNegative;
        long totalClamped;

        Series(boolean warmup) {
            // Without a warm-up nothing is ever added to it, so the smallest histogram will do.
            warm = warmup ? histogram() : new Histogram(1, 2, 1);
        }

        void drain() {
            measured.reset();
            warm.reset();
            negative = 0;
            clamped = 0;
            for (Lane lane : lanes) {
                lane.drainMeasured(measured);
                lane.drainWarmup(warm);
                negative += lane.drainNegative();
                clamped += lane.drainClamped();
            }
            total.add(measured);
            totalNegative += negative;
            totalClamped += clamped;
        }
    }
}
