package io.brokermeter.engine.recording;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.HdrHistogram.Histogram;

/**
 * All lanes of a run, by group and metric, and what has been taken from them. {@link #lane} is called while the run is set
 * up, the rest by the one thread that reports. What an interval takes does not depend on how many endpoints there are, and is
 * put into histograms that are made once.
 */
public final class Recording {

    /** The most memory that the cells of one lane may take for one phase and stripe. */
    private static final long STRIPE_BYTES = 8L * Lane.PAGES * Lane.PAGE_CELLS;
    /** What the cells of all stripes may take is this part of the memory, where one stripe alone takes less. */
    private static final int PART = 8;
    /** Lanes of a group: times of sends and how late they were, or of transfers, responses and late deliveries. */
    private static final int LANES = 3;

    private final int phases;
    /** The phases, and behind them what was due in the warm-up and happened after it. */
    private final int slots;
    private final int firstMeasured;
    private final int stripes;
    private final Histogram taken = new Histogram(1, Lane.HIGHEST, Lane.DIGITS);
    private final List<Source> sources = new ArrayList<>();
    private final Map<Metric, Sum> measured = new EnumMap<>(Metric.class);
    private final Map<Metric, Sum> warm = new EnumMap<>(Metric.class);
    private final Map<Metric, Sum> total = new EnumMap<>(Metric.class);
    private final Map<Metric, Sum> overdue = new EnumMap<>(Metric.class);
    private final Map<Integer, Map<Metric, Sum>> byGroup = new HashMap<>();
    private final Map<Integer, Map<Metric, Sum>> byPhase = new HashMap<>();
    private final boolean manyGroups;

    private record Source(Metric metric, int group, Lane lane) {}

    /**
     * A recording without samples.
     *
     * @param warmup whether the first phase is a warm-up, which stays out of the totals
     * @param phases number of phases, a warm-up included; at least 1. Samples come by {@link PhaseTimes#of(long, long)}
     * @param groups number of groups
     * @param manyGroups whether totals of single groups are wanted
     */
    public Recording(boolean warmup, int phases, int groups, boolean manyGroups) {
        this.phases = phases;
        this.slots = warmup ? phases + 1 : phases;
        this.stripes = stripes(slots, groups);
        this.firstMeasured = warmup ? 1 : 0;
        this.manyGroups = manyGroups;
        for (Metric metric : Metric.values()) {
            measured.put(metric, new Sum());
            warm.put(metric, new Sum());
            total.put(metric, new Sum());
        }
    }

    /** Two stripes for each processor, so that threads which record at once seldom share one; fewer where phases and groups are many. */
    private static int stripes(int phases, int groups) {
        long wanted = Integer.highestOneBit(Math.min(64, 2 * Runtime.getRuntime().availableProcessors() - 1)) * 2L;
        long room = Runtime.getRuntime().maxMemory() / PART / (STRIPE_BYTES * LANES * phases * Math.max(1, groups));
        return (int) Math.max(1, Math.min(wanted, Long.highestOneBit(room)));
    }

    /** The lane of a metric of a group, the same for all who ask. */
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

    /** Takes what was recorded since the last call: measured samples, valid until the next call. */
    public void drain() {
        measured.values().forEach(Sum::reset);
        warm.values().forEach(Sum::reset);
        for (Source source : sources) {
            Metric metric = source.metric;
            for (int phase = 0; phase < slots; phase++) {
                source.lane.drain(phase, taken);
                if (taken.getTotalCount() > 0) {
                    add(source, phase);
                    taken.reset();
                }
            }
            long negative = source.lane.drainNegative();
            long clamped = source.lane.drainClamped();
            of(measured, metric).odd(negative, clamped);
            of(total, metric).odd(negative, clamped);
            if (manyGroups && negative + clamped > 0) {
                of(byGroup.computeIfAbsent(source.group, g -> new EnumMap<>(Metric.class)), metric).odd(negative, clamped);
            }
        }
    }

    private void add(Source source, int phase) {
        Metric metric = source.metric;
        if (phase < firstMeasured || phase == phases) {
            of(warm, metric).add(taken);
            if (phase == phases) {
                of(overdue, metric).add(taken);
            }
            return;
        }
        of(measured, metric).add(taken);
        of(total, metric).add(taken);
        if (manyGroups) {
            of(byGroup.computeIfAbsent(source.group, g -> new EnumMap<>(Metric.class)), metric).add(taken);
        }
        if (phases > firstMeasured + 1) {
            of(byPhase.computeIfAbsent(phase, p -> new EnumMap<>(Metric.class)), metric).add(taken);
        }
    }

    /** Measured samples of the last {@link #drain}. */
    public Map<Metric, Distribution> measured() {
        return distributions(measured);
    }

    /** Warm-up samples of the last {@link #drain}. */
    public Map<Metric, Distribution> warmup() {
        return distributions(warm);
    }

    /** Measured samples of the whole run so far. */
    public Map<Metric, Distribution> total() {
        return distributions(total);
    }

    /**
     * Samples that were taken in the measured part so far, whenever their messages were due: those of {@link #total} and those that came
     * late from the warm-up.
     */
    public Map<Metric, Distribution> taken() {
        Map<Metric, Sum> sums = new EnumMap<>(Metric.class);
        for (Map<Metric, Sum> part : List.of(total, overdue)) {
            part.forEach((metric, sum) -> of(sums, metric).add(sum));
        }
        return distributions(sums);
    }

    /** How many samples of a metric so far came late from the warm-up. */
    public long overdue(Metric metric) {
        Sum sum = overdue.get(metric);
        return sum == null ? 0 : sum.histogram.getTotalCount();
    }

    /** Measured samples of one group so far; those of the whole run when there is only one group of each kind. */
    public Map<Metric, Distribution> group(int group) {
        return manyGroups ? distributions(byGroup.getOrDefault(group, Map.of())) : total();
    }

    /** Samples of one phase so far, by its number with the warm-up counted. */
    public Map<Metric, Distribution> phase(int phase) {
        return phases > firstMeasured + 1 ? distributions(byPhase.getOrDefault(phase, Map.of())) : total();
    }

    private static Sum of(Map<Metric, Sum> sums, Metric metric) {
        return sums.computeIfAbsent(metric, m -> new Sum());
    }

    private static Map<Metric, Distribution> distributions(Map<Metric, Sum> sums) {
        Map<Metric, Distribution> all = new EnumMap<>(Metric.class);
        for (Metric metric : Metric.values()) {
            Sum sum = sums.get(metric);
            all.put(metric, sum == null ? EMPTY.distribution() : sum.distribution());
        }
        return all;
    }

    private static final Sum EMPTY = new Sum();

    /** Samples of one metric; without any it holds no histogram of full size. */
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

        Distribution distribution() {
            return new Distribution(histogram, negative, clamped);
        }
    }
}
