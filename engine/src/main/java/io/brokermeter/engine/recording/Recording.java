package io.brokermeter.engine.recording;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.brokermeter.engine.recording.lane.Lane;
import io.brokermeter.engine.scenario.measure.Metric;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * All lanes of a run, by group and metric, and the samples that were taken from them. {@link #lane} is called while the run is
 * set up, the other methods by the one thread that reports. The cost of an interval does not depend on the number of endpoints,
 * and its samples are put into histograms that are created once.
 */
public final class Recording {

    /** The largest memory of the cells of one lane for one phase and stripe, in bytes. */
    private static final long STRIPE_BYTES = 8L * Lane.PAGES * Lane.PAGE_CELLS;
    /** The divisor of the JVM's maximum memory that yields the limit for all cells; a single stripe may take more. */
    private static final int PART = 8;
    /** The number of lanes of a group: send times and delays, or transfers, responses, late deliveries and handlers. */
    private static final int LANES = 4;

    private final int phases;
    /** The number of phases, plus one for what was due in a warm-up and happened after it. */
    private final int slots;
    private int firstMeasured;
    /** Whether the last samples were those of an interval that is over, so that the next ones belong to another one. */
    private boolean drained = true;
    /** Samples of the current step of a warm-up that may be extended; null if it is over, or there is none. */
    private @Nullable Sums step;
    private final int stripes;
    private final Histogram taken = new Histogram(1, Lane.HIGHEST, Lane.DIGITS);
    /** The number of samples in {@link #taken} above its range; {@code negative} is the number of samples below zero, not in it. */
    private long clamped;
    private long negative;
    private final List<Source> sources = new ArrayList<>();
    private final Sums measured = new Sums();
    private final Sums warm = new Sums();
    private final Sums total = new Sums();
    private final Sums overdue = new Sums();
    private final Map<Integer, Sums> byGroup = new HashMap<>();
    private final Map<Integer, Sums> byPhase = new HashMap<>();
    private final boolean manyGroups;
    /** The lanes from which measured samples came. */
    private final Set<Source> measuredFrom = new HashSet<>();

    private record Source(Metric metric, int group, Lane lane) {}

    /**
     * Creates a recording without samples.
     *
     * @param warmup whether the first phase is a warm-up, which is not part of the totals
     * @param phases number of phases, a warm-up included; at least 1. Samples are assigned by {@link PhaseTimes#of(long, long)}
     * @param groups number of groups
     * @param manyGroups whether totals of single groups are kept
     */
    public Recording(boolean warmup, int phases, int groups, boolean manyGroups) {
        this.phases = phases;
        this.slots = warmup ? phases + 1 : phases;
        this.stripes = stripes(Runtime.getRuntime().availableProcessors(), Runtime.getRuntime().maxMemory(), slots, groups);
        this.firstMeasured = warmup ? 1 : 0;
        this.manyGroups = manyGroups;
    }

    /** Returns two stripes for each processor, so that threads rarely share one; fewer if there are many phases and groups. */
    static int stripes(int processors, long memory, int phases, int groups) {
        long wanted = Integer.highestOneBit(Math.min(64, 2 * processors - 1)) * 2L;
        long room = memory / PART / (STRIPE_BYTES * LANES * phases * Math.max(1, groups));
        return (int) Math.max(1, Math.min(wanted, Long.highestOneBit(room)));
    }

    /** Returns the lane of a metric of a group, which is the same for all callers. */
    public Lane lane(Metric metric, int group) {
        for (Source source : sources) {
            if (source.metric == metric && source.group == group) {
                return source.lane;
            }
        }
        Lane lane = new Lane(slots, stripes);
        sources.add(new Source(metric, group, lane));
        return lane;
    }

    /** Takes the samples that were recorded since the last call. They are available until the next call. */
    public void drain() {
        take();
        drained = true;
    }

    /** Takes the samples that were recorded so far, in the midst of an interval. */
    public void take() {
        if (drained) {
            measured.reset();
            warm.reset();
            drained = false;
        }
        for (Source source : sources) {
            for (int phase = 0; phase < slots; phase++) {
                if (step != null && phase >= firstMeasured) {
                    // Whether this phase is measured is not decided.
                    continue;
                }
                source.lane.drain(phase, taken);
                negative = source.lane.drainNegative(phase);
                clamped = source.lane.drainClamped(phase);
                if (taken.getTotalCount() > 0 || negative > 0) {
                    add(source, phase);
                    taken.reset();
                }
            }
        }
    }

    private void add(Source source, int phase) {
        Metric metric = source.metric;
        if (step != null) {
            addTo(step, metric);
        }
        if (phase < firstMeasured || phase == phases) {
            addTo(warm, metric);
            // What was due in a part of the warm-up and comes behind all of them is overdue.
            if (phase > 0 && step == null) {
                addTo(overdue, metric);
            }
            return;
        }
        addTo(measured, metric);
        addTo(total, metric);
        measuredFrom.add(source);
        if (manyGroups) {
            addTo(byGroup.computeIfAbsent(source.group, g -> new Sums()), metric);
        }
        if (phases > firstMeasured + 1) {
            addTo(byPhase.computeIfAbsent(phase, p -> new Sums()), metric);
        }
    }

    /** Adds the samples that were taken last from a lane. */
    private void addTo(Sums sums, Metric metric) {
        Sum sum = sums.of(metric);
        if (taken.getTotalCount() > 0) {
            sum.add(taken);
        }
        sum.odd(negative, clamped);
    }

    /** Begins a step of a warm-up that may be extended. */
    public void beginStep() {
        if (step == null) {
            step = new Sums();
        }
        step.reset();
    }

    /** Returns the median of the samples that were taken in the current step, in nanoseconds; NaN if there are none. */
    public double stepMedian(Metric metric) {
        Distribution samples = step == null ? null : step.of(metric).distribution();
        return samples == null || samples.count() == 0 ? Double.NaN : samples.nanosAt(50);
    }

    /** Extends the warm-up by the next phase, of which no sample was taken yet. */
    public void extendWarmup() {
        firstMeasured++;
    }

    /** Ends a warm-up that may be extended. */
    public void endWarmup() {
        step = null;
    }

    /** Returns the measured samples of the last {@link #drain}. */
    public Map<Metric, Distribution> measured() {
        return measured.distributions();
    }

    /** Returns the warm-up samples of the last {@link #drain}. */
    public Map<Metric, Distribution> warmup() {
        return warm.distributions();
    }

    /** Returns the measured samples of the whole run so far. */
    public Map<Metric, Distribution> total() {
        return total.distributions();
    }

    /**
     * Returns the samples that were taken in the measured part so far, whenever their messages were due: those of {@link #total} and
     * those that came late from the warm-up.
     */
    public Map<Metric, Distribution> taken() {
        Sums sums = new Sums();
        for (Metric metric : Metric.values()) {
            sums.of(metric).add(total.of(metric));
            sums.of(metric).add(overdue.of(metric));
        }
        return sums.distributions();
    }

    /** Returns the number of samples of a metric so far that came late from the warm-up. */
    public long overdue(Metric metric) {
        return overdue.of(metric).histogram.getTotalCount();
    }

    /**
     * Returns the measured samples of one group so far. If there is only one group of each kind, they are those of the whole run, of the
     * metrics that this group records.
     */
    public Map<Metric, Distribution> group(int group) {
        if (manyGroups) {
            return byGroup.getOrDefault(group, new Sums()).distributions();
        }
        Map<Metric, Distribution> all = new Sums().distributions();
        measuredFrom.stream().filter(source -> source.group == group)
            .forEach(source -> all.put(source.metric, total.of(source.metric).distribution()));
        return all;
    }

    /** Returns the samples of one phase so far, by its number with the warm-up counted. */
    public Map<Metric, Distribution> phase(int phase) {
        return phases > firstMeasured + 1 ? byPhase.getOrDefault(phase, new Sums()).distributions() : total();
    }

    /** Samples of every metric. */
    private static final class Sums {

        private final Map<Metric, Sum> byMetric = new EnumMap<>(Metric.class);

        Sums() {
            for (Metric metric : Metric.values()) {
                byMetric.put(metric, new Sum());
            }
        }

        Sum of(Metric metric) {
            return Objects.requireNonNull(byMetric.get(metric));
        }

        void reset() {
            byMetric.values().forEach(Sum::reset);
        }

        Map<Metric, Distribution> distributions() {
            Map<Metric, Distribution> all = new EnumMap<>(Metric.class);
            byMetric.forEach((metric, sum) -> all.put(metric, sum.distribution()));
            return all;
        }
    }

    /** Samples of one metric. Without samples it holds no histogram of full size. */
    private static final class Sum {

        private static final Histogram NOTHING = new Histogram(1, 2, 1);

        private Histogram histogram = NOTHING;
        private long negative;
        private long clamped;

        void add(Histogram samples) {
            if (histogram == NOTHING) {
                histogram = new Histogram(1, Lane.HIGHEST, Lane.DIGITS);
            }
            histogram.add(samples);
        }

        void add(Sum other) {
            if (other.histogram != NOTHING) {
                add(other.histogram);
            }
            odd(other.negative, other.clamped);
        }

        Distribution distribution() {
            return new Distribution(histogram, negative, clamped);
        }

        void odd(long moreNegative, long moreClamped) {
            negative += moreNegative;
            clamped += moreClamped;
        }

        void reset() {
            if (histogram != NOTHING) {
                histogram.reset();
            }
            negative = 0;
            clamped = 0;
        }
    }
}
