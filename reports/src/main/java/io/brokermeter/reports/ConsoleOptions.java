package io.brokermeter.reports;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * How a run is shown on the console.
 *
 * @param showLatency whether live blocks carry latency lines
 * @param silent no live output; the summary still appears
 * @param verbose also phases, and all of the generator's own figures
 * @param status how a status line is kept up to date below the newest block, or in place of blocks
 * @param width columns of the terminal
 * @param showBroker whether live blocks carry a line on the broker under test; they do with {@code verbose}
 * @param screen shows the summary on one screen, and live blocks only where one of the options above asks for something in them; null for the
 *     lines of Artemis {@code perf}
 * @param scored whether the scorecard of a fault takes the place of the summary
 */
public record ConsoleOptions(
        boolean showLatency, boolean silent, boolean verbose, StatusLine status, int width, boolean showBroker, @Nullable Screen screen,
        boolean scored) {

    /**
     * The screen of a run.
     *
     * @param style what it is shown on
     * @param files where the files of the run are, empty for nowhere
     * @param next commands to type next
     */
    public record Screen(ScreenStyle style, String files, List<String> next) {

        public Screen {
            next = List.copyOf(next);
        }
    }

    /** In the lines of Artemis {@code perf}. */
    public ConsoleOptions(boolean showLatency, boolean silent, boolean verbose, StatusLine status, int width, boolean showBroker) {
        this(showLatency, silent, verbose, status, width, showBroker, null, false);
    }

    /** Without a line on the broker. */
    public ConsoleOptions(boolean showLatency, boolean silent, boolean verbose, StatusLine status, int width) {
        this(showLatency, silent, verbose, status, width, false);
    }

    /** The same on a screen. */
    public ConsoleOptions on(Screen its) {
        return new ConsoleOptions(showLatency, silent, verbose, status, width, showBroker, its, scored);
    }

    /** The same with or without a scorecard in place of the summary. */
    public ConsoleOptions scored(boolean alone) {
        return new ConsoleOptions(showLatency, silent, verbose, status, width, showBroker, screen, alone);
    }

    /** Whether there is a block for each interval. */
    boolean hasBlocks() {
        return screen == null || showLatency || showBroker || verbose;
    }
}
