package io.brokermeter.engine.recording;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collector;

import io.brokermeter.engine.scenario.measure.Count;

/**
 * A number for each {@link Count}: adding, subtracting and summing are done here. Immutable.
 *
 * @param values the counts that are not 0; {@link #UNKNOWN} for one that is not known
 */
public record Counts(Map<Count, Long> values) {

    /** The value of a count that is unknown, because a lost process had a part of it. */
    public static final long UNKNOWN = Long.MIN_VALUE;

    /** No count, all of them 0. */
    public static final Counts NONE = new Counts(Map.of());

    public Counts {
        EnumMap<Count, Long> kept = new EnumMap<>(Count.class);
        values.forEach((count, value) -> {
            if (value != 0) {
                kept.put(count, value);
            }
        });
        values = Collections.unmodifiableMap(kept);
    }

    /** Returns a vector in which some counts are unknown, and the others 0. */
    public static Counts unknown(Predicate<Count> which) {
        Map<Count, Long> all = new EnumMap<>(Count.class);
        Arrays.stream(Count.values()).filter(which).forEach(count -> all.put(count, UNKNOWN));
        return new Counts(all);
    }

    /** Returns a count, 0 if there is none. */
    public long get(Count count) {
        return values.getOrDefault(count, 0L);
    }

    /** Returns these counts with another value for one of them. */
    public Counts with(Count count, long value) {
        Map<Count, Long> all = new EnumMap<>(Count.class);
        all.putAll(values);
        all.put(count, value);
        return new Counts(all);
    }

    /** Returns these counts with the values of another vector for some of them. */
    public Counts with(Counts others, Predicate<Count> which) {
        Map<Count, Long> all = new EnumMap<>(Count.class);
        Arrays.stream(Count.values()).forEach(count -> all.put(count, (which.test(count) ? others : this).get(count)));
        return new Counts(all);
    }

    /** Returns these counts without those that the ledger determines. */
    public Counts withoutLedger() {
        return with(NONE, Count::isOfLedger);
    }

    /** Returns the sums of two vectors; of a maximum, the greater one. A sum is unknown if a part of it is. */
    public Counts plus(Counts other) {
        return combined(other, Counts::sum);
    }

    /** Returns what was counted since an earlier vector; a difference is unknown if a part of it is, and a maximum stays what it is. */
    public Counts minus(Counts earlier) {
        return combined(earlier, (count, now, before) -> now == UNKNOWN || before == UNKNOWN ? UNKNOWN
            : count.isMaximum() ? now : now - before);
    }

    private interface Operation {
        long of(Count count, long one, long other);
    }

    private Counts combined(Counts other, Operation operation) {
        Map<Count, Long> all = new EnumMap<>(Count.class);
        all.putAll(values);
        other.values.forEach((count, value) -> all.put(count, operation.of(count, get(count), value)));
        return new Counts(all);
    }

    private static long sum(Count count, long one, long other) {
        return one == UNKNOWN || other == UNKNOWN ? UNKNOWN : count.isMaximum() ? Math.max(one, other) : one + other;
    }

    /** Collects the sum of vectors. */
    public static Collector<Counts, Sum, Counts> sum() {
        return Collector.of(Sum::new, Sum::add, (one, other) -> {
            one.add(other.counts());
            return one;
        }, Sum::counts);
    }

    /** A vector to which counts are added, one after the other, without an allocation for each. Not thread-safe. */
    public static final class Sum {

        private final long[] sums = new long[Count.values().length];

        public void add(Count count, long value) {
            int at = count.ordinal();
            sums[at] = sum(count, sums[at], value);
        }

        public void add(Counts more) {
            more.values.forEach(this::add);
        }

        /** Returns the sums so far. */
        public Counts counts() {
            Map<Count, Long> all = new EnumMap<>(Count.class);
            Arrays.stream(Count.values()).forEach(count -> all.put(count, sums[count.ordinal()]));
            return new Counts(all);
        }
    }
}
