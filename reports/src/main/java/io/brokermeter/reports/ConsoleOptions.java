package io.brokermeter.reports;

/**
 * How a run is shown on the console.
 *
 * @param showLatency whether live blocks carry latency lines
 * @param silent no live output; the summary still appears
 * @param verbose also phases, and all of the generator's own figures
 * @param terminal whether standard output is a terminal: only then a status line is kept below the newest block
 * @param width columns of the terminal
 * @param showBroker whether live blocks carry a line on the broker under test; they do with {@code verbose}
 */
public record ConsoleOptions(
        boolean showLatency, boolean silent, boolean verbose, boolean terminal, int width, boolean showBroker) {

    /** Without a line on the broker. */
    public ConsoleOptions(boolean showLatency, boolean silent, boolean verbose, boolean terminal, int width) {
        this(showLatency, silent, verbose, terminal, width, false);
    }
}
