package io.brokermeter.reports.screen;

import java.util.Map;

/** The way in which a line of progress is kept up to date. */
public enum StatusLine {

    /** The line is redrawn in its place, and removed at the end: for a terminal that can go back in a line. */
    REDRAWN,
    /** Another line follows every few seconds: for a terminal that cannot go back in a line. */
    REPEATED,
    /** No status line: the output is not a terminal. */
    NONE;

    /** The time between two lines that are repeated, in nanoseconds. */
    public static final long REPEAT_NANOS = 10_000_000_000L;

    /**
     * Returns the way that suits an output.
     *
     * @param terminal whether the output is a terminal
     * @param environment environment of this process, in which TERM names the kind of terminal
     */
    public static StatusLine of(boolean terminal, Map<String, String> environment) {
        return !terminal ? NONE : goesBack(environment) ? REDRAWN : REPEATED;
    }

    /** Returns whether a terminal can go back in a line and knows colours: all can but those that TERM calls dumb or does not name. */
    public static boolean goesBack(Map<String, String> environment) {
        String term = environment.getOrDefault("TERM", "");
        return !term.isEmpty() && !term.equals("dumb");
    }
}
