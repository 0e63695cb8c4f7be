package io.brokermeter.reports;

import java.util.Map;

/** How the line that shows how far something is is kept up to date. */
public enum StatusLine {

    /** The line is drawn anew in its place and is gone at the end: on a terminal that can go back in a line. */
    REDRAWN,
    /** Every few seconds another line follows: on a terminal that cannot. */
    REPEATED,
    /** There is no line, since nobody watches: where output is no terminal. */
    NONE;

    /** How long after a line the next one comes where lines are repeated, in nanoseconds. */
    public static final long REPEAT_NANOS = 10_000_000_000L;

    /**
     * The one that suits an output.
     *
     * @param terminal whether the output is a terminal
     * @param environment of this process, in which TERM names the kind of terminal
     */
    public static StatusLine of(boolean terminal, Map<String, String> environment) {
        return !terminal ? NONE : goesBack(environment) ? REDRAWN : REPEATED;
    }

    /** Whether a terminal can go back in a line, and knows colours: all can but those that TERM calls dumb or does not name. */
    public static boolean goesBack(Map<String, String> environment) {
        String term = environment.getOrDefault("TERM", "");
        return !term.isEmpty() && !term.equals("dumb");
    }
}
