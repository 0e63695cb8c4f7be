package io.brokermeter.analysis.limit;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.brokermeter.analysis.limit.LimitAnswer.Tried;
import io.brokermeter.analysis.statistics.ConfidenceInterval;
import io.brokermeter.analysis.statistics.ScalingFit;
import io.brokermeter.reports.JsonText;
import org.jspecify.annotations.Nullable;

/** The answer to a search as JSON: rates per second, times in microseconds, shares from 0 to 1; what is not known is null. */
public final class LimitJson {

    private LimitJson() {}

    /** Returns the text of {@code limit.json}. */
    public static String text(LimitAnswer answer) {
        return JsonText.lines(values(answer));
    }

    /** Returns the text of {@code limit.json} of searches at several values. */
    public static String text(LimitSeries series) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("along", series.along().key());
        all.put("words", series.along().words());
        all.put("sentence", SeriesWords.sentence(series));
        all.put("law", SeriesWords.law(series));
        ScalingFit fit = series.fit();
        Map<String, @Nullable Object> scaling = new LinkedHashMap<>();
        if (fit != null) {
            scaling.put("alone", interval(fit.alone()));
            scaling.put("contention", interval(fit.contention()));
            scaling.put("coherency", interval(fit.coherency()));
            scaling.put("hardlyPaysFrom", interval(fit.pays()));
            scaling.put("hurtsFrom", interval(fit.hurts()));
            scaling.put("scatter", fit.scatter());
        }
        all.put("scaling", fit == null ? null : scaling);
        all.put("limits", series.limits().stream().map(at -> {
            Map<String, @Nullable Object> one = new LinkedHashMap<>();
            one.put("value", at.value());
            one.put("byTheLaw", fit == null ? null : fit.at(at.value()));
            one.putAll(values(at.answer()));
            return one;
        }).toList());
        return JsonText.lines(all);
    }

    private static Map<String, @Nullable Object> values(LimitAnswer answer) {
        ConfidenceInterval limit = answer.limit();
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("quantity", answer.quantity().key());
        all.put("goals", answer.goals());
        all.put("limit", limit == null ? null : interval(limit));
        all.put("spread", limit == null ? null : answer.spread());
        all.put("end", answer.end() == null ? null : word(answer.end()));
        all.put("sentence", LimitWords.sentence(answer));
        all.put("ended", LimitWords.ended(answer));
        Map<String, Object> missed = new LinkedHashMap<>();
        answer.missedFirst().forEach(one -> missed.put(one.getKey(), one.getValue()));
        all.put("missedFirst", missed);
        all.put("cause", answer.cause().orElse(null));
        all.put("trials", trials(answer.trials()));
        all.put("confirmations", trials(answer.confirmations()));
        all.put("curve", trials(answer.curve()));
        all.put("posterior", answer.posterior().stream().map(one -> Map.of("load", one.load(), "higher", one.higher())).toList());
        return all;
    }

    /** Returns an interval; an end that is infinite is null. */
    private static Map<String, @Nullable Object> interval(ConfidenceInterval of) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("estimate", known(of.estimate()));
        all.put("low", known(of.low()));
        all.put("high", known(of.high()));
        all.put("confidence", of.confidence());
        return all;
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
            values.put("busiestBrokerThread", one.strain().thread().isEmpty() ? null : one.strain().thread());
            values.put("busiestBrokerThreadPercent", known(one.strain().threadPercent()));
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
