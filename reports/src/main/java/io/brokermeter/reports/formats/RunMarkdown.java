package io.brokermeter.reports.formats;

import java.util.ArrayList;
import java.util.List;

import io.brokermeter.reports.screen.MarkdownSummary;
import io.brokermeter.reports.stored.StoredRun;

/**
 * Formats a stored run as Markdown, for example for a pull request: the summary of a run that has just ended, and its
 * versions and labels.
 */
public final class RunMarkdown {

    private RunMarkdown() {}

    /** Returns the text, which ends with a line end. */
    public static String of(StoredRun run) {
        List<String> about = new ArrayList<>(List.of("run " + run.directoryName()));
        run.result().document().versions().forEach((name, version) -> about.add(name + " " + version));
        run.labels().forEach((name, value) -> about.add(name + "=" + value));
        return MarkdownSummary.text(run.title(), run.result())
            + MarkdownSummary.plain(String.join(", ", about)) + ".\n";
    }
}
