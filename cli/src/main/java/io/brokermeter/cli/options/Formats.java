package io.brokermeter.cli.options;

import java.util.List;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.screen.ScreenStyle;
import io.brokermeter.reports.screen.StatusLine;
import io.brokermeter.reports.table.TableView;
import io.brokermeter.trials.Terminal;
import org.jspecify.annotations.Nullable;

/**
 * The output format of a run.
 *
 * @param screen the style of the summary's screen, or null for the lines of Artemis {@code perf}
 * @param status the live line that shows the progress of the run
 */
public record Formats(@Nullable ScreenStyle screen, StatusLine status) {

    private static final String PERF = "perf";
    private static final String SCREEN = "screen";

    /**
     * Returns the format of tables: on a terminal with the columns that fit, elsewhere in Markdown with all columns.
     *
     * @param columns keys of the chosen columns, empty for none
     * @param wide whether to show all columns on a terminal, however narrow
     * @throws UsageException for a column that does not exist
     */
    public static TableView tables(List<String> columns, boolean wide) {
        return new TableView(!Terminal.isOutput() ? TableView.MARKDOWN.width() : wide ? TableView.ANY : Terminal.columns(),
            TableView.columns(columns));
    }

    /**
     * Returns the format for a value of {@code --format}.
     *
     * @param format the value, or null for the format that suits standard output
     * @param toErrors whether output goes to standard error
     * @throws UsageException for a format that does not exist
     */
    public static Formats of(@Nullable String format, boolean toErrors) {
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
