package io.brokermeter.reports.directory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.Event;
import io.brokermeter.reports.FileReport;
import io.brokermeter.reports.ReportFile;
import io.brokermeter.reports.Sentences;
import io.brokermeter.reports.document.DocumentJson;
import io.brokermeter.reports.document.EventDocument;
import io.brokermeter.reports.json.FindingJson;

/** Writes one JSON object per line for each event of a run. */
final class EventsFile extends FileReport {

    private final Sentences sentences;

    private EventsFile(ReportFile file, Sentences sentences) {
        super(file);
        this.sentences = sentences;
    }

    static EventsFile open(Path path, Sentences sentences) {
        return new EventsFile(ReportFile.open("", path), sentences);
    }

    @Override
    public void event(Event event) throws IOException {
        Finding what = event.what();
        file.append(DocumentJson.text(new EventDocument(DocumentJson.rounded(event.elapsedNanos() / 1e9, 3),
            event.kind().name().toLowerCase(Locale.ROOT), what.kind(), sentences.of(what),
            what instanceof Finding.OfAgent(String agent, _) ? agent : null, what instanceof Finding.OfFault fault
                ? DocumentJson.read(EventDocument.FaultOfEvent.class, FindingJson.components((Record) fault)) : null))
            + "\n");
    }
}
