package io.brokermeter.reports;

import io.brokermeter.reports.document.ResultDocument.Group;

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

    /** Returns the rate of a run that sends. */
    public static SentRate of(StoredResult result) {
        double asked = result.generator().askedPerSecond();
        double reached = result.generator().reachedPerSecond();
        return asked > 0 && Double.isFinite(reached) && !AgentRows.isAnyLost(result) && ofAll(result) - reached < ROUNDING
            ? new SentRate(reached, asked) : new SentRate(result.number(ResultField.MEAN_SENT), Double.NaN);
    }

    /** Returns the sends per second of all groups of producers that are load, each over its own time. */
    private static double ofAll(StoredResult result) {
        return result.document().groups().stream().filter(group -> group.isProducing() && !group.publishesCounts())
            .mapToDouble(Group::messagesPerSecond).sum();
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
