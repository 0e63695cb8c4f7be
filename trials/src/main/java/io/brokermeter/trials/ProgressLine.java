package io.brokermeter.trials;

import java.io.PrintStream;
import java.util.function.Consumer;

import io.brokermeter.reports.StatusLine;

/**
 * What a long step does: on a terminal one line that is drawn anew each time and gone at the end; elsewhere, and on a terminal that cannot go
 * back in a line, a line every few seconds. Safe for use by several threads.
 */
public final class ProgressLine implements Consumer<String>, AutoCloseable {

    private static final long PAUSE_NANOS = 5_000_000_000L;

    private final PrintStream err;
    private final StatusLine kind;
    private boolean drawn;
    private long last = System.nanoTime() - PAUSE_NANOS;

    /** @param kind {@link StatusLine#NONE} prints no more than what takes long */
    public ProgressLine(PrintStream err, StatusLine kind) {
        this.err = err;
        this.kind = kind;
    }

    /** On {@code err} as suits the terminal of this program. */
    public static ProgressLine on(PrintStream err) {
        return new ProgressLine(err, Terminal.statusLine());
    }

    @Override
    public synchronized void accept(String sentence) {
        if (kind == StatusLine.REDRAWN) {
            err.print("\r" + sentence + " ...\033[K");
            err.flush();
            drawn = true;
        } else if (System.nanoTime() - last >= PAUSE_NANOS) {
            err.println(sentence + " ...");
            last = System.nanoTime();
        }
    }

    /** A sentence that is worth a line on a terminal alone. */
    public void drawOnly(String sentence) {
        if (kind != StatusLine.NONE) {
            accept(sentence);
        }
    }

    /** Clears the line. */
    @Override
    public synchronized void close() {
        if (drawn) {
            err.print("\r\033[K");
            err.flush();
            drawn = false;
        }
    }
}
