package io.brokermeter.reports.json;

import static io.brokermeter.reports.document.DocumentJson.rounded;

import java.util.List;

import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.reports.ResultField;
import io.brokermeter.reports.Sentences;
import io.brokermeter.reports.document.ResultDocument;

/** Makes the documents of the agents of a distributed run; none for a run in one process. */
final class AgentsJson {

    private AgentsJson() {}

    static List<ResultDocument.OneAgent> of(RunResult r, Sentences sentences) {
        return r.agents().stream().map(agent -> new ResultDocument.OneAgent(agent.name(), agent.producers(), agent.consumers(),
            ResultField.known(agent.sent()), ResultField.known(agent.received()), ResultField.others(agent, Count::isOfPhases),
            rounded(agent.sentPerSecond(), 3), rounded(agent.receivedPerSecond(), 3), rounded(agent.cpuSeconds(), 3),
            rounded(agent.cpuPercent(), 2), rounded(agent.machineBusyPercent(), 2),
            agent.lost() != null ? "lost" : agent.doubts().isEmpty() ? "sound" : "doubtful", sentences.of(agent.doubts()),
            rounded(agent.clockOffsetMicros(), 3), rounded(agent.clockBoundMicros(), 3), rounded(agent.lateMicros(), 3), agent.lost()))
            .toList();
    }
}
