package io.brokermeter.reports;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Function;

import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.reports.formats.JUnitXml;
import io.brokermeter.reports.json.ResultJson;
import io.brokermeter.reports.screen.MarkdownSummary;

/** A report that writes its file when the run is over, and opens it before the run begins. */
public final class FinalReport extends FileReport {

    private final RunShape shape;
    private final Function<StoredResult, String> text;

    private FinalReport(ReportFile file, RunShape shape, Function<StoredResult, String> text) {
        super(file);
        this.shape = shape;
        this.text = text;
    }

    /**
     * Creates a report of the run as JUnit XML; creates the file or empties it.
     *
     * @param name name of the test suite
     * @throws io.brokermeter.engine.scenario.UsageException if the file cannot be written
     */
    public static FinalReport junit(Path path, String name, RunShape shape) {
        return new FinalReport(ReportFile.open("--junit", path), shape, result -> JUnitXml.of(name, result));
    }

    /**
     * Creates a report of the run as {@link MarkdownSummary}, appended to the content of the file.
     *
     * @param name heading of the summary
     * @throws io.brokermeter.engine.scenario.UsageException if the file cannot be written
     */
    public static FinalReport summary(Path path, String name, RunShape shape) {
        return new FinalReport(ReportFile.append("--summary", path), shape, result -> MarkdownSummary.text(name, result));
    }

    @Override
    public void finished(RunResult result) throws IOException {
        file.append(text.apply(ResultJson.stored(result, shape)));
    }
}
