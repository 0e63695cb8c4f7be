package io.brokermeter.reports;

import io.brokermeter.engine.recording.NetworkFigures;
import io.brokermeter.engine.recording.RunResult;
import tools.jackson.core.JsonGenerator;

/** Writes the network conditions between clients and broker as one JSON object; nothing if none were set up. */
final class NetworkJson {

    private NetworkJson() {}

    static void write(JsonGenerator json, RunResult r) {
        NetworkFigures network = r.network();
        if (network == null) {
            return;
        }
        json.writeObjectPropertyStart("network");
        json.writeStringProperty("way", network.way());
        json.writeStringProperty("why", network.why());
        JsonText.object(json, "rules", () -> network.rules().forEach(json::writeStringProperty));
        if (network.passed() >= 0) {
            json.writeNumberProperty("packetsPassed", network.passed());
            json.writeNumberProperty("packetsLost", network.lost());
            json.writeNumberProperty("packetsDropped", network.dropped());
        }
        JsonReport.number(json, "cpuSeconds", network.cpuSeconds(), 3);
        JsonReport.number(json, "cpuPercent", network.cpuPercent(), 4);
        json.writeEndObject();
    }
}
