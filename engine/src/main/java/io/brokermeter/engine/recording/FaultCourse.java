package io.brokermeter.engine.recording;

import java.util.ArrayList;
import java.util.List;

/**
 * What happened around the faults of a run, in equal stretches of time that are short beside what a fault takes, for pictures. Moments are seconds from the
 * run's start.
 *
 * @param from the begin of the first stretch
 * @param step the length of each, in seconds
 * @param cells the stretches, one after the other
 * @param sendsStopped the last confirmation before the longest time without one; NaN where there was none
 * @param deliveriesStopped the same of deliveries
 */
public record FaultCourse(double from, double step, List<Cell> cells, double sendsStopped, double deliveriesStopped) {

    /** What a picture has room for. */
    static final int MOST = 900;
    /** The least number of messages in a stretch; with fewer, chance alone would show. */
    private static final int LEAST_MESSAGES = 20;
    private static final int[] STEPS = {10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 60_000, 120_000};
    /** What is shown before the fault and after its end. */
    private static final int AIR = 5000;

    /**
     * What happened in a stretch.
     *
     * @param longestWait the longest time from a message's intended time to its delivery, of those delivered in it, in seconds; 0 for none
     */
    public record Cell(long confirmed, long delivered, long failed, double longestWait) {}

    public FaultCourse {
        cells = List.copyOf(cells);
    }

    /**
     * Puts milliseconds together. Stretches that reach beyond the trace are left out.
     *
     * @param fault the millisecond of the fault
     * @param over the millisecond from which all is as before, or after which nothing is of interest
     * @param rate messages a second before the fault; NaN when not known
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
