package io.brokermeter.engine.recording.confidence;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToLongFunction;

import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.scenario.measure.Metric;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * The measured part of a run in equally long sections, and what their differences say about its figures. Fed with the intervals of the
 * run; whenever there are too many sections, neighbours are joined, so a run of any length keeps {@value #MOST} at most. Not thread-safe.
 *
 * <p>Messages are no independent samples: those behind one slow message are slow, too. How many of a section lie beyond a percentile of the
 * whole run differs from section to section by more than chance would have it, and the variance of that number is the uncertainty of the
 * percentile's rank (sectioning: Asmussen and Glynn, Stochastic Simulation, III.5). The rank is normal on the scale of log-odds, with a
 * quantile of Student's distribution, and the interval of the value is that between the two ranks. The variance is the larger one of those of
 * ten sections and of twenty; where it is no larger than chance explains, it is that of independent samples.
 *
 * <p>A variance that is that of <i>n</i> independent values beyond a percentile is evidence of <i>n</i> episodes. An estimate from few
 * episodes is small just where it is wrong. It is therefore at least what the episodes beyond the percentile that twice as many samples
 * exceed let expect, half of which reach this one, and the variance is taken larger by 10 / <i>n</i>. Where <i>n</i> is below
 * {@value #EPISODES}, there is no interval.
 */
public final class Sections {

    /** The least number of episodes beyond a percentile of which a run is evidence. */
    static final int EPISODES = 14;
    private static final int MOST = 40;
    /** The number of sections from which a variance is estimated, and the least number. */
    private static final int FEW = 10;
    private static final int MANY = 20;
    /** The quantile of Student's distribution with 19 degrees of freedom that 2.5 % exceed. */
    private static final double STUDENT = 2.093024;
    /** The number of episodes for which a variance is taken twice. */
    private static final double DOUBTFUL = 10;

    private final List<Section> sections = new ArrayList<>();
    /** The number of intervals of a section, and of those in the last one. */
    private int length = 1;
    private int filled;

    /** Some intervals in sequence; the time of what was sent and received is that of intervals behind the warm-up. */
    private static final class Section {

        private final Map<Metric, Cells> samples = new EnumMap<>(Metric.class);
        private long from = Long.MAX_VALUE;
        private long to = Long.MIN_VALUE;
        private long sent;
        private long received;

        void add(Interval interval) {
            interval.measured().forEach((metric, more) -> {
                if (more.count() > 0) {
                    samples.merge(metric, Cells.of(more.histogram()), Cells::plus);
                }
            });
            if (!interval.warmup()) {
                from = Math.min(from, interval.startEpochNanos());
                to = Math.max(to, interval.endEpochNanos());
                sent += interval.sent();
                received += interval.received();
            }
        }

        void add(Section next) {
            next.samples.forEach((metric, more) -> samples.merge(metric, more, Cells::plus));
            from = Math.min(from, next.from);
            to = Math.max(to, next.to);
            sent += next.sent;
            received += next.received;
        }

        private double secondsWithin(long begin, long end) {
            return Math.max(0, Math.min(to, end) - Math.max(from, begin)) / 1e9;
        }
    }

    /** Adds the next interval of the run, whose histograms are copied. */
    public void add(Interval interval) {
        if (interval.warmup() && interval.measured().values().stream().allMatch(samples -> samples.count() == 0)) {
            return;
        }
        if (sections.isEmpty() || filled == length) {
            if (sections.size() == MOST) {
                for (int i = 0; i < MOST / 2; i++) {
                    sections.get(i).add(sections.remove(i + 1));
                }
                length *= 2;
            }
            sections.add(new Section());
            filled = 0;
        }
        sections.getLast().add(interval);
        filled++;
    }

    /** The stretch of time in which something was counted, in nanoseconds since the epoch. */
    public record Range(long from, long to) {}

    /** Returns how sure the figures are of what was added; {@link Confidences#NONE} for fewer than ten intervals. */
    public Confidences confidences(Range sending, Range receiving) {
        if (sections.size() < FEW) {
            return Confidences.NONE;
        }
        Map<Metric, List<Confidence>> times = new EnumMap<>(Metric.class);
        for (Metric metric : Metric.values()) {
            List<Cells> parts = sections.stream().map(section -> section.samples.get(metric)).filter(Objects::nonNull).toList();
            if (parts.size() >= FEW) {
                Cells all = parts.stream().reduce(Cells::plus).orElseThrow();
                times.put(metric, Distribution.PERCENTILES.stream().map(percentile -> percentile(all, parts, percentile / 100)).toList());
            }
        }
        return new Confidences(times, rate(section -> section.sent, sending), rate(section -> section.received, receiving));
    }

    // ---- percentiles ----

    /**
     * Samples as the cells of a histogram that are not empty.
     *
     * @param values the highest values of the cells, in ascending order
     * @param counts number of samples up to each of them
     */
    private record Cells(long[] values, long[] counts) {

        static Cells of(Histogram samples) {
            long[] values = new long[64];
            long[] counts = new long[64];
            int size = 0;
            for (HistogramIterationValue one : samples.recordedValues()) {
                if (size == values.length) {
                    values = Arrays.copyOf(values, 2 * size);
                    counts = Arrays.copyOf(counts, 2 * size);
                }
                values[size] = one.getValueIteratedTo();
                counts[size++] = one.getTotalCountToThisValue();
            }
            return new Cells(Arrays.copyOf(values, size), Arrays.copyOf(counts, size));
        }

        Cells plus(Cells other) {
            long[] both = new long[values.length + other.values.length];
            long[] sums = new long[both.length];
            int size = 0;
            for (int i = 0, j = 0; i < values.length || j < other.values.length; size++) {
                both[size] =
                    Math.min(i < values.length ? values[i] : Long.MAX_VALUE, j < other.values.length ? other.values[j] : Long.MAX_VALUE);
                i += i < values.length && values[i] == both[size] ? 1 : 0;
                j += j < other.values.length && other.values[j] == both[size] ? 1 : 0;
                sums[size] = (i == 0 ? 0 : counts[i - 1]) + (j == 0 ? 0 : other.counts[j - 1]);
            }
            return new Cells(Arrays.copyOf(both, size), Arrays.copyOf(sums, size));
        }

        long count() {
            return counts[counts.length - 1];
        }

        /** Returns how many samples are at most {@code value}, the highest one of a cell. */
        long upTo(long value) {
            int index = Arrays.binarySearch(values, value);
            int before = index < 0 ? -index - 2 : index;
            return before < 0 ? 0 : counts[before];
        }

        /** Returns the cell of the least value that a share of the samples do not exceed. */
        int cell(double rank) {
            long count = Math.clamp((long) Math.ceil(rank * count() - 1e-6), 1, count());
            int index = Arrays.binarySearch(counts, count);
            return index < 0 ? -index - 1 : index;
        }
    }

    private static Confidence percentile(Cells all, List<Cells> parts, double rank) {
        double beyond = 1 - rank;
        Tail tail = Tail.of(all, parts, beyond);
        double variance = tail.relativeVariance();
        if (!tail.isIndependent() && 2 * beyond < 0.5) {
            variance = Math.max(variance, 2 * Tail.of(all, parts, 2 * beyond).relativeVariance());
        }
        double episodes = rank / variance;
        if (!(episodes >= EPISODES)) {
            return new Confidence(Double.NaN, Double.NaN, Math.max(1, episodes));
        }
        if (!tail.isIndependent()) {
            variance *= 1 + DOUBTFUL / episodes;
        }
        double logOdds = Math.log(rank / beyond);
        double off = STUDENT * Math.sqrt(variance) / rank;
        return new Confidence(at(all, logOdds - off), at(all, logOdds + off), episodes);
    }

    private static long at(Cells all, double logOdds) {
        return all.values[all.cell(1 / (1 + Math.exp(-logOdds)))];
    }

    /**
     * The samples beyond a value.
     *
     * @param share their share of all samples
     * @param variance variance of that share between the sections
     * @param least variance of the share that independent samples would have
     */
    private record Tail(double share, double variance, double least) {

        /** How much larger a variance may be than that of independent samples, which the estimates of independent ones seldom exceed. */
        private static final double BY_CHANCE = 1.5;

        /** Returns the samples beyond the value whose share is the nearest to a given one: many samples may have the same value. */
        static Tail of(Cells all, List<Cells> parts, double beyond) {
            int cell = all.cell(1 - beyond);
            double above = 1 - (double) all.counts[cell] / all.count();
            double from = cell == 0 ? 1 : 1 - (double) all.counts[cell - 1] / all.count();
            long value = above > 0 && from - beyond > beyond - above ? all.values[cell] : cell == 0 ? -1 : all.values[cell - 1];
            double[] counts = new double[parts.size()];
            double[] sizes = new double[parts.size()];
            for (int i = 0; i < counts.length; i++) {
                sizes[i] = parts.get(i).count();
                counts[i] = sizes[i] - parts.get(i).upTo(value);
            }
            Ratio ratio = Ratio.of(counts, sizes);
            return new Tail(ratio.value, ratio.variance, ratio.value * (1 - ratio.value) / all.count());
        }

        boolean isIndependent() {
            return variance <= BY_CHANCE * least;
        }

        /** Returns the variance divided by the square of the share. */
        double relativeVariance() {
            return (isIndependent() ? least : variance) / (share * share);
        }
    }

    // ---- rates ----

    private Confidence rate(ToLongFunction<Section> count, Range within) {
        List<Section> some = sections.stream().filter(section -> section.secondsWithin(within.from, within.to) > 0).toList();
        if (some.size() < FEW) {
            return Confidence.UNKNOWN;
        }
        Ratio ratio = Ratio.of(some.stream().mapToDouble(count::applyAsLong).toArray(),
            some.stream().mapToDouble(section -> section.secondsWithin(within.from, within.to)).toArray());
        double off = STUDENT * Math.sqrt(ratio.variance);
        return new Confidence(Math.max(0, ratio.value - off), ratio.value + off, Double.NaN);
    }

    /**
     * The ratio of two sums over all sections, with the variance that the sections' own ratios let expect: the larger one of those from
     * ten groups of neighbouring sections and from twenty. What lasts longer than a section shows in the former, and rare events in the
     * latter.
     */
    private record Ratio(double value, double variance) {

        static Ratio of(double[] counts, double[] sizes) {
            return new Ratio(sum(counts, 0, counts.length) / sum(sizes, 0, sizes.length),
                Math.max(variance(counts, sizes, FEW), variance(counts, sizes, Math.min(MANY, counts.length))));
        }

        private static double variance(double[] counts, double[] sizes, int groups) {
            double size = sum(sizes, 0, sizes.length);
            double ratio = sum(counts, 0, counts.length) / size;
            double squares = 0;
            for (int group = 0; group < groups; group++) {
                int from = group * counts.length / groups;
                int to = (group + 1) * counts.length / groups;
                double off = sum(counts, from, to) - ratio * sum(sizes, from, to);
                squares += off * off;
            }
            return squares * groups / (groups - 1) / size / size;
        }

        private static double sum(double[] values, int from, int to) {
            double sum = 0;
            for (int i = from; i < to; i++) {
                sum += values[i];
            }
            return sum;
        }
    }
}
