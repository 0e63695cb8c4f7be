package io.brokermeter.brokers.observe;

import org.jspecify.annotations.Nullable;

/**
 * Readings of one source, as they become samples and the figures of the measured phase. An amount that falls was begun
 * anew, as by a broker that was started again. All methods may be called from any thread.
 */
final class Readings {

    /** A reading that comes this soon after the begin of the measured phase is where that is counted from. */
    private static final double SOON_SECONDS = 0.3;
    private static final double OLD_SECONDS = 3;
    /** The busiest second is looked for in steps of this length: the system counts CPU time in hundredths of a second. */
    private static final double LEAST_STEP = 0.5;

    private final double machineBytes;
    private @Nullable Reading last;
    private boolean fresh;
    private Reading sinceTaken = noGrowth();
    private Reading sinceBegin = noGrowth();
    private Reading most = new Reading();
    /** The last step that was long enough, and what came after it. */
    private Reading step = noGrowth();
    private Reading rest = noGrowth();
    private boolean measuring;
    private double begun;
    private double residentSum;
    private long residentCount;

    /** @param machineBytes memory of the machine, -1 when it is not known */
    Readings(long machineBytes) {
        this.machineBytes = machineBytes <= 0 ? Double.NaN : machineBytes;
    }

    /** Amounts of 0. */
    static Reading noGrowth() {
        Reading none = new Reading();
        for (ProcessFigure figure : ProcessFigure.AMOUNTS) {
            none.set(figure, 0);
        }
        return none;
    }

    /** Adds what amounts grew by; unknown as soon as one end is. */
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

    /** @param catchingUp whether amounts have what was used before the last reading, too, which tells nothing of the busiest second */
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

    /** The measured phase begins: forgets what was counted for it before. */
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

    /** Whether there was any reading. */
    synchronized boolean isKnown() {
        return last != null;
    }

    /** Levels as they are, and what amounts grew by since the last call; null when nothing came, or a first reading alone. */
    synchronized @Nullable Reading take() {
        return last == null || !fresh ? null : taken(last);
    }

    /** The same, also without a new reading, unless the last one is old. */
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
     * The measured phase so far.
     *
     * @param mean amounts, and of levels the mean where there is one; amounts are unknown without two readings
     * @param most the greatest levels
     */
    record Whole(Reading mean, Reading most) {

        Whole or(Whole other) {
            return new Whole(mean.or(other.mean), most.or(other.most));
        }

        /** This one, and after it what took its place. */
        Whole then(Whole later) {
            return new Whole(mean.plus(later.mean), most.greatest(later.most));
        }

        /** The greatest levels are added, although they need not have been at one moment. */
        Whole plus(Whole other) {
            return new Whole(mean.plus(other.mean), most.plus(other.most));
        }
    }

    synchronized Whole whole() {
        Reading mean = sinceBegin.get(ProcessFigure.SECONDS) > 0 ? sinceBegin.or(new Reading()) : new Reading();
        double resident = residentCount == 0 ? Double.NaN : residentSum / residentCount;
        mean.set(ProcessFigure.CPU_PERCENT, cpuPercent(mean)).set(ProcessFigure.RESIDENT_BYTES, resident)
            .set(ProcessFigure.MEMORY_PERCENT, share(resident));
        // Where no step was long enough, the mean is all that is known.
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
