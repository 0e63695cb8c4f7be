package io.brokermeter.analysis.limit;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.brokermeter.analysis.limit.LimitAnswer.Tried;
import io.brokermeter.analysis.statistics.ConfidenceInterval;
import io.brokermeter.analysis.statistics.ScalingFit;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.LimitDocument;
import io.brokermeter.reports.document.WindowDocument;

/** The answer to a search as JSON: rates per second, times in microseconds, shares from 0 to 1; what is not known is null. */
public final class LimitJson {

    private LimitJson() {}

    /** Returns the text of {@code limit.json}. */
    public static String text(LimitAnswer answer) {
        return DocumentJson.lines(document(answer));
    }

    /** Returns the text of {@code limit.json} of searches at several values. */
    public static String text(LimitSeries series) {
        ScalingFit fit = series.fit();
        return DocumentJson.lines(new LimitDocument.Series(series.along().key(), series.along().words(),
            SeriesWords.sentence(series), SeriesWords.law(series), fit == null ? null
                : new LimitDocument.Scaling(interval(fit.alone()), interval(fit.contention()), interval(fit.coherency()),
                    interval(fit.pays()), interval(fit.hurts()), fit.scatter()),
            series.limits().stream().map(at -> new LimitDocument.LimitAt(at.value(), fit == null ? Double.NaN : fit.at(at.value()),
                document(at.answer()))).toList()));
    }

    /** Returns whether a limit was found, as readers of {@code limit.json} see it. */
    public static boolean isFound(LimitAnswer answer) {
        return document(answer).isFound();
    }

    private static LimitDocument document(LimitAnswer answer) {
        ConfidenceInterval limit = answer.limit();
        Map<String, Long> missed = new LinkedHashMap<>();
        answer.missedFirst().forEach(one -> missed.put(one.getKey(), (long) one.getValue()));
        return new LimitDocument(answer.quantity().key(), answer.goals(), limit == null ? null : interval(limit),
            limit == null ? Double.NaN : answer.spread(), answer.end() == null ? null : word(answer.end()), LimitWords.sentence(answer),
            LimitWords.ended(answer), missed, answer.cause().orElse(null), trials(answer.trials()), trials(answer.confirmations()),
            trials(answer.curve()), answer.posterior().stream().map(one -> new LimitDocument.Belief(one.load(), one.higher())).toList());
    }

    /** Returns an interval; an end that is infinite is not known. */
    private static WindowDocument.Estimate interval(ConfidenceInterval of) {
        return new WindowDocument.Estimate(of.estimate(), of.low(), of.high(), of.confidence());
    }

    private static List<LimitDocument.TriedLoad> trials(List<Tried> trials) {
        return trials.stream().map(one -> {
            Map<String, Double> percentiles = new LinkedHashMap<>();
            percentiles.put("p50", one.p50());
            percentiles.put("p99", one.p99());
            percentiles.put("p99.9", one.p999());
            return new LimitDocument.TriedLoad(one.number(), one.load(), word(one.outcome()), one.missed(), one.reasons(), one.reached(),
                one.time(), percentiles, one.strain().thread().isEmpty() ? null : one.strain().thread(), one.strain().threadPercent());
        }).toList();
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
