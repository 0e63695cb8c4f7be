package io.brokermeter.reports;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.recording.Event;

/**
 * Writes one JSON object per line for each event of a run: {@code elapsedSeconds}, {@code kind}, {@code finding}, {@code sentence}; for
 * an event of an agent also {@code agent}, its name, and for one about a fault {@code fault}, the components of the finding.
 */
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
        file.append(JsonText.object(json -> {
            JsonReport.number(json, "elapsedSeconds", event.elapsedNanos() / 1e9, 3);
            json.writeStringProperty("kind", event.kind().name().toLowerCase(Locale.ROOT));
            json.writeStringProperty("finding", event.what().kind());
            json.writeStringProperty("sentence", sentences.of(event.what()));
            if (event.what() instanceof Finding.OfAgent(String agent, _)) {
                json.writeStringProperty("agent", agent);
            }
            if (event.what() instanceof Finding.OfFault fault) {
                JsonText.object(json, "fault", () -> FindingJson.components(json, (Record) fault));
            }
        }) + "\n");
    }
}
