package io.brokermeter.cli.options;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.formats.JUnitXml;
import io.brokermeter.reports.formats.SweepTables;
import io.brokermeter.reports.stored.StoredSweep;
import io.brokermeter.trials.sweep.SweepPurpose;
import org.jspecify.annotations.Nullable;

/** Writes the results of a sweep to additional files for a build server, from the files of the sweep, as {@code report} does. */
public final class SweepReports implements SweepPurpose {

    private static final String JUNIT = "--junit";
    private static final String SUMMARY = "--summary";

    private final @Nullable String junit;
    private final @Nullable String summary;

    private SweepReports(@Nullable String junit, @Nullable String summary) {
        this.junit = junit;
        this.summary = summary;
    }

    /**
     * Checks the files, before anything is measured, and returns the reports.
     *
     * @param junit the file for JUnit XML, or null for none
     * @param summary the file to which the tables are appended in Markdown, or null for none
     * @throws UsageException for files that cannot be written
     */
    public static SweepReports of(@Nullable String junit, @Nullable String summary) {
        // The progress and the tables of the sweep are on standard output.
        new ReportTargets().withFile(JUNIT, junit).withFile(SUMMARY, summary).require();
        return new SweepReports(junit, summary);
    }

    @Override
    public void report(Path directory, PrintStream out) throws IOException {
        if (junit != null || summary != null) {
            StoredSweep sweep = StoredSweep.read(directory);
            if (junit != null) {
                ReportTarget.write(JUNIT, junit, JUnitXml.of(sweep), out);
            }
            if (summary != null) {
                ReportTarget.append(SUMMARY, summary, SweepTables.markdown(sweep) + "\n");
            }
        }
    }
}
