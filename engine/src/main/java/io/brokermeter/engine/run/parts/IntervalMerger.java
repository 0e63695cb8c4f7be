package io.brokermeter.engine.run.parts;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.confidence.Sections;
import io.brokermeter.engine.run.connect.BrokerWatch;
import org.jspecify.annotations.Nullable;

/**
 * Merges the intervals that the processes of a run report of the same stretch of time into one; of a run in one process, each is its own.
 * All processes have the same start and the same grid, so intervals belong together whose ends are nearest to the same point of the grid.
 * An interval is complete when every process that is present has reported one that ends as late or later; what is reported of it after
 * that is counted in the next interval, so that clock skew between processes creates no tiny intervals. Not thread-safe.
 */
public final class IntervalMerger {

    private final long length;
    /** Intervals that were not merged yet, by the number of their stretch, which counts from 1. */
    private final TreeMap<Long, List<Interval>> waiting = new TreeMap<>();
    private final Map<Integer, Long> latest = new HashMap<>();
    /** What each process has reported so far; empty where no process can be lost. */
    private final Map<Integer, IntervalSums> sums = new HashMap<>();
    private final boolean mayLose;
    private final Sections sections = new Sections();
    private int made;
    /** The number of the last stretch that was merged. */
    private long merged;
    private long latestEnd;
    private long ended = Long.MIN_VALUE;

    /** @param length of an interval in nanoseconds */
    public IntervalMerger(long length) {
        this(length, true);
    }

    /** @param mayLose whether a process may be lost, of which then {@link #known} is all that is known */
    public IntervalMerger(long length, boolean mayLose) {
        this.length = length;
        this.mayLose = mayLose;
    }

    /**
     * Adds an interval that a process reports. Its histograms belong to this object from then on.
     *
     * @param share number of the share of the process
     */
    public void add(int share, Interval interval) {
        if (mayLose) {
            sums.computeIfAbsent(share, _ -> new IntervalSums()).add(interval);
        }
        latestEnd = Math.max(latestEnd, interval.endEpochNanos());
        long stretch = Math.max(1, Math.round((double) interval.elapsedNanos() / length));
        latest.put(share, stretch);
        long first = waiting.isEmpty() ? merged + 1 : waiting.firstKey();
        waiting.computeIfAbsent(Math.max(stretch, first), _ -> new ArrayList<>()).add(interval);
    }

    /** Returns the latest end of an interval that any process has reported, in nanoseconds since the epoch; 0 for none. */
    public long latestEnd() {
        return latestEnd;
    }

    /** Returns the measured part of the run in sections, as far as intervals were merged. */
    public Sections sections() {
        return sections;
    }

    /** Returns the sums of what the process of a share has reported so far. */
    public IntervalSums known(int share) {
        return sums.getOrDefault(share, new IntervalSums());
    }

    /**
     * Removes and returns the next interval that every process has reported; null when there is none yet.
     *
     * @param present numbers of the shares whose processes are still to report
     * @param broker watches the broker, or null; asked for a sample only when there is an interval
     */
    public @Nullable Interval next(Collection<Integer> present, @Nullable BrokerWatch broker) {
        if (waiting.isEmpty()) {
            return null;
        }
        long stretch = waiting.firstKey();
        if (!present.stream().allMatch(share -> latest.getOrDefault(share, Long.MIN_VALUE) >= stretch)) {
            return null;
        }
        merged = stretch;
        Interval joint = joint(Objects.requireNonNull(waiting.pollFirstEntry()).getValue(), broker);
        sections.add(joint);
        return joint;
    }

    private Interval joint(List<Interval> parts, @Nullable BrokerWatch watch) {
        Interval first = parts.getFirst();
        long begin = ended != Long.MIN_VALUE ? ended : parts.stream().mapToLong(Interval::startEpochNanos).min().orElseThrow();
        Interval last = parts.stream().max((one, other) -> Long.compare(one.endEpochNanos(), other.endEpochNanos())).orElseThrow();
        // What comes after all others have ended, and lies before their end by the clocks, has no time of its own.
        long least = Math.min(length / 10, last.endEpochNanos() - last.startEpochNanos());
        ended = Math.max(last.endEpochNanos(), begin + Math.max(1, least));
        return Interval.of(its -> {
            its.index = made++;
            its.warmup = parts.stream().allMatch(Interval::warmup);
            its.startEpochNanos = begin;
            its.endEpochNanos = ended;
            its.elapsedNanos = last.elapsedNanos() + (ended - last.endEpochNanos());
            its.counts = parts.stream().map(Interval::counts).collect(Counts.sum());
            its.measured = Distribution.sums(parts.stream().map(Interval::measured).toList());
            its.warmupSamples = Distribution.sums(parts.stream().map(Interval::warmupSamples).toList());
            its.phase = first.phase();
            its.broker = broker(parts, watch);
        });
    }

    /** Returns the sample of the broker taken here, with the number of waiting messages that one of the processes has reported. */
    private static @Nullable BrokerSample broker(List<Interval> parts, @Nullable BrokerWatch watch) {
        BrokerSample seen = watch == null ? null : watch.sample();
        for (Interval part : parts) {
            BrokerSample sample = part.broker();
            if (sample != null && sample.depth() >= 0) {
                return (seen == null ? BrokerSample.UNKNOWN : seen).withDepth(sample.depth());
            }
        }
        return seen;
    }
}
