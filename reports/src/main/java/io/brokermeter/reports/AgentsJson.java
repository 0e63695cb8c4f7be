package io.brokermeter.reports;

import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.scenario.Count;
import tools.jackson.core.JsonGenerator;

/** Writes the results of each agent of a distributed run as JSON; nothing for a run in one process. */
final class AgentsJson {

    private AgentsJson() {}

    static void write(JsonGenerator json, RunResult r, Sentences sentences) {
        if (r.agents().isEmpty()) {
            return;
        }
        JsonText.objects(json, "agents", r.agents(), agent -> {
            json.writeStringProperty("name", agent.name());
            json.writeNumberProperty("producers", agent.producers());
            json.writeNumberProperty("consumers", agent.consumers());
            JsonReport.count(json, "sent", agent.sent());
            JsonReport.count(json, "received", agent.received());
            ResultField.others(json, agent, Count::isOfPhases);
            JsonReport.number(json, "sentPerSecond", agent.sentPerSecond(), 3);
            JsonReport.number(json, "receivedPerSecond", agent.receivedPerSecond(), 3);
            JsonReport.number(json, "cpuSeconds", agent.cpuSeconds(), 3);
            JsonReport.number(json, "cpuPercent", agent.cpuPercent(), 2);
            JsonReport.number(json, "machineBusyPercent", agent.machineBusyPercent(), 2);
            json.writeStringProperty("verdict", agent.lost() != null ? "lost" : agent.doubts().isEmpty() ? "sound" : "doubtful");
            JsonText.texts(json, "doubts", sentences.of(agent.doubts()));
            JsonReport.number(json, "clockOffsetMicros", agent.clockOffsetMicros(), 3);
            JsonReport.number(json, "clockBoundMicros", agent.clockBoundMicros(), 3);
            JsonReport.number(json, "startLateMicros", agent.lateMicros(), 3);
            if (agent.lost() == null) {
                json.writeNullProperty("lost");
            } else {
                json.writeStringProperty("lost", agent.lost());
            }
        });
    }
}
