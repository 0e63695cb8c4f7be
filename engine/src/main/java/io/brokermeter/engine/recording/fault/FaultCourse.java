package io.brokermeter.engine.recording.fault;

import java.util.ArrayList;
import java.util.List;

import io.brokermeter.engine.recording.lane.Activity;

/**
 * The course of a run around its faults, in equal stretches of time that are short compared with the effect of a fault, for charts.
 * Moments are in seconds from the run's start.
 *
 * @param from start of the first stretch
 * @param step length of each stretch, in seconds
 * @param cells the stretches, one after the other
 * @param sendsStopped moment of the last confirmation before the longest time without one; NaN if there was none
 * @param deliveriesStopped moment of the last delivery before the longest time without one; NaN if there was none
 */
public record FaultCourse(double from, double step, List<Cell> cells, double sendsStopped, double deliveriesStopped) {

    /** The largest number of stretches, for which a chart has room. */
    static final int MOST = 900;
    /** The least number of messages in a stretch; with fewer, chance alone would show. */
    private static final int LEAST_MESSAGES = 20;
    private static final int[] STEPS = {10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 60_000, 120_000};
    /** The time shown before the fault and after its end, in milliseconds. */
    private static final int AIR = 5000;

    /**
     * The counts of one stretch.
     *
     * @param longestWait longest time from the intended send of a message to its delivery, of the messages delivered in the stretch, in
     *     seconds; 0 for none
     */
    public record Cell(long confirmed, long delivered, long failed, double longestWait) {}

    public FaultCourse {
        cells = List.copyOf(cells);
    }

    /**
     * Creates a course from milliseconds. Stretches that reach beyond the trace are left out.
     *
     * @param fault millisecond of the fault
     * @param over millisecond from which everything was as before, or after which nothing is of interest
     * @param rate messages per second before the fault; NaN if unknown
     */
    static FaultCourse of(Activity.Trace trace, int fault, int over, double rate, double sendsStopped, double deliveriesStopped) {
        int first = Math.max(0, fault - AIR);
        int last = Math.min(trace.length(), Math.max(fault, over) + AIR);
        int step = step(last - first, rate);
        first -= first % step;
        List<Cell> cells = new ArrayList<>();
        for (int i = first; i + step <= trace.length() && i < last; i += step) {
            cells.add(cell(trace, i, i + step));
        }
        return new FaultCourse(first / 1e3, step / 1e3, cells, sendsStopped, deliveriesStopped);
    }

    private static int step(int length, double rate) {
        for (int step : STEPS) {
            if (step * (long) (MOST - 2) >= length && !(step * rate < LEAST_MESSAGES * 1e3 && step < 1000)) {
                return step;
            }
        }
        return STEPS[STEPS.length - 1];
    }

    private static Cell cell(Activity.Trace trace, int from, int to) {
        long confirmed = 0;
        long delivered = 0;
        long failed = 0;
        long longest = 0;
        for (int i = from; i < to; i++) {
            confirmed += trace.confirmed(i);
            delivered += trace.delivered(i);
            failed += trace.failed(i);
            longest = Math.max(longest, trace.longestWait(i));
        }
        return new Cell(confirmed, delivered, failed, longest / 1e9);
    }
}
