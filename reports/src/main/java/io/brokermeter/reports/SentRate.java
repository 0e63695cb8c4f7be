package io.brokermeter.reports;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * How many messages a run sent a second, beside what was asked where both are about the same producers and the same time: of those with a schedule,
 * from their start to the end of their sending, warm-up included.
 *
 * @param perSecond beside an asked rate what was reached of it; else the mean of all producers after the warm-up; NaN where it is not known
 * @param askedPerSecond NaN where nothing was asked, where some producers had no schedule, or had none for a part of the time, and where what was
 *     asked is known of a part of the agents alone
 */
public record SentRate(double perSecond, double askedPerSecond) {

    /** Rates of groups are rounded in files, and so a sum of them is not exact. */
    private static final double ROUNDING = 0.01;
    /** True of a group that sends what consumers counted; absent of others, and in files made before it was told. */
    static final String PUBLISHES_COUNTS = "publishesCounts";

    /** Of a run that sends. */
    public static SentRate of(StoredResult result) {
        double asked = result.number("health", "askedPerSecond");
        double reached = result.number("health", "reachedPerSecond");
        return asked > 0 && Double.isFinite(reached) && !AgentRows.isAnyLost(result) && ofAll(result) - reached < ROUNDING
            ? new SentRate(reached, asked) : new SentRate(result.number(ResultField.MEAN_SENT), Double.NaN);
    }

    /** Sends a second of all groups of producers that are load, each over its own time. */
    private static double ofAll(StoredResult result) {
        double sum = 0;
        for (Map<String, @Nullable Object> group : result.groups()) {
            boolean isLoad = "producers".equals(group.get("kind")) && !Boolean.TRUE.equals(group.get(PUBLISHES_COUNTS));
            sum += isLoad ? StoredResult.number(group, List.of("messagesPerSecond")) : 0;
        }
        return sum;
    }

    /** Whether it stands beside what was asked. */
    public boolean isAsked() {
        return askedPerSecond > 0;
    }

    /** {@code 5,000/s}, or {@code 4,000/s of 4,000/s asked}. */
    public String words() {
        return Amounts.rate(perSecond) + (isAsked() ? " of " + Amounts.rate(askedPerSecond) + " asked" : "");
    }
}
