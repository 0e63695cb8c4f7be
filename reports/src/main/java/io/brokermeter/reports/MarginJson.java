package io.brokermeter.reports;

import java.util.List;
import java.util.Map;
import java.util.function.DoubleFunction;
import java.util.function.Function;
import java.util.stream.Stream;

import io.brokermeter.engine.recording.Confidence;
import io.brokermeter.engine.recording.Confidences;
import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Metric;
import io.brokermeter.engine.recording.RunResult;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Writes the confidence intervals of a run's figures below the keys of the figures, and reads them: {@code low} and {@code high} in the unit
 * of the figure, or {@code episodes} where too few lie beyond a percentile. A figure whose run was too short has none.
 */
final class MarginJson {

    /** Key of the intervals of the figures beside it. */
    static final String INTERVAL = "interval95";

    private MarginJson() {}

    /** Writes the intervals of all figures of a summary, by the key of the time and the percentile, or the key of the rate. */
    static void write(JsonGenerator json, RunResult r, RunShape shape) {
        if (!r.confidences().equals(Confidences.NONE)) {
            json.writeObjectPropertyStart(INTERVAL);
            r.measured().forEach((metric, d) -> time(json, JsonReport.key(metric), d, metric, r.confidences(), JsonReport::key));
            ofRates(json, r, shape, ResultField::jsonKey);
            json.writeEndObject();
        }
    }

    /** Writes the intervals of the rates, if there are any. */
    static void rates(JsonGenerator json, RunResult r, RunShape shape, Function<ResultField, String> key) {
        if (r.confidences().sent().isKnown() || r.confidences().received().isKnown()) {
            json.writeObjectPropertyStart(INTERVAL);
            ofRates(json, r, shape, key);
            json.writeEndObject();
        }
    }

    private static void ofRates(JsonGenerator json, RunResult r, RunShape shape, Function<ResultField, String> key) {
        rate(json, r, shape, key.apply(ResultField.MEAN_SENT), ResultField.MEAN_SENT, r.confidences().sent());
        rate(json, r, shape, key.apply(ResultField.MEAN_RECEIVED), ResultField.MEAN_RECEIVED, r.confidences().received());
    }

    private static void rate(JsonGenerator json, RunResult r, RunShape shape, String key, ResultField rate, Confidence sure) {
        if (rate.isIn(r, shape)) {
            write(json, key, sure, 1);
        }
    }

    /**
     * Writes the intervals of the percentiles of a time, if there are any.
     *
     * @param key returns the key of a percentile
     */
    static void time(JsonGenerator json, String name, Distribution d, Metric metric, Confidences all, DoubleFunction<String> key) {
        List<Double> some = Distribution.PERCENTILES.stream().filter(d::supports)
            .filter(percentile -> all.of(metric, percentile).isKnown() || all.of(metric, percentile).isTooFew()).toList();
        if (!some.isEmpty()) {
            json.writeObjectPropertyStart(name);
            some.forEach(percentile -> write(json, key.apply(percentile), all.of(metric, percentile), 1e3));
            json.writeEndObject();
        }
    }

    private static void write(JsonGenerator json, String name, Confidence one, double unit) {
        if (one.isKnown()) {
            JsonText.object(json, name, () -> {
                JsonReport.number(json, "low", one.low() / unit, 3);
                JsonReport.number(json, "high", one.high() / unit, 3);
            });
        } else if (one.isTooFew()) {
            JsonText.object(json, name, () -> JsonReport.number(json, "episodes", one.episodes(), 1));
        }
    }

    /** Reads the interval of a figure below a part of a result; unknown if it has none, as in files of earlier versions. */
    static Confidence read(Map<String, @Nullable Object> part, List<String> path) {
        return new Confidence(StoredResult.number(part, with(path, "low")), StoredResult.number(part, with(path, "high")),
            StoredResult.number(part, with(path, "episodes")));
    }

    private static List<String> with(List<String> path, String name) {
        return Stream.concat(path.stream(), Stream.of(name)).toList();
    }
}
