package io.brokermeter.reports.csv;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import io.brokermeter.engine.recording.Counts;
import io.brokermeter.engine.recording.GroupResult;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.reports.FileReport;
import io.brokermeter.reports.ReportFile;
import io.brokermeter.reports.document.EndpointRow;

/**
 * Writes the number of messages that each producer sent and each consumer received, one line each, as comma-separated values with a
 * header, when the run is over. Counts include the warm-up; the cell is empty for those on an agent that was lost.
 */
public final class EndpointsCsv extends FileReport {

    private EndpointsCsv(ReportFile file) {
        super(file);
    }

    /**
     * Creates the file or empties it.
     *
     * @throws io.brokermeter.engine.scenario.UsageException if the file cannot be opened
     */
    public static EndpointsCsv open(Path path) {
        return new EndpointsCsv(ReportFile.open("", path));
    }

    @Override
    public void finished(RunResult result) throws IOException {
        StringBuilder lines = new StringBuilder(Csv.line(Csv.columns(EndpointRow.class)));
        for (GroupResult group : result.groups()) {
            int number = 0;
            for (GroupResult.EndpointResult endpoint : group.endpoints()) {
                lines.append(Csv.line(List.of(group.producing() ? "producer" : "consumer", group.name(), Integer.toString(++number),
                    endpoint.destination(), endpoint.messages() == Counts.UNKNOWN ? "" : Long.toString(endpoint.messages()))));
            }
        }
        file.append(lines.toString());
    }
}
