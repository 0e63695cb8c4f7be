package io.brokermeter.engine.recording;

import java.util.Collection;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * How long the connections of a run took that were begun at a rate: each from the moment at which it was due until the broker had accepted it,
 * with the attempts that failed before. The first of each group is due at once.
 *
 * @param askedPerSecond rate at which they were to be begun
 * @param seconds time from the first due moment until the last connection was there
 * @param failedAttempts number of attempts that failed; each was followed by another one
 * @param times time of each connection that was made, in nanoseconds
 */
public record ConnectTimes(double askedPerSecond, double seconds, long failedAttempts, Histogram times) {

    /** Returns an empty histogram for times of connections. */
    public static Histogram histogram() {
        return new Histogram(1, 3_600_000_000_000L, 3);
    }

    /** Returns the times of the parts of a run together; null where no part has any. */
    public static @Nullable ConnectTimes sum(Collection<ConnectTimes> parts) {
        if (parts.isEmpty()) {
            return null;
        }
        Histogram all = histogram();
        parts.forEach(part -> all.add(part.times));
        return new ConnectTimes(parts.iterator().next().askedPerSecond, parts.stream().mapToDouble(ConnectTimes::seconds).max().orElse(0),
            parts.stream().mapToLong(ConnectTimes::failedAttempts).sum(), all);
    }

    /** Returns the number of connections that were made. */
    public long count() {
        return times.getTotalCount();
    }
}
