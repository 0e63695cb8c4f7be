package io.brokermeter.trials;

import java.io.PrintStream;
import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

/**
 * The reports that a user requested in addition to the files that a run leaves.
 *
 * @param json the report in JSON, or null for none; {@code -} is standard output
 * @param hdr the report as an HdrHistogram log, or null for none
 * @param junit the result as JUnit XML, or null for none
 * @param summary the file to which the result is added in Markdown, or null for none
 * @param metrics where Prometheus may scrape the run, or null for nowhere
 * @param otlp the receiver of OpenTelemetry to which metrics are pushed, or null for none
 * @param serve where the page of the run is served while it lasts, or null for nowhere
 * @param live whether the run is shown on the whole screen while it lasts
 * @param out standard output
 */
public record ReportPaths(@Nullable Path json, @Nullable Path hdr, @Nullable Path junit, @Nullable Path summary,
        @Nullable String metrics, @Nullable String otlp, @Nullable String serve, boolean live, PrintStream out) {

    private static final String STANDARD_OUTPUT = "-";

    /** Returns paths that request no files. */
    public static ReportPaths none(PrintStream out) {
        return new ReportPaths(null, null, null, null, null, null, null, false, out);
    }

    /** Returns whether the report in JSON goes to standard output, so that nothing else may. */
    public boolean takesStandardOutput() {
        return json != null && json.toString().equals(STANDARD_OUTPUT);
    }
}
