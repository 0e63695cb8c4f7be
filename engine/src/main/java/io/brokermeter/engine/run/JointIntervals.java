package io.brokermeter.engine.run;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.Metric;
import org.jspecify.annotations.Nullable;

/**
 * Makes one interval of those that several processes report of the same stretch of time. All of them have the same start and the same grid, so intervals
 * belong together by the end on the grid that they are nearest to. An interval is complete when everybody who is present has reported one as late or
 * later; what comes after that for it is counted in the next. Not thread-safe.
 */
public final class JointIntervals {

    private final long length;
    /** By the number of the stretch, which counts from 1. */
    private final TreeMap<Long, List<Interval>> waiting = new TreeMap<>();
    private final Map<Integer, Long> latest = new HashMap<>();
    private final Map<Integer, IntervalSums> sums = new HashMap<>();
    private int made;
    private long latestEnd;
    private long ended = Long.MIN_VALUE;

    /**
     * What a process has reported so far, which is all that is known of one that is lost.
     *
     * @param sent sends that returned
     * @param blocked messages that had to wait
     * @param completed sends that were confirmed
     * @param failed sends that failed
     * @param received deliveries
     * @param rolledBack sends that were rolled back on purpose
     * @param requeued messages that were given back
     * @param rejected messages that were refused
     * @param unanswered requests whose time for a reply was over
     * @param reconnects connections that were made anew
     * @param measuredSent sends in intervals that began after the warm-up
     * @param measuredReceived deliveries in these
     * @param measured distributions without the warm-up
     * @param intervals how many it reported
     * @param phases what it counted in intervals after the warm-up, by the name of the phase in which they began
     */
    public record Known(
            long sent, long blocked, long completed, long failed, long received, long rolledBack, long requeued, long rejected,
            long unanswered, long reconnects, long measuredSent, long measuredReceived,
            Map<Metric, Distribution> measured, int intervals, Map<String, InPhase> phases) {

        /** What it is made of by name; what is not set was not reported. */
        public static final class Values {

            public long sent;
            public long blocked;
            public long completed;
            public long failed;
            public long received;
            public long rolledBack;
            public long requeued;
            public long rejected;
            public long unanswered;
            public long reconnects;
            public long measuredSent;
            public long measuredReceived;
            public Map<Metric, Distribution> measured = Map.of();
            public int intervals;
            public Map<String, InPhase> phases = Map.of();

            Values() {}

            Known known() {
                return new Known(sent, blocked, completed, failed, received, rolledBack, requeued, rejected, unanswered, reconnects,
                    measuredSent,
                    measuredReceived, measured, intervals, phases);
            }
        }

        /** Of what {@code change} sets. */
        public static Known of(Consumer<Values> change) {
            Values its = new Values();
            change.accept(its);
            return its.known();
        }

        /** Whether it has reported anything: of one that has not, nothing is known to be 0. */
        public boolean isAny() {
            return intervals > 0;
        }

        /** Sends of which it saw no end. A confirmation may be counted a moment before its send has returned: it makes up for no other. */
        long unconfirmed() {
            return Math.max(0, sent - completed - failed - rolledBack);
        }
    }

    /** What was sent and received in a phase. */
    public record InPhase(long sent, long received) {

        static final InPhase NONE = new InPhase(0, 0);

        InPhase and(Interval more) {
            return new InPhase(sent + more.sent(), received + more.received());
        }
    }

    /** @param length of an interval in nanoseconds */
    public JointIntervals(long length) {
        this.length = length;
    }

    /**
     * A process reports an interval, whose histograms become this object's.
     *
     * @param share its number
     */
    public void add(int share, Interval interval) {
        sums.computeIfAbsent(share, _ -> new IntervalSums()).add(interval);
        latestEnd = Math.max(latestEnd, interval.endEpochNanos());
        long stretch = Math.max(1, Math.round((double) interval.elapsedNanos() / length));
        latest.put(share, stretch);
        Long first = waiting.isEmpty() ? null : waiting.firstKey();
        waiting.computeIfAbsent(Math.max(stretch, first == null ? stretch : first), _ -> new ArrayList<>()).add(interval);
    }

    /** Until when anything is known, nanoseconds since the epoch; 0 for never. */
    public long latestEnd() {
        return latestEnd;
    }

    /** What a process has reported so far. */
    public Known known(int share) {
        return sums.getOrDefault(share, new IntervalSums()).known();
    }

    /**
     * The next interval that everybody has reported; null when there is none yet.
     *
     * @param present those who are still to report
     * @param broker what is seen of the broker, or null; asked only for an interval that there is
     */
    public @Nullable Interval next(Collection<Integer> present, @Nullable BrokerWatch broker) {
        if (waiting.isEmpty()) {
            return null;
        }
        long stretch = waiting.firstKey();
        if (!present.stream().allMatch(share -> latest.getOrDefault(share, Long.MIN_VALUE) >= stretch)) {
            return null;
        }
        return joint(Objects.requireNonNull(waiting.pollFirstEntry()).getValue(), broker);
    }

    private Interval joint(List<Interval> parts, @Nullable BrokerWatch watch) {
        Interval first = parts.getFirst();
        long begin = ended != Long.MIN_VALUE ? ended : parts.stream().mapToLong(Interval::startEpochNanos).min().orElseThrow();
        Interval last = parts.stream().max((one, other) -> Long.compare(one.endEpochNanos(), other.endEpochNanos())).orElseThrow();
        ended = Math.max(last.endEpochNanos(), begin + 1);
        return Interval.of(its -> {
            its.index = made++;
            its.warmup = parts.stream().allMatch(Interval::warmup);
            its.startEpochNanos = begin;
            its.endEpochNanos = ended;
            its.elapsedNanos = last.elapsedNanos();
            its.sent = sum(parts, Interval::sent);
            its.blocked = sum(parts, Interval::blocked);
            its.completed = sum(parts, Interval::completed);
            its.failed = sum(parts, Interval::failed);
            its.received = sum(parts, Interval::received);
            its.rolledBack = sum(parts, Interval::rolledBack);
            its.requeued = sum(parts, Interval::requeued);
            its.rejected = sum(parts, Interval::rejected);
            its.unanswered = sum(parts, Interval::unanswered);
            its.reconnects = sum(parts, Interval::reconnects);
            its.measured = Distribution.sums(parts.stream().map(Interval::measured).toList());
            its.warmupSamples = Distribution.sums(parts.stream().map(Interval::warmupSamples).toList());
            its.phase = first.phase();
            its.broker = broker(parts, watch);
        });
    }

    private static long sum(List<Interval> parts, ToLongFunction<Interval> count) {
        return parts.stream().mapToLong(count).sum();
    }

    /** The broker is seen from here, how many messages wait in it from one of the processes. */
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
