package io.brokermeter.trials.sweep;

import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.brokermeter.analysis.limit.LimitAnswer.Quantity;
import io.brokermeter.analysis.limit.LimitSearch.Rules;
import io.brokermeter.experiment.Search;
import io.brokermeter.experiment.Search.Searched;
import io.brokermeter.reports.json.JsonText;
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

    /** Returns the values from which {@link #of} restores this request. */
    Map<String, @Nullable Object> values() {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        values.put("key", quantity.key());
        values.put("words", quantity.words());
        if (along != null) {
            values.put("along", Map.of("key", along.quantity.key(), "words", along.quantity.words(), "counts", along.counts, "values",
                along.values));
        }
        values.put("least", rules.least());
        values.put("most", rules.most());
        values.put("start", rules.start());
        values.put("width", rules.width());
        values.put("confidence", rules.confidence());
        values.put("trials", rules.trials());
        values.put("whole", rules.whole());
        values.put("goals", goals);
        values.put("confirmationSeconds", confirmation.toMillis() / 1e3);
        values.put("curve", curve);
        values.put("timeSeconds", time == null ? null : time.toMillis() / 1e3);
        return values;
    }

    /** Restores a request. */
    static LimitRequest of(Map<String, @Nullable Object> values) {
        double time = number(values, "timeSeconds");
        return new LimitRequest(quantity(values),
            values.get("along") instanceof Map<?, ?> ? along(JsonText.map(values.get("along"))) : null,
            new Rules(number(values, "least"), number(values, "most"), number(values, "start"), number(values, "width"),
                number(values, "confidence"), (int) number(values, "trials"), Boolean.TRUE.equals(values.get("whole"))),
            values.get("goals") instanceof List<?> goals ? goals.stream().map(String::valueOf).toList() : List.of(),
            seconds(number(values, "confirmationSeconds")), Boolean.TRUE.equals(values.get("curve")),
            Double.isNaN(time) ? null : seconds(time));
    }

    private static Quantity quantity(Map<String, @Nullable Object> values) {
        return new Quantity(String.valueOf(values.get("key")), String.valueOf(values.get("words")));
    }

    private static Along along(Map<String, @Nullable Object> values) {
        return new Along(quantity(values), Boolean.TRUE.equals(values.get("counts")),
            values.get("values") instanceof List<?> all ? all.stream().map(one -> Long.valueOf(String.valueOf(one))).toList() : List.of());
    }

    private static double number(Map<String, @Nullable Object> values, String name) {
        return JsonText.number(values, List.of(name));
    }

    private static Duration seconds(double seconds) {
        return Duration.ofMillis(Math.round(seconds * 1e3));
    }
}
