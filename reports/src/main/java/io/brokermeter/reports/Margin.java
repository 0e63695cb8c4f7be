package io.brokermeter.reports;

import io.brokermeter.engine.recording.confidence.Confidence;
import io.brokermeter.engine.scenario.measure.Metric;

/**
 * Says how sure a figure is: {@code +- 30} in the unit of the figure, of which the true value lies at most so far away with 95 % confidence;
 * {@code +- n/a (2 episodes)} where the run is no evidence of it. Nothing for a run that was too short, or of an earlier version.
 */
public final class Margin {

    private Margin() {}

    /** Formats a time with its margin: {@code 67.0 ms +- 30}. */
    public static String time(StoredResult result, Metric time, String part) {
        double micros = result.micros(time, part);
        return behind(Amounts.time(micros), ofTime(micros, result.confidence(time, part), true));
    }

    /** Formats a rate with its margin: {@code 2,000/s +- 12}. */
    public static String rate(StoredResult result, ResultField rate) {
        double perSecond = result.number(rate);
        return behind(Amounts.rate(perSecond), of(perSecond, result.confidence(rate)));
    }

    /** Formats the margin of a number whose unit stands elsewhere; empty if there is none. */
    public static String of(double value, Confidence one) {
        return text(one, false, Amounts.twoDigits(one.halfWidth(value)));
    }

    /**
     * Formats the margin of a time in microseconds; empty if there is none.
     *
     * @param episodes whether the number of episodes is told where too few lie beyond
     */
    public static String ofTime(double micros, Confidence one, boolean episodes) {
        return !Double.isFinite(micros) ? "" : text(one, episodes, Amounts.twoDigits(one.halfWidth(micros) / Amounts.unit(micros)));
    }

    /** Formats the margin of a time in microseconds, in which it stays: {@code +- 30000 us}. */
    public static String inMicros(double micros, Confidence nanos) {
        Confidence one = new Confidence(nanos.low() / 1e3, nanos.high() / 1e3, nanos.episodes());
        return text(one, true, Numbers.fixed(one.halfWidth(micros), 2) + " us");
    }

    /** Formats a number of episodes: {@code 2 episodes}. */
    public static String episodes(Confidence one) {
        long count = (long) one.episodes();
        return count + (count == 1 ? " episode" : " episodes");
    }

    private static String text(Confidence one, boolean episodes, String off) {
        return one.isKnown() ? "+- " + off : !one.isTooFew() ? "" : "+- n/a" + (episodes ? " (" + episodes(one) + ")" : "");
    }

    /** Puts a margin behind a figure, unless it is empty. */
    public static String behind(String figure, String margin) {
        return margin.isEmpty() ? figure : figure + " " + margin;
    }
}
