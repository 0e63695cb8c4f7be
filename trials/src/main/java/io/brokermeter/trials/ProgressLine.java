package io.brokermeter.trials;

import java.io.PrintStream;
import java.util.function.Consumer;

/**
 * What a long step does: on a terminal one line that is drawn anew each time and gone at the end, elsewhere a line every
 * few seconds. Safe for use by several threads.
 */
public final class ProgressLine implements Consumer<String>, AutoCloseable {

    private static final long PAUSE_NANOS = 5_000_000_000L;

    private final PrintStream err;
    private final boolean terminal;
    private boolean drawn;
    private long last = System.nanoTime() - PAUSE_NANOS;

    /** @param terminal whether {@code err} is one */
    public ProgressLine(PrintStream err, boolean terminal) {
        this.err = err;
        this.terminal = terminal;
    }

    /** Whether what this program prints is seen at once. */
    public static boolean isTerminal() {
        return System.console() != null && System.console().isTerminal();
    }

    @Override
    public synchronized void accept(String sentence) {
        if (terminal) {
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
        if (terminal) {
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
