package io.brokermeter.reports;

import java.util.Map;

import io.brokermeter.engine.recording.BrokerFigures;
import io.brokermeter.engine.recording.BrokerSample;
import io.brokermeter.engine.recording.RunResult;
import tools.jackson.core.JsonGenerator;

/** The broker under test in the JSON report: one object, with a unit in each name and null for what is not known. */
final class BrokerJson {

    private BrokerJson() {}

    static void write(JsonGenerator json, BrokerSample s) {
        json.writeObjectPropertyStart("broker");
        JsonReport.number(json, "seconds", s.seconds(), 3);
        usage(json, s.usage());
        BrokerSample.Heap h = s.heap();
        count(json, "heapUsedBytes", h.usedBytes());
        count(json, "heapCommittedBytes", h.committedBytes());
        count(json, "heapMaxBytes", h.maxBytes());
        count(json, "gcPauses", h.gcCount());
        count(json, "gcPauseMillis", h.gcMillis());
        count(json, "depthMessages", s.depth());
        metrics(json, s.metrics());
        if (!s.processes().isEmpty()) {
            json.writeArrayPropertyStart("processes");
            for (BrokerSample.Part part : s.processes()) {
                json.writeStartObject();
                json.writeStringProperty("name", part.name());
                json.writeNumberProperty("pid", part.pid());
                usage(json, part.usage());
                json.writeEndObject();
            }
            json.writeEndArray();
        }
        json.writeEndObject();
    }

    private static void usage(JsonGenerator json, BrokerSample.Usage u) {
        JsonReport.number(json, "cpuPercent", u.cpuPercent(), 2);
        count(json, "residentBytes", u.residentBytes());
        JsonReport.number(json, "memoryPercent", u.memoryPercent(), 3);
        count(json, "threads", u.threads());
        count(json, "openFiles", u.openFiles());
        count(json, "diskReadBytes", u.diskReadBytes());
        count(json, "diskWrittenBytes", u.diskWrittenBytes());
        count(json, "voluntarySwitches", u.voluntarySwitches());
        count(json, "involuntarySwitches", u.involuntarySwitches());
    }

    static void write(JsonGenerator json, RunResult r) {
        BrokerFigures f = r.broker();
        if (f == null) {
            json.writeNullProperty("broker");
            return;
        }
        json.writeObjectPropertyStart("broker");
        json.writeStringProperty("observed", f.observed());
        JsonReport.number(json, "seconds", f.seconds(), 3);
        JsonReport.number(json, "cpuSeconds", f.cpuSeconds(), 3);
        JsonReport.number(json, "cpuMicrosPerMessage", r.brokerCpuMicrosPerMessage(), 3);
        JsonReport.number(json, "cpuPercent", f.cpuPercent(), 2);
        JsonReport.number(json, "cpuMaxPercent", f.cpuPercentMax(), 2);
        count(json, "residentBytes", f.residentBytes());
        count(json, "residentMaxBytes", f.residentBytesMax());
        JsonReport.number(json, "memoryPercent", f.memoryPercent(), 3);
        JsonReport.number(json, "memoryMaxPercent", f.memoryPercentMax(), 3);
        count(json, "threadsMax", f.threadsMax());
        count(json, "openFilesMax", f.openFilesMax());
        count(json, "diskReadBytes", f.diskReadBytes());
        count(json, "diskWrittenBytes", f.diskWrittenBytes());
        count(json, "voluntarySwitches", f.voluntarySwitches());
        count(json, "involuntarySwitches", f.involuntarySwitches());
        count(json, "heapUsedMaxBytes", f.heapUsedBytesMax());
        count(json, "heapMaxBytes", f.heapMaxBytes());
        count(json, "gcPauses", f.gcCount());
        count(json, "gcPauseMillis", f.gcMillis());
        count(json, "depthMaxMessages", f.depthMax());
        metrics(json, f.metrics());
        json.writeEndObject();
    }

    private static void metrics(JsonGenerator json, Map<String, Double> metrics) {
        if (!metrics.isEmpty()) {
            json.writeObjectPropertyStart("metrics");
            metrics.forEach((name, value) -> JsonReport.number(json, name, value, 6));
            json.writeEndObject();
        }
    }

    private static void count(JsonGenerator json, String name, long value) {
        if (value < 0) {
            json.writeNullProperty(name);
        } else {
            json.writeNumberProperty(name, value);
        }
    }
}
