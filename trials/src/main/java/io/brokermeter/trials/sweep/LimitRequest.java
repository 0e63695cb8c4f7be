package io.brokermeter.trials.sweep;

import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Duration;
import java.util.List;

import io.brokermeter.analysis.limit.LimitAnswer.Quantity;
import io.brokermeter.analysis.limit.LimitSearch.Rules;
import io.brokermeter.experiment.Search;
import io.brokermeter.experiment.Search.Searched;
import io.brokermeter.reports.document.SweepDocument.AskedAlong;
import io.brokermeter.reports.document.SweepDocument.AskedLimit;
import org.jspecify.annotations.Nullable;

/**
 * What a search is to find. It is kept with the trials, since a search that is resumed must ask the same.
 *
 * @param quantity what is searched
 * @param along what has several values, at each of which it is searched; null for none
 * @param rules the rules of the search
 * @param goals what a trial must meet, in the form of thresholds
 * @param confirmation duration of the long trial at the lower end; zero for none
 * @param curve whether trials below the limit follow
 * @param time the time after which no further trial begins, as far as its end is known before; null for no limit
 */
record LimitRequest(Quantity quantity, @Nullable Along along, Rules rules, List<String> goals, Duration confirmation, boolean curve,
        @Nullable Duration time) {

    private static final double CONFIDENCE = 0.98;

    /**
     * Several values of another number.
     *
     * @param counts whether the law of scalability says how the limit depends on it
     */
    record Along(Quantity quantity, boolean counts, List<Long> values) {

        Along {
            values = List.copyOf(values);
        }
    }

    private static final MathContext DIGITS = new MathContext(4);

    LimitRequest {
        goals = List.copyOf(goals);
    }

    /** Returns the request of a file. Several searches make no trials beside their own: their limits are the answer. */
    static LimitRequest of(Search search, List<String> goals) {
        Searched along = search.along();
        return new LimitRequest(quantity(search.searched(), search.key()),
            along == null ? null : new Along(quantity(along, search.alongKey()), along.isCount(), search.values()),
            new Rules(search.from(), search.to(), search.start(), search.width(), CONFIDENCE, search.trials(),
                search.searched() != Searched.RATE),
            goals, along == null ? search.confirmation() : Duration.ZERO, along == null, search.time());
    }

    private static Quantity quantity(Searched searched, String key) {
        return searched == Searched.RATE ? Quantity.RATE : new Quantity(key, searched.unit());
    }

    /** Returns this request with another time, or this request for null. */
    LimitRequest within(@Nullable Duration other) {
        return other == null ? this : new LimitRequest(quantity, along, rules, goals, confirmation, curve, other);
    }

    /** Returns a load as a value of its key, with four significant digits. */
    String text(double load) {
        return rules.whole() ? String.valueOf(Math.round(load)) : new BigDecimal(load).round(DIGITS).toPlainString() + "/s";
    }

    /** Returns the load that {@link #text} returned as a text. */
    static double load(String text) {
        return Double.parseDouble(text.replace("/s", ""));
    }

    /** Returns this request as files keep it. */
    AskedLimit kept() {
        return new AskedLimit(quantity.key(), quantity.words(),
            along == null ? null : new AskedAlong(along.quantity.key(), along.quantity.words(), along.counts, along.values), rules.least(),
            rules.most(), rules.start(), rules.width(), rules.confidence(), rules.trials(), rules.whole(), goals,
            confirmation.toMillis() / 1e3, curve, time == null ? Double.NaN : time.toMillis() / 1e3);
    }

    /** Restores a request. */
    static LimitRequest of(AskedLimit kept) {
        AskedAlong other = kept.along();
        return new LimitRequest(new Quantity(kept.key(), kept.words()),
            other == null ? null : new Along(new Quantity(other.key(), other.words()), other.counts(), other.values()),
            new Rules(kept.least(), kept.most(), kept.start(), kept.width(), kept.confidence(), (int) kept.trials(), kept.whole()),
            kept.goals(), seconds(kept.confirmationSeconds()), kept.curve(),
            Double.isNaN(kept.timeSeconds()) ? null : seconds(kept.timeSeconds()));
    }

    private static Duration seconds(double seconds) {
        return Duration.ofMillis(Math.round(seconds * 1e3));
    }
}
