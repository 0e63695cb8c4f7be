package io.brokermeter.reports.html;

import java.util.List;
import java.util.Locale;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.picture.ChartPicture;
import io.brokermeter.reports.picture.Drawing;
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
     * Returns a picture of a part of the page of a run.
     *
     * @throws io.brokermeter.engine.scenario.UsageException if files of the run cannot be read, or have nothing to draw
     */
    public static Drawing picture(StoredRun run, Part part) {
        return RunPage.of(run, ChartPicture.MOST_COLUMNS).page().picture(part.charts).orElseThrow(() -> new UsageException(
            "There is nothing to draw: " + run.directory() + " has no " + part.needed + "."));
    }

    /** A part of the page of a run that can be a picture of its own. */
    public enum Part {
        HEAT("times of messages", "heat"),
        PERCENTILES("times of messages after the warm-up", "percentile-plot"),
        COURSE("interval", "rate", "heat", "broker-cpu", "depth");

        private final String needed;
        private final List<String> charts;

        Part(String needed, String... charts) {
            this.needed = needed;
            this.charts = List.of(charts);
        }

        /** Returns the name by which users ask for it. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
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
