package io.brokermeter.analysis.limit;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.brokermeter.analysis.limit.LimitAnswer.Tried;
import io.brokermeter.analysis.statistics.ConfidenceInterval;
import io.brokermeter.reports.JsonText;
import org.jspecify.annotations.Nullable;

/** The answer to a search as JSON: rates per second, times in microseconds, shares from 0 to 1; what is not known is null. */
public final class LimitJson {

    private LimitJson() {}

    /** Returns the text of {@code limit.json}. */
    public static String text(LimitAnswer answer) {
        ConfidenceInterval limit = answer.limit();
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("quantity", answer.quantity().key());
        all.put("goals", answer.goals());
        all.put("limit", limit == null ? null
            : Map.of("estimate", limit.estimate(), "low", limit.low(), "high", limit.high(), "confidence", limit.confidence()));
        all.put("spread", limit == null ? null : answer.spread());
        all.put("end", answer.end() == null ? null : word(answer.end()));
        all.put("sentence", LimitWords.sentence(answer));
        all.put("ended", LimitWords.ended(answer));
        Map<String, Object> missed = new LinkedHashMap<>();
        answer.missedFirst().forEach(one -> missed.put(one.getKey(), one.getValue()));
        all.put("missedFirst", missed);
        all.put("trials", trials(answer.trials()));
        all.put("confirmations", trials(answer.confirmations()));
        all.put("curve", trials(answer.curve()));
        all.put("posterior", answer.posterior().stream().map(one -> Map.of("load", one.load(), "higher", one.higher())).toList());
        return JsonText.lines(all);
    }

    private static List<Map<String, @Nullable Object>> trials(List<Tried> trials) {
        return trials.stream().map(one -> {
            Map<String, @Nullable Object> values = new LinkedHashMap<>();
            values.put("number", one.number());
            values.put("load", one.load());
            values.put("outcome", word(one.outcome()));
            values.put("missed", one.missed());
            values.put("reasons", one.reasons());
            values.put("receivedPerSecond", known(one.reached()));
            values.put("time", one.time());
            values.put("p50", known(one.p50()));
            values.put("p99", known(one.p99()));
            values.put("p99.9", known(one.p999()));
            return values;
        }).toList();
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static @Nullable Double known(double value) {
        return Double.isFinite(value) ? value : null;
    }
}
