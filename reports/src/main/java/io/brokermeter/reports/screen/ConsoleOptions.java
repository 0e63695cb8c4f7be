package io.brokermeter.reports.screen;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The options for showing a run on the console.
 *
 * @param showLatency whether live blocks carry latency lines
 * @param silent whether there is no live output; the summary still appears
 * @param verbose whether phases and all of the generator's own figures are shown as well
 * @param status how a status line is kept up to date below the newest block, or in place of blocks
 * @param width number of columns of the terminal
 * @param showBroker whether live blocks carry a line on the broker under test; they do with {@code verbose}
 * @param screen layout for a summary on one screen, with live blocks only if one of the options above requires them; null for the lines
 *     of Artemis {@code perf}
 * @param scored whether the scorecard of a fault takes the place of the summary
 */
public record ConsoleOptions(
        boolean showLatency, boolean silent, boolean verbose, StatusLine status, int width, boolean showBroker, @Nullable Screen screen,
        boolean scored) {

    /**
     * The screen of a run.
     *
     * @param style properties of the screen
     * @param files directory of the files of the run; empty if there is none
     * @param next commands for the user to type next
     */
    public record Screen(ScreenStyle style, String files, List<String> next) {

        public Screen {
            next = List.copyOf(next);
        }
    }

    /** Creates options for output in the lines of Artemis {@code perf}. */
    public ConsoleOptions(boolean showLatency, boolean silent, boolean verbose, StatusLine status, int width, boolean showBroker) {
        this(showLatency, silent, verbose, status, width, showBroker, null, false);
    }

    /** Creates options for output in the lines of Artemis {@code perf}, without a line on the broker. */
    public ConsoleOptions(boolean showLatency, boolean silent, boolean verbose, StatusLine status, int width) {
        this(showLatency, silent, verbose, status, width, false);
    }

    /** Returns these options with output on a screen. */
    public ConsoleOptions on(Screen its) {
        return new ConsoleOptions(showLatency, silent, verbose, status, width, showBroker, its, scored);
    }

    /** Returns these options with or without a scorecard in place of the summary. */
    public ConsoleOptions scored(boolean alone) {
        return new ConsoleOptions(showLatency, silent, verbose, status, width, showBroker, screen, alone);
    }

    /** Returns whether a block is printed for each interval. */
    boolean hasBlocks() {
        return screen == null || showLatency || showBroker || verbose;
    }
}
