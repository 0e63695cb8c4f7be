package io.brokermeter.reports;

import java.util.Locale;
import java.util.Map;

import io.brokermeter.engine.recording.Distribution;
import io.brokermeter.engine.recording.GroupResult;
import io.brokermeter.engine.recording.Metric;
import io.brokermeter.engine.recording.PhaseResult;
import io.brokermeter.engine.recording.RunResult;
import tools.jackson.core.JsonGenerator;

/**
 * A run's result as one JSON object: totals, rates, times, the ledger, groups, phases, the broker, the judgement. Units are
 * in the names; what is not known is null. {@link StoredResult} reads it.
 */
final class ResultJson {

    private ResultJson() {}

    static String text(RunResult r, RunShape shape) {
        return JsonText.object(json -> write(json, r, shape)) + "\n";
    }

    private static void write(JsonGenerator json, RunResult r, RunShape shape) {
        json.writeNumberProperty("format", 1);
        json.writeStringProperty("name", shape.id());
        json.writeStringProperty("start", r.start().toString());
        json.writeNumberProperty("seed", shape.seed());
        json.writeBooleanProperty("success", r.success());
        json.writeStringProperty("result", r.outcome());
        json.writeArrayPropertyStart("causes");
        r.causes().forEach(json::writeString);
        json.writeEndArray();
        json.writeNumberProperty("signal", r.signal());
        json.writeBooleanProperty("drained", r.drained());
        json.writeNumberProperty("exitCode", r.exitCode());
        json.writeBooleanProperty("sends", shape.sends());
        json.writeBooleanProperty("receives", shape.receives());
        json.writeBooleanProperty("sendsConfirmed", r.confirms());
        totals(json, r);
        rates(json, r, shape);
        json.writeObjectPropertyStart("failureCauses");
        r.failureCauses().forEach(json::writeNumberProperty);
        json.writeEndObject();
        times(json, "times", r.measured());
        if (r.part().isOverdue()) {
            times(json, "timesWithOverdue", r.part().times());
        }
        if (shape.receives()) {
            JsonReport.ledger(json, r.ledger());
        }
        json.writeArrayPropertyStart("groups");
        r.groups().forEach(group -> group(json, group));
        json.writeEndArray();
        json.writeArrayPropertyStart("phases");
        r.phases().forEach(phase -> phase(json, phase));
        json.writeEndArray();
        BrokerJson.write(json, r);
        JsonReport.health(json, r.health());
        json.writeObjectPropertyStart("versions");
        r.versions().forEach(json::writeStringProperty);
        json.writeEndObject();
    }

    private static void totals(JsonGenerator json, RunResult r) {
        json.writeObjectPropertyStart("messages");
        json.writeNumberProperty("sent", r.sent());
        json.writeNumberProperty("blocked", r.blocked());
        json.writeNumberProperty("completed", r.completed());
        json.writeNumberProperty("failed", r.failed());
        json.writeNumberProperty("unconfirmed", r.unconfirmed());
        json.writeNumberProperty("received", r.received());
        json.writeNumberProperty("rolledBack", r.rolledBack());
        json.writeNumberProperty("requeued", r.requeued());
        json.writeNumberProperty("rejected", r.rejected());
        json.writeNumberProperty("unanswered", r.unanswered());
        json.writeNumberProperty("measuredSent", r.measuredSent());
        json.writeNumberProperty("measuredReceived", r.measuredReceived());
        json.writeNumberProperty("overdueSent", r.part().overdueSent());
        json.writeNumberProperty("overdueReceived", r.part().overdueReceived());
        json.writeEndObject();
        json.writeNumberProperty("reconnects", r.reconnects());
        JsonReport.number(json, "elapsedSeconds", r.elapsed().toNanos() / 1e9, 3);
        JsonReport.number(json, "sendingSeconds", r.sending().toNanos() / 1e9, 6);
        JsonReport.number(json, "receivingSeconds", r.receivingSeconds(), 6);
        JsonReport.number(json, "measuredSeconds", r.measuredSeconds(), 6);
        JsonReport.number(json, "measuredReceivingSeconds", r.measuredReceivingSeconds(), 6);
    }

    private static void rates(JsonGenerator json, RunResult r, RunShape shape) {
        json.writeObjectPropertyStart("rates");
        double sending = r.sending().toNanos() > 0 ? r.sending().toNanos() / 1e9 : Double.NaN;
        JsonReport.number(json, "measuredSentPerSecond", shape.sends() ? r.meanSent() : Double.NaN, 3);
        JsonReport.number(json, "measuredReceivedPerSecond", shape.receives() ? r.meanReceived() : Double.NaN, 3);
        JsonReport.number(json, "sentPerSecond", shape.sends() ? r.sent() / sending : Double.NaN, 3);
        JsonReport.number(json, "completedPerSecond", shape.sends() ? r.completed() / sending : Double.NaN, 3);
        JsonReport.number(json, "receivedPerSecond", shape.receives() ? r.receivedPerSecond() : Double.NaN, 3);
        json.writeEndObject();
        JsonReport.number(json, "successPercent", shape.sends() ? r.successRatio() * 100 : Double.NaN, 6);
    }

    private static void group(JsonGenerator json, GroupResult g) {
        json.writeStartObject();
        json.writeStringProperty("name", g.name());
        json.writeStringProperty("kind", g.producing() ? "producers" : "consumers");
        json.writeStringProperty("protocol", g.protocol());
        json.writeNumberProperty("sent", g.sent());
        json.writeNumberProperty("completed", g.completed());
        json.writeNumberProperty("failed", g.failed());
        json.writeNumberProperty("received", g.received());
        JsonReport.number(json, "messageSeconds", g.messageSeconds(), 6);
        JsonReport.number(json, "messagesPerSecond", g.messagesPerSecond(), 3);
        times(json, "times", g.measured());
        json.writeEndObject();
    }

    private static void phase(JsonGenerator json, PhaseResult p) {
        json.writeStartObject();
        json.writeStringProperty("name", p.name());
        JsonReport.number(json, "seconds", p.seconds(), 3);
        json.writeNumberProperty("sent", p.sent());
        json.writeNumberProperty("received", p.received());
        times(json, "times", p.measured());
        json.writeEndObject();
    }

    private static void times(JsonGenerator json, String name, Map<Metric, Distribution> all) {
        json.writeObjectPropertyStart(name);
        all.forEach((metric, d) -> {
            if (d.count() == 0 && d.negative() == 0) {
                return;
            }
            json.writeObjectPropertyStart(metric.name().toLowerCase(Locale.ROOT).replace('_', '-'));
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
            json.writeEndObject();
        });
        json.writeEndObject();
    }
}
