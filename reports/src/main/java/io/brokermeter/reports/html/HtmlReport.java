package io.brokermeter.reports.html;

import io.brokermeter.reports.stored.StoredRun;
import io.brokermeter.reports.stored.StoredSweep;

/**
 * One HTML file about a run or a sweep, made from its files alone. It opens from disk, needs no network and asks for nothing: scripts, style and
 * data are in it, and its content security policy forbids everything else. Its size does not grow with the length of a run beyond that of
 * {@link TimeColumns#MOST} columns.
 */
public final class HtmlReport {

    private HtmlReport() {}

    /**
     * The page of a run.
     *
     * @throws io.brokermeter.engine.scenario.UsageException when files of the run cannot be read
     */
    public static String of(StoredRun run) {
        return new RunPage(run).text();
    }

    /**
     * The page of a sweep; of one that found out what limits over distance, that answer.
     *
     * @throws io.brokermeter.engine.scenario.UsageException when files of its trials cannot be read
     */
    public static String of(StoredSweep sweep) {
        return WindowPage.isAbout(sweep) ? new WindowPage(sweep).text() : new SweepPage(sweep).text();
    }
}
