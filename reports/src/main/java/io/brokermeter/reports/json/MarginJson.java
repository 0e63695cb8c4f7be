package io.brokermeter.reports.json;

import static io.brokermeter.reports.document.DocumentJson.rounded;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.DoubleFunction;
import java.util.function.Function;

import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.recording.confidence.Confidence;
import io.brokermeter.engine.recording.confidence.Confidences;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.RunShape;
import io.brokermeter.reports.document.JsonObject;
import io.brokermeter.reports.document.JsonText;
import io.brokermeter.reports.document.ResultDocument.Sureness;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** Makes the confidence intervals of a run's figures, by the keys of the figures. A figure whose run was too short has none. */
public final class MarginJson {

    private MarginJson() {}

    /** Writes the intervals of all figures of a summary, by the key of the time and the percentile, or the key of the rate. */
    public static void write(JsonGenerator json, RunResult r, RunShape shape) {
        if (!r.confidences().equals(Confidences.NONE)) {
            JsonObject all = new JsonObject();
            r.measured().forEach((metric, d) -> {
                Map<String, Sureness> time = ofTime(d, metric, r.confidences(), JsonReport::key);
                if (!time.isEmpty()) {
                    all.put(JsonReport.key(metric), time);
                }
            });
            all.putAll(ofRates(r, shape, ResultField::jsonKey));
            json.writeName("interval95");
            JsonText.write(json, all);
        }
    }

    /** Returns the intervals of the rates, if there are any. */
    static Map<String, Sureness> ofRates(RunResult r, RunShape shape, Function<ResultField, String> key) {
        Map<String, Sureness> all = new LinkedHashMap<>();
        rate(all, r, shape, key, ResultField.MEAN_SENT, r.confidences().sent());
        rate(all, r, shape, key, ResultField.MEAN_RECEIVED, r.confidences().received());
        return all;
    }

    private static void rate(Map<String, Sureness> all, RunResult r, RunShape shape, Function<ResultField, String> key, ResultField rate,
            Confidence sure) {
        if (rate.isIn(r, shape)) {
            put(all, key.apply(rate), sure, 1);
        }
    }

    /**
     * Returns the intervals of the percentiles of a time, if there are any.
     *
     * @param key returns the key of a percentile
     */
    static Map<String, Sureness> ofTime(Distribution d, Metric metric, Confidences all, DoubleFunction<String> key) {
        Map<String, Sureness> some = new LinkedHashMap<>();
        Distribution.PERCENTILES.stream().filter(d::supports)
            .forEach(percentile -> put(some, key.apply(percentile), all.of(metric, percentile), 1e3));
        return some;
    }

    private static void put(Map<String, Sureness> all, String name, Confidence one, double unit) {
        if (one.isKnown()) {
            all.put(name, new Sureness(rounded(one.low() / unit, 3), rounded(one.high() / unit, 3), Double.NaN));
        } else if (one.isTooFew()) {
            all.put(name, new Sureness(Double.NaN, Double.NaN, rounded(one.episodes(), 1)));
        }
    }

    /** Returns the interval of a figure; unknown if it has none, as in files of earlier versions. */
    public static Confidence of(Map<String, Sureness> all, String name) {
        Sureness one = all.get(name);
        return one == null ? Confidence.UNKNOWN : new Confidence(one.low(), one.high(), one.episodes());
    }
}
