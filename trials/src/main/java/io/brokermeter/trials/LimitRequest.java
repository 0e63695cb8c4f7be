package io.brokermeter.trials;

import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.brokermeter.analysis.limit.LimitAnswer.Quantity;
import io.brokermeter.analysis.limit.LimitSearch.Rules;
import io.brokermeter.reports.StoredResult;
import org.jspecify.annotations.Nullable;

/**
 * What a search is to find. It is kept with the trials, since a search that is resumed must ask the same.
 *
 * @param quantity what is searched
 * @param rules the rules of the search
 * @param goals what a trial must meet, in the form of thresholds
 * @param confirmation duration of the long trial at the lower end; zero for none
 * @param curve whether trials below the limit follow
 * @param time the time after which no further trial begins, as far as its end is known before; null for no limit
 */
public record LimitRequest(Quantity quantity, Rules rules, List<String> goals, Duration confirmation, boolean curve,
        @Nullable Duration time) {

    private static final MathContext DIGITS = new MathContext(4);

    public LimitRequest {
        goals = List.copyOf(goals);
    }

    /** Returns this request with another time, or this request for null. */
    LimitRequest within(@Nullable Duration other) {
        return other == null ? this : new LimitRequest(quantity, rules, goals, confirmation, curve, other);
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
        return new LimitRequest(new Quantity(String.valueOf(values.get("key")), String.valueOf(values.get("words"))),
            new Rules(number(values, "least"), number(values, "most"), number(values, "start"), number(values, "width"),
                number(values, "confidence"), (int) number(values, "trials"), Boolean.TRUE.equals(values.get("whole"))),
            values.get("goals") instanceof List<?> goals ? goals.stream().map(String::valueOf).toList() : List.of(),
            seconds(number(values, "confirmationSeconds")), Boolean.TRUE.equals(values.get("curve")),
            Double.isNaN(time) ? null : seconds(time));
    }

    private static double number(Map<String, @Nullable Object> values, String name) {
        return StoredResult.number(values, List.of(name));
    }

    private static Duration seconds(double seconds) {
        return Duration.ofMillis(Math.round(seconds * 1e3));
    }
}
