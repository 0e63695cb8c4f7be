package io.brokermeter.engine.recording;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * The rate at which the messages of a run are due, as steps that each hold until the next one.
 *
 * @param steps steps in the order of their begins, the first of which is 0, with different rates
 */
public record DueRates(List<Step> steps) {

    /** The rates of a load that never changes. */
    public static final DueRates STEADY = new DueRates(List.of(new Step(0, Double.POSITIVE_INFINITY)));

    /**
     * A part of a run in which messages are due at one rate.
     *
     * @param from begin of the step, in nanoseconds from the run's start
     * @param rate messages per second; 0 for silence, infinite for as many as are confirmed, NaN for a rate that changes meanwhile
     */
    public record Step(long from, double rate) {}

    public DueRates {
        steps = List.copyOf(steps);
    }

    /** Returns the sum of the rates of several groups of producers. */
    public static DueRates sum(List<DueRates> groups) {
        TreeSet<Long> changes = new TreeSet<>(List.of(0L));
        groups.forEach(group -> group.steps.forEach(step -> changes.add(step.from)));
        List<Step> sums = new ArrayList<>();
        for (long change : changes) {
            double rate = groups.stream().mapToDouble(group -> group.at(change).rate).sum();
            if (sums.isEmpty() || Double.compare(sums.getLast().rate, rate) != 0) {
                sums.add(new Step(change, rate));
            }
        }
        return new DueRates(sums);
    }

    /**
     * Returns the moment by which a number of messages was due, in nanoseconds from the run's start; {@link Long#MAX_VALUE} for never, or
     * where a rate before it is not known.
     */
    public long dueAt(long messages) {
        double left = messages;
        for (int i = 0; i < steps.size() && Double.isFinite(steps.get(i).rate); i++) {
            Step step = steps.get(i);
            double length = i + 1 < steps.size() ? steps.get(i + 1).from - step.from : Double.POSITIVE_INFINITY;
            double needed = left * 1e9 / step.rate;
            if (step.rate > 0 && needed <= length) {
                return step.from + (long) needed;
            }
            left -= step.rate * length / 1e9;
        }
        return Long.MAX_VALUE;
    }

    /** Returns these rates with silence from a moment on, in nanoseconds from the run's start. */
    public DueRates until(long end) {
        List<Step> kept = new ArrayList<>(steps.stream().filter(step -> step.from < end).toList());
        kept.add(new Step(end, 0));
        return new DueRates(kept);
    }

    private Step at(long nanos) {
        return steps.get(Math.max(0, next(nanos) - 1));
    }

    /** Returns the index of the first step that begins after a moment; the number of steps for none. */
    private int next(long nanos) {
        int next = 0;
        while (next < steps.size() && steps.get(next).from <= nanos) {
            next++;
        }
        return next;
    }

    private static long nanos(int millisecond) {
        return millisecond * 1_000_000L;
    }

    /** Returns the first millisecond of the step with an index; {@link Integer#MAX_VALUE} if there is none. */
    private int millisecond(int step) {
        return step < steps.size() ? (int) Math.min(Integer.MAX_VALUE, Math.ceilDiv(steps.get(step).from, 1_000_000L))
            : Integer.MAX_VALUE;
    }

    /** Returns whether messages are due at a constant rate in a millisecond, or as many as are confirmed. */
    public boolean isSteady(int millisecond) {
        return at(nanos(millisecond)).rate > 0;
    }

    /** Returns the first millisecond of the step to which a millisecond belongs. */
    public int begin(int millisecond) {
        return millisecond(Math.max(0, next(nanos(millisecond)) - 1));
    }

    /** Returns the millisecond at which the step ends to which a millisecond belongs; {@link Integer#MAX_VALUE} for the last step. */
    public int end(int millisecond) {
        return millisecond(next(nanos(millisecond)));
    }

    /** Returns the millisecond at which the first silence after a millisecond begins; {@link Integer#MAX_VALUE} for none. */
    public int silence(int millisecond) {
        int step = next(nanos(millisecond));
        while (step < steps.size() && steps.get(step).rate != 0) {
            step++;
        }
        return millisecond(step);
    }

    /** Returns the end of the last millisecond before {@code end}, from {@code millisecond} on, in which something is due. */
    public int lastDue(int millisecond, int end) {
        // Before a silence something is due: steps that follow each other have different rates.
        return Math.max(millisecond, at(nanos(end)).rate == 0 ? begin(end) : end);
    }

    /**
     * Returns how many messages are to be confirmed in a span if {@code rate} per second were in the step of {@code millisecond}: fewer
     * where fewer are due, but not more where more are; NaN if the span has a silence, or a rate that is not constant.
     */
    public double expected(int millisecond, double rate, int from, int to) {
        double of = at(nanos(millisecond)).rate;
        double sum = 0;
        for (int begin = from; begin < to;) {
            double due = at(nanos(begin)).rate;
            int end = Math.min(to, end(begin));
            if (!(due > 0)) {
                return Double.NaN;
            }
            sum += (of < Double.POSITIVE_INFINITY ? rate * Math.min(1, due / of) : Math.min(rate, due)) * (end - begin) / 1e3;
            begin = end;
        }
        return sum;
    }
}
