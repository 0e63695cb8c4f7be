package io.brokermeter.engine.pacing;

import java.util.List;

import io.brokermeter.engine.scenario.Load;

/**
 * A schedule of stretches in which the rate is constant or changes linearly. With N(t) events due before t, event i is due at
 * the last t with N(t) = i, so silence lies before an event and not after it. The inverse within a ramp from a to b in L
 * seconds is t = 2x / (a + sqrt(a^2 + 2x (b - a) / L)) for the x-th event of it, a form without cancellation.
 */
final class StepTimes implements FireTimes {

    private final double[] from;
    /** The change of the rate per second in each stretch. */
    private final double[] slope;
    private final long[] startNanos;
    /** The number of events due before each stretch, and before the hold after the last one. */
    private final double[] before;

    StepTimes(List<Load.Step> steps) {
        int n = steps.size();
        from = new double[n + 1];
        slope = new double[n + 1];
        startNanos = new long[n + 1];
        before = new double[n + 1];
        for (int i = 0; i < n; i++) {
            Load.Step s = steps.get(i);
            double seconds = s.length().toNanos() / 1e9;
            from[i] = s.from();
            slope[i] = (s.to() - s.from()) / seconds;
            startNanos[i + 1] = Math.addExact(startNanos[i], s.length().toNanos());
            before[i + 1] = before[i] + (s.from() + s.to()) / 2 * seconds;
        }
        from[n] = steps.getLast().to();
    }

    @Override
    public long at(long index) {
        int last = from.length - 1;
        for (int i = 0; i < last; i++) {
            if (index < before[i + 1]) {
                return startNanos[i] + within(i, index - before[i]);
            }
        }
        return from[last] == 0 ? NEVER : startNanos[last] + within(last, index - before[last]);
    }

    private long within(int i, double events) {
        if (events <= 0) {
            return 0;
        }
        if (slope[i] == 0) {
            return (long) (events * 1e9 / from[i]);
        }
        double root = Math.sqrt(Math.max(0, from[i] * from[i] + 2 * events * slope[i]));
        return (long) (2e9 * events / (from[i] + root));
    }
}
