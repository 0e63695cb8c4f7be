package io.brokermeter.cluster.clock;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The band of lines that all probes allow. A probe leaves the agent at {@code t1} of the agent's clock, arrives at the coordinator at
 * {@code t2} of the coordinator's, leaves it at {@code t3} and arrives at the agent at {@code t4}. With theta the agent's clock minus the
 * coordinator's, and since nothing arrives before it was sent, whatever the delays are:
 *
 * <pre>
 *   theta(t1) &gt;= t1 - t2        theta(t4) &lt;= t4 - t3
 * </pre>
 *
 * As long as theta is a line a + b t, |b| &lt;= 500 ppm, the lines that obey all of this are a polygon in (a, b). The middle of its extent
 * at a moment is the estimate there, half of it a bound that holds for every asymmetry of the path; the two ends may come from different
 * probes. Probes that had to wait are no constraint at all. (The hard-margin form of the line of Geng et al., "Exploiting a natural network
 * effect for scalable, fine-grained clock synchronization", NSDI 2018; the linear program of Moon, Skelly and Towsley, INFOCOM 1999; theta
 * as in RFC 5905.)
 *
 * <p>A clock that the kernel steers does not run quite straight. So only the probes of a minute count, and one that is a time d away from
 * the moment asked for is loosened by d times {@link #WANDER}: the bound stays hard as long as the drift changes by less than that within a
 * minute.
 *
 * <p>When no line is left, a clock stepped, or ran beyond the limits. The probes since then make a band of their own, and a
 * {@link ClockStep} says when and by how much. A step that leaves a line is not detected: its size is less than the width of the band, and
 * until its probes are a minute old the bound can be wrong by about as much.
 *
 * <p>Memory is bounded: at most {@value #MOST_PROBES} probes. Not thread-safe.
 */
public final class OffsetBand {

    /** The greatest drift between two clocks, seconds for each second: the limit of the kernel's own correction (500 ppm). */
    public static final double MAX_DRIFT = 500e-6;
    /** The greatest change of the drift within a minute, seconds for each second. */
    public static final double WANDER = 1e-6;
    /** The time for which a probe counts, nanoseconds. */
    public static final long WINDOW = 60_000_000_000L;

    private static final int MOST_PROBES = 16_384;
    private static final int MOST_STEPS = 1_000;
    /** The error of the stamps themselves, nanoseconds: their unit. */
    private static final double GRAIN = 1;
    /** The smallest window, nanoseconds; windows are halved down to this. */
    private static final long LEAST_WINDOW = 1_000_000;
    /** The time within which steps count as one, and after which the size of a step is reported, nanoseconds. */
    private static final long SETTLED = 1_000_000_000L;

    private final double wander;
    private final ConvexHullBound lower = new ConvexHullBound(false, MOST_PROBES);
    private final ConvexHullBound upper = new ConvexHullBound(true, MOST_PROBES);
    private final List<ClockStep> steps = new ArrayList<>();
    private int settled;

    /** The moment since which points count: those before it belong to the time before a step, or are too old. */
    private long begin;
    private boolean began;
    /** Whether the following line is known: one that all points allow, for the usual case that a new point allows it as well. */
    private boolean known;
    private long knownAt;
    private long knownBase;
    private double knownHeight;
    private double knownSlope;
    /** A step whose size is not reported yet, and the offset at its end that there would be without it. */
    private @Nullable ClockStep open;
    private @Nullable Offset without;

    /** Creates a band without probes, for clocks whose drift wanders by at most {@link #WANDER}. */
    public OffsetBand() {
        this(WANDER);
    }

    /** Creates a band without probes, for clocks with a given wander: 0 for clocks that run exactly straight. */
    OffsetBand(double wander) {
        this.wander = wander;
    }

    /**
     * Adds a probe. Probes may be added in any order.
     *
     * @param t1 when it was sent, agent's clock
     * @param t2 when it was received, coordinator's clock
     * @param t3 when it was sent back, coordinator's clock
     * @param t4 when it was received, agent's clock
     * @return true if this probe showed that a clock had stepped
     */
    public boolean add(long t1, long t2, long t3, long t4) {
        if (!began) {
            began = true;
            begin = t1;
        }
        boolean stepped = add(lower, t1, t1 - t2);
        stepped |= add(upper, t4, t4 - t3);
        forget();
        if (open != null && newest() - open.to() > SETTLED) {
            settle();
        }
        return stepped;
    }

    private boolean add(ConvexHullBound bounds, long place, long height) {
        if (place - begin < 0) {
            return false;
        }
        if (bounds.size() > 0 && place - bounds.place(bounds.size() - 1) < -WINDOW) {
            return false;
        }
        bounds.add(place, height);
        if (lower.size() == 0 || upper.size() == 0) {
            return false;
        }
        if (known && allows(bounds == upper, place, height)) {
            return false;
        }
        if (learn(begin)) {
            return false;
        }
        split(place);
        return true;
    }

    private boolean allows(boolean above, long place, long height) {
        double line = knownHeight + knownSlope * (place - knownAt);
        double point = height - knownBase;
        return above ? line <= point : line >= point;
    }

    /** Finds a line that all points since a moment allow, relative to the newest point. Returns false if there is none. */
    private boolean learn(long since) {
        long now = newest();
        if (!hulls(now, since, now)) {
            return true;
        }
        FeasibleLines lines = FeasibleLines.between(lower, upper, MAX_DRIFT);
        known = lines != null;
        if (lines != null) {
            knownAt = now;
            knownBase = base();
            knownHeight = lines.height();
            knownSlope = lines.slope();
        }
        return known;
    }

    private boolean hulls(long center, long from, long to) {
        long base = base();
        return lower.hull(from, to, center, base, wander, GRAIN) & upper.hull(from, to, center, base, wander, GRAIN);
    }

    /** Returns a height to which those of all points are close, so that differences are small. */
    private long base() {
        return lower.height(lower.size() - 1);
    }

    private long newest() {
        long sent = lower.size() == 0 ? begin : lower.place(lower.size() - 1);
        return upper.size() == 0 ? sent : Math.max(upper.place(upper.size() - 1) - sent, 0) + sent;
    }

    /**
     * Splits the points where a clock stepped: the point at {@code place} fits no line with those before. The points that fit a line with
     * it, if they reach back without a gap, may belong to either side: the step is after the last point that fits none, and not after the
     * new one. Only points that are certainly after the step are kept.
     */
    private void split(long place) {
        long fits = firstThatFits(place);
        long last = lastBefore(fits);
        if (open != null && last - open.to() > SETTLED) {
            settle();
        }
        if (open == null) {
            // What the clocks would show without the step, from the points that are certainly before it.
            long near = place - last > WINDOW / 2 ? last : place;
            Offset before = at(near, begin, last);
            without = before == null ? null : later(before, place);
            open = new ClockStep(last, place, 0, 0, 1);
        } else {
            open = new ClockStep(open.from(), place, 0, 0, open.times() + 1);
            without = without == null ? null : later(without, place);
        }
        begin = place;
        lower.dropBefore(place);
        upper.dropBefore(place);
        known = false;
    }

    /** Returns the earliest moment since which all points allow a line. */
    private long firstThatFits(long place) {
        long no = begin;
        long yes = place;
        while (yes - no > 1) {
            long middle = no + (yes - no) / 2;
            if (learn(middle)) {
                yes = middle;
            } else {
                no = middle;
            }
        }
        return yes;
    }

    /** Returns the moment of the last point before a given moment. */
    private long lastBefore(long moment) {
        return Math.max(lastBefore(lower, moment) - begin, lastBefore(upper, moment) - begin) + begin;
    }

    private long lastBefore(ConvexHullBound bounds, long moment) {
        for (int i = bounds.size() - 1; i >= 0; i--) {
            if (bounds.place(i) - moment < 0) {
                return bounds.place(i);
            }
        }
        return begin;
    }

    /** Extrapolates an estimate to a later moment; the bound grows accordingly. */
    private static Offset later(Offset offset, long moment) {
        double by = moment - offset.at();
        return new Offset(moment, offset.offset() + Math.round(by * offset.drift()),
            offset.bound() + (long) Math.ceil(Math.abs(by) * (offset.driftBound() + WANDER)), offset.drift(), offset.driftBound());
    }

    /** Fixes the size of the open step, as it is known now. */
    private void settle() {
        ClockStep step = open;
        open = null;
        if (step == null) {
            return;
        }
        ClockStep told = size(step);
        if (steps.size() == MOST_STEPS) {
            steps.removeFirst();
        }
        steps.add(told);
        settled++;
    }

    private ClockStep size(ClockStep step) {
        Offset now = at(step.to());
        Offset then = without;
        if (now == null || then == null) {
            return new ClockStep(step.from(), step.to(), 0, Long.MAX_VALUE, step.times());
        }
        long by = now.offset() - then.offset();
        // It is unknown whether the drift continued while the agent's clock jumped.
        long drifted = (long) Math.ceil(Math.abs((double) by) * (Math.abs(then.drift()) + then.driftBound()));
        return new ClockStep(step.from(), step.to(), by, now.bound() + then.bound() + drifted, step.times());
    }

    private void forget() {
        long oldest = newest() - WINDOW;
        lower.dropBefore(oldest);
        upper.dropBefore(oldest);
        lower.thin(newest());
        upper.thin(newest());
        if (oldest - begin > 0) {
            begin = oldest;
        }
    }

    /**
     * Returns the estimate for a moment, from the probes before and after it that are still kept. The bound for a moment after the last
     * probe grows with the time since.
     *
     * @param moment by the agent's clock
     * @return null if there is no probe on the same side of a step
     */
    public @Nullable Offset at(long moment) {
        return at(moment, begin, moment + WINDOW);
    }

    private @Nullable Offset at(long moment, long from, long to) {
        long width = WINDOW;
        while (width >= LEAST_WINDOW) {
            long first = Math.max(from - moment, -width) + moment;
            long last = Math.min(to - moment, width) + moment;
            if (lower.size() == 0 || upper.size() == 0 || !hulls(moment, first, last)) {
                return null;
            }
            FeasibleLines lines = FeasibleLines.between(lower, upper, MAX_DRIFT);
            if (lines != null) {
                double half = (lines.high() - lines.low()) / 2;
                long offset = base() + Math.round(lines.low() + half);
                return new Offset(moment, offset, (long) Math.ceil(half) + 1, (lines.leastSlope() + lines.mostSlope()) / 2,
                    (lines.mostSlope() - lines.leastSlope()) / 2);
            }
            width /= 2;
        }
        return null;
    }

    /** Returns the moment since which there was no step, or that of the oldest probe that is kept, by the agent's clock. */
    public long begin() {
        return begin;
    }

    /** Returns the number of steps whose sizes are final. */
    int settled() {
        return settled;
    }

    /** Returns the steps whose sizes are final, without the first {@code count} ones; at most the last thousand. */
    List<ClockStep> settledSince(int count) {
        int missing = settled - steps.size();
        return List.copyOf(steps.subList(Math.clamp(count - missing, 0, steps.size()), steps.size()));
    }

    /** Returns the steps so far, in order; at most the last thousand. The size of a step of the last second may still become more exact. */
    public List<ClockStep> steps() {
        List<ClockStep> all = new ArrayList<>(steps);
        if (open != null) {
            all.add(size(open));
        }
        return all;
    }
}
