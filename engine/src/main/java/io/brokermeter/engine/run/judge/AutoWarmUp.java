package io.brokermeter.engine.run.judge;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.brokermeter.engine.recording.Recording;
import io.brokermeter.engine.recording.WarmUp;
import io.brokermeter.engine.run.Timetable;
import io.brokermeter.engine.scenario.measure.Metric;

/**
 * Extends a warm-up until the run has settled, at most twice by its first part. Follows the median of the time that counts, the response
 * time, or where there is none the time of a round trip or until a confirmation, in steps of a fiftieth of the first part. A median, since
 * what the generator's own stalls do to a mean says nothing of the broker. Used by the reporting thread only.
 */
public final class AutoWarmUp {

    /** The greatest number of parts of a warm-up, the first one included. */
    public static final int PARTS = 3;
    private static final int STEPS = 50;
    private static final long LEAST_STEP = 5_000_000;
    private static final List<Metric> TIMES = List.of(Metric.RESPONSE, Metric.ROUND_TRIP, Metric.SEND);

    private final Timetable timetable;
    private final Recording recording;
    private final long step;
    /** The steps in which each of the times had samples. */
    private final List<List<Step>> series = TIMES.stream().<List<Step>>map(_ -> new ArrayList<>()).toList();
    private long next = Timetable.NO_END;
    private boolean ended;
    private int begin = SteadyPart.UNKNOWN;
    private long steadyFrom;

    /**
     * The samples of a time in a step.
     *
     * @param end end of the step, in nanoseconds since the epoch
     * @param median their median, in nanoseconds
     */
    private record Step(long end, double median) {}

    /** @param part first part of the warm-up */
    public AutoWarmUp(Timetable timetable, Recording recording, Duration part) {
        this.timetable = timetable;
        this.recording = recording;
        this.step = Math.max(LEAST_STEP, part.toNanos() / STEPS);
    }

    /** Begins the first step, at the start of the timetable. */
    public void begin() {
        recording.beginStep();
        next = timetable.start() + step;
    }

    /** Returns when {@link #look} has something to do, in nanoseconds since the epoch. */
    public long nextDue() {
        return next;
    }

    /** Ends the step that is over, and extends the warm-up if it is over and the run has not settled. */
    public void look(long now) {
        if (now < next) {
            return;
        }
        recording.take();
        for (int i = 0; i < TIMES.size(); i++) {
            double median = recording.stepMedian(TIMES.get(i));
            if (Double.isFinite(median)) {
                series.get(i).add(new Step(now, median));
            }
        }
        recording.beginStep();
        next += step * ((now - next) / step + 1);
        if (now >= timetable.measuredFrom()) {
            endPart();
        }
    }

    private void endPart() {
        List<Step> steps = List.of();
        begin = SteadyPart.UNKNOWN;
        for (int i = 0; i < series.size() && begin == SteadyPart.UNKNOWN; i++) {
            steps = series.get(i);
            begin = SteadyPart.begin(steps.stream().mapToDouble(Step::median).toArray());
        }
        if (begin == SteadyPart.NOT_YET && timetable.warmups() < PARTS) {
            timetable.extendWarmup();
            recording.extendWarmup();
            return;
        }
        steadyFrom = begin <= 0 ? timetable.start() : steps.get(begin - 1).end;
        ended = true;
        next = Timetable.NO_END;
        recording.endWarmup();
    }

    /** Returns how the warm-up ended, or where the run left it. */
    public WarmUp result() {
        boolean settled = ended && begin >= 0;
        return new WarmUp((timetable.measuredFrom() - timetable.start()) / 1e9,
            settled ? (steadyFrom - timetable.start()) / 1e9 : Double.NaN, settled, ended && begin != SteadyPart.UNKNOWN);
    }
}
