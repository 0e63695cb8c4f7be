package io.brokermeter.cli;

import java.util.List;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.ScreenStyle;
import io.brokermeter.reports.StatusLine;
import io.brokermeter.reports.table.TableView;
import io.brokermeter.trials.Terminal;
import org.jspecify.annotations.Nullable;

/**
 * How a run is shown.
 *
 * @param screen the screen of its summary, or null for the lines of Artemis {@code perf}
 * @param status how the line is kept up to date that shows how far the run is
 */
record Formats(@Nullable ScreenStyle screen, StatusLine status) {

    private static final String PERF = "perf";
    private static final String SCREEN = "screen";

    /**
     * How tables are shown: on a terminal with the columns that fit, elsewhere in Markdown with all of them.
     *
     * @param columns the keys of those that were chosen, empty for none
     * @param wide whether a terminal need not have room for them
     * @throws UsageException for a column that there is not
     */
    static TableView tables(List<String> columns, boolean wide) {
        return new TableView(!Terminal.isOutput() ? TableView.MARKDOWN.width() : wide ? TableView.ANY : Terminal.columns(),
            TableView.columns(columns));
    }

    /**
     * As {@code --format} says.
     *
     * @param format null where nobody says
     * @param toErrors whether what is said goes to standard error
     * @throws UsageException for one that there is not
     */
    static Formats of(@Nullable String format, boolean toErrors) {
        if (format != null && !format.equals(PERF) && !format.equals(SCREEN)) {
            throw new UsageException("--format " + format + " must be " + PERF + " or " + SCREEN + ".");
        }
        boolean terminal = Terminal.isOutput() && !toErrors;
        if (!(format == null ? terminal : format.equals(SCREEN))) {
            return new Formats(null, toErrors ? StatusLine.NONE : Terminal.statusLine());
        }
        return new Formats(toErrors ? ScreenStyle.PLAIN : Terminal.style(System.getenv()), StatusLine.of(terminal, System.getenv()));
    }
}
