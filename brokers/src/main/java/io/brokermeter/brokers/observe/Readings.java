package io.brokermeter.brokers.observe;

import org.jspecify.annotations.Nullable;

/**
 * The readings of one source, from which samples and the figures of the measured phase are taken. An amount that decreases has started
 * again from 0, as in a broker that was started again. All methods may be called from any thread.
 */
final class Readings {

    /** The time after the begin of the measured phase, in seconds, within which the first reading becomes the base of its amounts. */
    private static final double SOON_SECONDS = 0.3;
    private static final double OLD_SECONDS = 3;
    /**
     * The minimum length of the steps, in seconds, among which the busiest second is looked for; the system counts CPU time in hundredths
     * of a second.
     */
    private static final double LEAST_STEP = 0.5;

    private final double machineBytes;
    private @Nullable Reading last;
    private boolean fresh;
    private Reading sinceTaken = noGrowth();
    private Reading sinceBegin = noGrowth();
    private Reading most = new Reading();
    /** The growth during the last step that was long enough, and since then. */
    private Reading step = noGrowth();
    private Reading rest = noGrowth();
    private boolean measuring;
    private double begun;
    private double residentSum;
    private long residentCount;

    /**
     * Creates an empty series.
     *
     * @param machineBytes memory of the machine, in bytes; -1 when it is not known
     */
    Readings(long machineBytes) {
        this.machineBytes = machineBytes <= 0 ? Double.NaN : machineBytes;
    }

    /** Returns a reading with amounts of 0. */
    static Reading noGrowth() {
        Reading none = new Reading();
        for (ProcessFigure figure : ProcessFigure.AMOUNTS) {
            none.set(figure, 0);
        }
        return none;
    }

    /** Adds the growth of the amounts to a total. The total is unknown as soon as one end of the growth is. */
    private static void grow(Reading total, Reading before, Reading now) {
        for (ProcessFigure figure : ProcessFigure.AMOUNTS) {
            double grown = now.get(figure) - before.get(figure);
            total.set(figure, total.get(figure) + (grown < 0 ? now.get(figure) : grown));
        }
    }

    private static double cpuPercent(Reading growth) {
        return 100 * growth.get(ProcessFigure.CPU_SECONDS) / growth.get(ProcessFigure.SECONDS);
    }

    void add(Reading now) {
        add(now, false);
    }

    /**
     * Adds a reading.
     *
     * @param catchingUp whether the amounts include usage from before the last reading, which must not count for the busiest second
     */
    synchronized void add(Reading now, boolean catchingUp) {
        Reading before = last;
        last = now;
        double seconds = now.get(ProcessFigure.SECONDS);
        if (before != null && seconds > before.get(ProcessFigure.SECONDS)) {
            grow(sinceTaken, before, now);
            fresh = true;
            if (measuring && (before.get(ProcessFigure.SECONDS) >= begun || seconds - begun >= SOON_SECONDS)) {
                grow(sinceBegin, before, now);
                if (catchingUp) {
                    step = noGrowth();
                    rest = noGrowth();
                } else {
                    grow(rest, before, now);
                }
                if (rest.get(ProcessFigure.SECONDS) >= LEAST_STEP) {
                    step = rest;
                    rest = noGrowth();
                    raise(ProcessFigure.CPU_PERCENT, cpuPercent(step));
                }
            }
        }
        if (measuring) {
            ProcessFigure.LEVELS.forEach(level -> raise(level, now.get(level)));
            if (now.knows(ProcessFigure.RESIDENT_BYTES)) {
                residentSum += now.get(ProcessFigure.RESIDENT_BYTES);
                residentCount++;
            }
        }
    }

    private void raise(ProcessFigure figure, double value) {
        most.set(figure, greater(most.get(figure), value));
    }

    private static double greater(double known, double value) {
        return Double.isNaN(known) || value > known ? value : known;
    }

    /** Begins the measured phase, and discards what was counted for an earlier one. */
    synchronized void begin(long nanos) {
        measuring = true;
        begun = nanos / 1e9;
        sinceBegin = noGrowth();
        most = new Reading();
        step = noGrowth();
        rest = noGrowth();
        residentSum = 0;
        residentCount = 0;
    }

    /** Returns whether there was any reading. */
    synchronized boolean isKnown() {
        return last != null;
    }

    /**
     * Returns the current levels, and the growth of the amounts since the last call; null without a new reading or after only a first one.
     */
    synchronized @Nullable Reading take() {
        return last == null || !fresh ? null : taken(last);
    }

    /** Returns the same as {@link #take()}, but also without a new reading, unless the last one is more than three seconds old. */
    synchronized @Nullable Reading takeRecent(long nanos) {
        return last == null || nanos / 1e9 - last.get(ProcessFigure.SECONDS) > OLD_SECONDS ? null : taken(last);
    }

    private Reading taken(Reading now) {
        Reading taken = sinceTaken;
        ProcessFigure.LEVELS.forEach(level -> taken.set(level, now.get(level)));
        sinceTaken = noGrowth();
        fresh = false;
        return taken.set(ProcessFigure.CPU_PERCENT, cpuPercent(taken)).set(ProcessFigure.MEMORY_PERCENT,
            share(now.get(ProcessFigure.RESIDENT_BYTES)));
    }

    /**
     * The figures of the measured phase so far.
     *
     * @param mean amounts, and means of those levels that have one; amounts are unknown without two readings
     * @param most highest levels
     */
    record Whole(Reading mean, Reading most) {

        Whole or(Whole other) {
            return new Whole(mean.or(other.mean), most.or(other.most));
        }

        /** Returns this part followed by that of a successor. */
        Whole then(Whole later) {
            return new Whole(mean.plus(later.mean), most.greatest(later.most));
        }

        /** Returns the sum of both. The highest levels are added, although they need not have occurred at the same time. */
        Whole plus(Whole other) {
            return new Whole(mean.plus(other.mean), most.plus(other.most));
        }
    }

    synchronized Whole whole() {
        Reading mean = sinceBegin.get(ProcessFigure.SECONDS) > 0 ? sinceBegin.or(new Reading()) : new Reading();
        double resident = residentCount == 0 ? Double.NaN : residentSum / residentCount;
        mean.set(ProcessFigure.CPU_PERCENT, cpuPercent(mean)).set(ProcessFigure.RESIDENT_BYTES, resident)
            .set(ProcessFigure.MEMORY_PERCENT, share(resident));
        // Where no step was long enough, only the mean is known.
        double busiest = greater(most.get(ProcessFigure.CPU_PERCENT), mean.get(ProcessFigure.CPU_PERCENT));
        if (step.get(ProcessFigure.SECONDS) > 0) {
            Reading last = step.plus(rest).set(ProcessFigure.SECONDS, step.get(ProcessFigure.SECONDS) + rest.get(ProcessFigure.SECONDS));
            busiest = greater(busiest, cpuPercent(last));
        }
        return new Whole(mean,
            most.or(new Reading()).set(ProcessFigure.CPU_PERCENT, busiest).set(ProcessFigure.MEMORY_PERCENT,
                share(most.get(ProcessFigure.RESIDENT_BYTES))));
    }

    private double share(double bytes) {
        return 100 * bytes / machineBytes;
    }
}
