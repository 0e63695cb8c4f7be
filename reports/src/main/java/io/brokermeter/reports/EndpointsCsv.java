package io.brokermeter.reports;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import io.brokermeter.engine.recording.GroupResult;
import io.brokermeter.engine.recording.RunResult;

/**
 * What each producer sent and each consumer got, a line for each, as comma-separated values with a head; written when the run is over.
 * Counts include the warm-up; of those on an agent that was lost there is none.
 */
final class EndpointsCsv extends FileReport {

    static final List<String> HEAD = List.of("kind", "group", "number", "destination", "messages");

    private EndpointsCsv(ReportFile file) {
        super(file);
    }

    /**
     * Creates the file or empties it.
     *
     * @throws io.brokermeter.engine.scenario.UsageException when it cannot be opened
     */
    static EndpointsCsv open(Path path) {
        return new EndpointsCsv(ReportFile.open("", path));
    }

    @Override
    public void finished(RunResult result) throws IOException {
        StringBuilder lines = new StringBuilder(Csv.line(HEAD));
        for (GroupResult group : result.groups()) {
            int number = 0;
            for (GroupResult.Endpoint endpoint : group.endpoints()) {
                lines.append(Csv.line(List.of(group.producing() ? "producer" : "consumer", group.name(), Integer.toString(++number),
                    endpoint.destination(), endpoint.messages() == GroupResult.UNKNOWN ? "" : Long.toString(endpoint.messages()))));
            }
        }
        file.append(lines.toString());
    }
}
