package io.brokermeter.trials;

import java.io.PrintStream;
import java.util.function.Consumer;

import io.brokermeter.reports.screen.StatusLine;

/**
 * Shows what a long step does: on a terminal in one line that is redrawn each time and removed at the end; elsewhere, and on a terminal
 * that cannot go back in a line, in a line every few seconds. Thread-safe.
 */
public final class ProgressLine implements Consumer<String>, AutoCloseable {

    private static final long PAUSE_NANOS = 5_000_000_000L;

    private final PrintStream err;
    private final StatusLine kind;
    private boolean drawn;
    private long last = System.nanoTime() - PAUSE_NANOS;

    /** @param kind the kind of the line; {@link StatusLine#NONE} leaves out the sentences of {@link #drawOnly} */
    public ProgressLine(PrintStream err, StatusLine kind) {
        this.err = err;
        this.kind = kind;
    }

    /** Creates a line on {@code err} of the kind that suits the terminal of this program. */
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

    /** Shows a sentence that is worth a line on a terminal only. */
    public void drawOnly(String sentence) {
        if (kind != StatusLine.NONE) {
            accept(sentence);
        }
    }

    /** Removes the line. */
    @Override
    public synchronized void close() {
        if (drawn) {
            err.print("\r\033[K");
            err.flush();
            drawn = false;
        }
    }
}
