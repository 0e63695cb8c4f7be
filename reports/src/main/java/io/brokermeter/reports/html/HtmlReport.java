package io.brokermeter.reports.html;

import io.brokermeter.reports.stored.StoredRun;
import io.brokermeter.reports.stored.StoredSweep;

/**
 * Creates one HTML file about a run or a sweep, from its stored files alone. The file opens from disk, needs no network and requests
 * nothing: scripts, style and data are in it, and its content security policy forbids everything else. Its size does not grow with the
 * length of a run beyond that of {@link TimeColumns#MOST} columns.
 */
public final class HtmlReport {

    private HtmlReport() {}

    /**
     * Returns the page of a run.
     *
     * @throws io.brokermeter.engine.scenario.UsageException if files of the run cannot be read
     */
    public static String of(StoredRun run) {
        return RunPage.of(run).page().text();
    }

    /**
     * Returns the page of a sweep; for one that searched for an answer, as {@code search} and {@code window} do, the page of that answer.
     *
     * @throws io.brokermeter.engine.scenario.UsageException if files of its trials cannot be read
     */
    public static String of(StoredSweep sweep) {
        return LimitSeriesPage.isAbout(sweep) ? new LimitSeriesPage(sweep).text() : LimitPage.isAbout(sweep) ? new LimitPage(sweep).text()
            : WindowPage.isAbout(sweep) ? new WindowPage(sweep).text() : new SweepPage(sweep).text();
    }
}
