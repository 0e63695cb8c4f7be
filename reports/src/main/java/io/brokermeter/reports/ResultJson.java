package io.brokermeter.reports;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.Floors;
import io.brokermeter.engine.recording.GroupResult;
import io.brokermeter.engine.recording.Metric;
import io.brokermeter.engine.recording.PhaseResult;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.recording.WarmUp;
import io.brokermeter.engine.scenario.Count;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Writes a run's result as one JSON object: totals, rates, times, the ledger, groups, phases, the broker, the verdict.
 * Units are in the names; unknown values are null. {@link StoredResult} reads it.
 */
public final class ResultJson {

    private ResultJson() {}

    /**
     * Returns the result as stored in {@code result.json}, so that a run is shown from the same values whether its files are read or not.
     */
    public static StoredResult stored(RunResult r, RunShape shape) {
        return new StoredResult(JsonText.read(text(r, shape, null)));
    }

    /** @param end end of the other files of the run; null if they are complete */
    static String text(RunResult r, RunShape shape, RunDirectory.@Nullable FilesEnd end) {
        return JsonText.object(json -> {
            write(json, r, shape);
            if (end != null) {
                JsonText.object(json, "filesEnd", () -> {
                    JsonReport.number(json, "elapsedSeconds", end.elapsedSeconds(), 3);
                    json.writeStringProperty("reason", end.reason());
                });
            }
        }) + "\n";
    }

    private static void write(JsonGenerator json, RunResult r, RunShape shape) {
        json.writeNumberProperty("format", RunDirectory.FORMAT);
        json.writeStringProperty("name", shape.id());
        json.writeStringProperty("what", shape.what());
        json.writeStringProperty("start", r.start().toString());
        json.writeNumberProperty("seed", shape.seed());
        json.writeBooleanProperty("success", r.success());
        json.writeStringProperty("result", r.outcome());
        json.writeStringProperty("verdict", r.isInvalid() ? "invalid" : r.success() ? "passed" : "failed");
        JsonText.texts(json, "causes", shape.sentences().of(r.failures()));
        FindingJson.write(json, r, shape.sentences());
        Thresholds.write(json, r);
        json.writeNumberProperty("signal", r.signal());
        json.writeBooleanProperty("drained", r.drained());
        json.writeNumberProperty("exitCode", r.exitCode(shape.verdictFails()));
        json.writeNumberProperty("askedMessages", shape.messageCount());
        JsonReport.number(json, "askedSeconds", shape.duration().toNanos() / 1e9, 3);
        json.writeBooleanProperty("sends", shape.sends());
        json.writeBooleanProperty("receives", shape.receives());
        json.writeBooleanProperty("sendsConfirmed", r.confirms());
        JsonText.object(json, "messages", () -> ResultField.file(json, r, shape, "messages"));
        JsonText.object(json, "bytes", () -> ResultField.file(json, r, shape, "bytes"));
        ResultField.file(json, r, shape, "");
        JsonText.object(json, "rates", () -> {
            ResultField.file(json, r, shape, "rates");
            MarginJson.rates(json, r, shape, ResultField::fileKey);
        });
        warmUp(json, r.warmUp());
        JsonText.object(json, "failureCauses", () -> r.failureCauses().forEach(json::writeNumberProperty));
        times(json, "times", r.measured(), r);
        if (r.part().isOverdue()) {
            times(json, "timesWithOverdue", r.part().times());
        }
        if (shape.receives()) {
            JsonReport.ledger(json, r, shape);
        }
        ScorecardJson.write(json, r);
        JsonText.objects(json, "groups", r.groups(), group -> group(json, group));
        JsonText.objects(json, "phases", r.phases(), phase -> phase(json, phase));
        AgentsJson.write(json, r, shape.sentences());
        BrokerJson.write(json, r);
        NetworkJson.write(json, r);
        JsonReport.health(json, r, shape.sentences());
        JsonText.object(json, "versions", () -> r.versions().forEach(json::writeStringProperty));
    }

    /** Writes how a warm-up ended that lasted until the run had settled. */
    static void warmUp(JsonGenerator json, @Nullable WarmUp warmUp) {
        if (warmUp != null) {
            JsonText.object(json, "warmUp", () -> {
                JsonReport.number(json, "seconds", warmUp.seconds(), 3);
                JsonReport.number(json, "steadyFromSeconds", warmUp.steadyFromSeconds(), 3);
                json.writeBooleanProperty("settled", warmUp.settled());
                json.writeBooleanProperty("known", warmUp.known());
            });
        }
    }

    private static void group(JsonGenerator json, GroupResult g) {
        JsonReport.groupNames(json, g);
        JsonReport.count(json, "sent", g.sent());
        JsonReport.count(json, "completed", g.completed());
        JsonReport.count(json, "failed", g.failed());
        JsonReport.count(json, "received", g.received());
        ResultField.others(json, g, _ -> true);
        JsonReport.number(json, "messageSeconds", g.messageSeconds(), 6);
        JsonReport.number(json, "messagesPerSecond", g.messagesPerSecond(), 3);
        times(json, "times", g.measured());
    }

    private static void phase(JsonGenerator json, PhaseResult p) {
        json.writeStringProperty("name", p.name());
        JsonReport.number(json, "seconds", p.seconds(), 3);
        JsonReport.number(json, StoredResult.RECEIVING_SECONDS, p.receivingSeconds(), 3);
        JsonReport.count(json, "sent", p.sent());
        JsonReport.count(json, "received", p.received());
        ResultField.others(json, p, Count::isOfPhases);
        times(json, "times", p.measured());
    }

    /** Returns the name of a time in a result. */
    public static String key(Metric metric) {
        return metric.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static void times(JsonGenerator json, String name, Map<Metric, Distribution> all) {
        times(json, name, all, null);
    }

    /** @param whole the run of which these are the times; null if they are those of a part of it */
    private static void times(JsonGenerator json, String name, Map<Metric, Distribution> all, @Nullable RunResult whole) {
        json.writeObjectPropertyStart(name);
        all.forEach((metric, d) -> {
            if (d.count() == 0 && d.negative() == 0) {
                return;
            }
            json.writeObjectPropertyStart(key(metric));
            JsonReport.number(json, "meanMicros", d.count() > 0 ? d.meanNanos() / 1e3 : Double.NaN, 3);
            for (double percentile : Distribution.PERCENTILES) {
                JsonReport.number(json, "p" + JsonReport.key(percentile) + "Micros",
                    d.supports(percentile) ? d.nanosAt(percentile) / 1e3 : Double.NaN, 3);
            }
            JsonReport.number(json, "maxMicros", d.count() > 0 ? d.maxNanos() / 1e3 : Double.NaN, 3);
            json.writeNumberProperty("count", d.count());
            json.writeNumberProperty("negativeCount", d.negative());
            json.writeNumberProperty("clampedCount", d.clamped());
            JsonReport.fewSamples(json, d);
            if (whole != null && d.count() > 0) {
                MarginJson.time(json, MarginJson.INTERVAL, d, metric, whole.confidences(), percentile -> part(percentile) + "Micros");
                floors(json, metric, d, whole.floors());
            }
            json.writeEndObject();
        });
        json.writeEndObject();
    }

    /** Writes what stalls of the generator alone would have made of percentiles, and the percentiles that they explain. */
    private static void floors(JsonGenerator json, Metric metric, Distribution d, Floors floors) {
        List<Double> all = Stream.concat(Distribution.PERCENTILES.stream().filter(d::supports), Stream.of(100.0))
            .filter(percentile -> floors.nanos(metric, d, percentile) > 0).toList();
        if (!all.isEmpty()) {
            JsonText.object(json, StoredResult.OWN_STALLS, () -> all.forEach(percentile -> JsonReport.number(json,
                part(percentile) + "Micros", floors.nanos(metric, d, percentile) / 1e3, 3)));
            JsonText.texts(json, StoredResult.MARKED,
                all.stream().filter(percentile -> floors.isMarked(metric, d, percentile)).map(ResultJson::part).toList());
        }
    }

    private static String part(double percentile) {
        return percentile == 100 ? "max" : "p" + JsonReport.key(percentile);
    }
}
