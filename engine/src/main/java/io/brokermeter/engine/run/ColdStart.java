package io.brokermeter.engine.run;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

import io.brokermeter.engine.health.HealthMonitor;
import io.brokermeter.engine.recording.Recording;
import io.brokermeter.engine.recording.lane.Lane;
import io.brokermeter.engine.scenario.measure.Metric;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Samples of the first seconds of a run without a warm-up. Used by the reporting thread. */
final class ColdStart {

    private final Timetable timetable;
    private final Recording recording;
    /** The time from the start in which intervals end that count, in nanoseconds. */
    private final long length;
    private final Map<Metric, Histogram> samples = new EnumMap<>(Metric.class);
    private long end;

    ColdStart(Timetable timetable, Recording recording, Duration interval) {
        this.timetable = timetable;
        this.recording = recording;
        this.length = HealthMonitor.COLD_SECONDS * 1_000_000_000L + interval.toNanos() / 2;
    }

    /** Adds the samples of an interval that is over, if it is one of the first. */
    void add(long ended) {
        if (timetable.warmups() == 0 && (end == 0 || ended - timetable.start() <= length)) {
            end = ended;
            recording.measured().forEach((metric, more) -> samples
                .computeIfAbsent(metric, _ -> new Histogram(1, Lane.HIGHEST, 3)).add(more.histogram()));
        }
    }

    /** Returns for how many seconds there are samples; 0 for a run with a warm-up. */
    double seconds() {
        return end == 0 ? 0 : (end - timetable.start()) / 1e9;
    }

    @Nullable Histogram of(Metric metric) {
        return samples.get(metric);
    }
}
