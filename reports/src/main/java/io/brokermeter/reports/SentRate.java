package io.brokermeter.reports;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The rate at which a run sent messages, in messages per second, beside the asked rate if both cover the same producers and the same
 * time: those with a schedule, from their start to the end of their sending, warm-up included.
 *
 * @param perSecond beside an asked rate, the rate that was reached of it; otherwise the mean of all producers after the warm-up; NaN if
 *     it is unknown
 * @param askedPerSecond the asked rate; NaN if none was asked, if some producers had no schedule, or had none for a part of the time, and
 *     if the asked rate is known for a part of the agents alone
 */
public record SentRate(double perSecond, double askedPerSecond) {

    /** Tolerance in messages per second: rates of groups are rounded in files, so a sum of them is not exact. */
    private static final double ROUNDING = 0.01;
    /** Key that is true for a group that sends the counts of consumers; absent for others, and in files of versions without this key. */
    static final String PUBLISHES_COUNTS = "publishesCounts";

    /** Returns the rate of a run that sends. */
    public static SentRate of(StoredResult result) {
        double asked = result.number("health", "askedPerSecond");
        double reached = result.number("health", "reachedPerSecond");
        return asked > 0 && Double.isFinite(reached) && !AgentRows.isAnyLost(result) && ofAll(result) - reached < ROUNDING
            ? new SentRate(reached, asked) : new SentRate(result.number(ResultField.MEAN_SENT), Double.NaN);
    }

    /** Returns the sends per second of all groups of producers that are load, each over its own time. */
    private static double ofAll(StoredResult result) {
        double sum = 0;
        for (Map<String, @Nullable Object> group : result.groups()) {
            boolean isLoad = "producers".equals(group.get("kind")) && !Boolean.TRUE.equals(group.get(PUBLISHES_COUNTS));
            sum += isLoad ? StoredResult.number(group, List.of("messagesPerSecond")) : 0;
        }
        return sum;
    }

    /** Returns whether there is an asked rate to compare with. */
    public boolean isAsked() {
        return askedPerSecond > 0;
    }

    /** Formats the rate: {@code 5,000/s}, or {@code 4,000/s of 4,000/s asked}. */
    public String words() {
        return Amounts.rate(perSecond) + (isAsked() ? " of " + Amounts.rate(askedPerSecond) + " asked" : "");
    }
}
