package io.brokermeter.reports.document;

import java.util.List;
import java.util.Map;

import io.brokermeter.reports.document.DocumentJson.Inline;
import org.jspecify.annotations.Nullable;

/**
 * The {@code limit.json} of a search: rates per second, times in microseconds, shares from 0 to 1.
 *
 * @param quantity key of the scenario that was searched
 * @param goals what a clean load keeps, in words
 * @param limit null if none was found
 * @param spread by which the limit differs from trial to trial
 * @param missedFirst how often each goal was missed first
 * @param curve trials below the limit
 */
public record LimitDocument(
        String quantity, List<String> goals, WindowDocument.@Nullable Estimate limit, double spread, @Nullable String end,
        @Nullable String sentence, @Nullable String ended, Map<String, Long> missedFirst, @Nullable String cause, List<TriedLoad> trials,
        List<TriedLoad> confirmations, List<TriedLoad> curve, List<Belief> posterior) {

    /** The outcome of a load that was clean. */
    public static final String HELD = "held";

    /** That of a sweep that is no search. */
    public static final LimitDocument NONE = DocumentJson.empty(LimitDocument.class);

    /** Returns whether this is the answer of a search. */
    public boolean isAnswer() {
        return sentence != null;
    }

    /** Returns whether a limit was found; false where the search ended before it was clear, since the generator was the limit. */
    public boolean isFound() {
        return limit != null && !"not-valid".equals(end);
    }

    /**
     * A load that was tried.
     *
     * @param outcome {@code held}, {@code failed} or {@code not-valid}
     * @param percentiles in microseconds: {@code p50}, {@code p99}, {@code p99.9}
     */
    public record TriedLoad(
            long number, double load, String outcome, List<String> missed, List<String> reasons, double receivedPerSecond, String time,
            @Inline Map<String, Double> percentiles, @Nullable String busiestBrokerThread, double busiestBrokerThreadPercent) {

        public double percentile(String name) {
            return percentiles.getOrDefault(name, Double.NaN);
        }
    }

    /** The probability that the limit is higher than a load. */
    public record Belief(double load, double higher) {}

    /**
     * The {@code limit.json} of searches at several values of a number.
     *
     * @param along key of the number
     * @param words what the number counts
     * @param law what the law of scalability says; null if it says nothing
     */
    public record Series(String along, String words, @Nullable String sentence, @Nullable String law, @Nullable Scaling scaling,
            List<LimitAt> limits) {}

    /** The coefficients of the law of scalability. */
    public record Scaling(
            WindowDocument.Estimate alone, WindowDocument.Estimate contention, WindowDocument.Estimate coherency,
            WindowDocument.Estimate hardlyPaysFrom, WindowDocument.Estimate hurtsFrom, double scatter) {}

    /** A search at one value. */
    public record LimitAt(long value, double byTheLaw, @Inline LimitDocument answer) {}
}
