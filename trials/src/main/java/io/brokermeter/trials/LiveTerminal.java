package io.brokermeter.trials;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.brokermeter.engine.recording.Event;
import io.brokermeter.engine.recording.Interval;
import io.brokermeter.engine.recording.RunResult;
import io.brokermeter.engine.run.RunObserver;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.live.LiveScreen;
import io.brokermeter.live.RunControls;
import io.brokermeter.reports.RunShape;
import io.brokermeter.reports.screen.StatusLine;
import io.brokermeter.trials.network.Interruption;
import org.jspecify.annotations.Nullable;

/**
 * The terminal of this program while a {@link LiveScreen} has it: keys are read as they are pressed and not shown, and standard error is kept
 * until the end. However the program ends, except by SIGKILL, the terminal is then as before. Only the keys need the program stty.
 */
final class LiveTerminal implements RunObserver {

    private static final long STTY_SECONDS = 5;

    private final LiveScreen screen;
    private final Held err;
    private final @Nullable String before;
    private final Thread atExit = new Thread(this::giveBack, "brokermeter-terminal");
    private boolean closed;

    private LiveTerminal(LiveScreen screen, PrintStream err, @Nullable String before) {
        this.screen = screen;
        this.err = new Held(err);
        this.before = before;
    }

    /**
     * Checks that there is a terminal that can be drawn on.
     *
     * @throws UsageException when there is none, or when a report goes to standard output
     */
    static void require(ReportPaths reports) {
        if (reports.takesStandardOutput() || Terminal.statusLine() != StatusLine.REDRAWN || !Terminal.isOutput()) {
            throw new UsageException("--live needs a terminal for its input and its output, and one that can be drawn on, as none with "
                + "TERM=dumb can.");
        }
    }

    /** Takes the terminal. */
    static LiveTerminal take(RunShape shape, PrintStream out, PrintStream err, RunControls controls) {
        String before = stty("-g");
        LiveScreen screen = new LiveScreen(shape, () -> Terminal.style(System.getenv()), out, controls);
        LiveTerminal terminal = new LiveTerminal(screen, err, before);
        Runtime.getRuntime().addShutdownHook(terminal.atExit);
        Interruption.onResize(screen::redraw);
        if (before != null) {
            // Ctrl-C stays a signal; a stopped program could not give the screen back.
            stty("-icanon", "-echo", "min", "1", "time", "0", "susp", "undef");
            Thread.ofPlatform().daemon().name("brokermeter-keys").start(terminal::keys);
        }
        return terminal;
    }

    private void keys() {
        try (InputStream in = new FileInputStream(FileDescriptor.in)) {
            for (int key = in.read(); key >= 0; key = in.read()) {
                screen.key(key);
            }
        } catch (IOException e) {
            // There are no keys any more.
        }
    }

    /** Returns standard error, which is kept until the terminal is given back. */
    PrintStream err() {
        return new PrintStream(err, true, StandardCharsets.UTF_8);
    }

    @Override
    public void interval(Interval interval) {
        screen.interval(interval);
    }

    @Override
    public void event(Event event) {
        screen.event(event);
    }

    /** Gives the terminal back, for the summary. */
    @Override
    public void finished(RunResult result) {
        close();
    }

    @Override
    public void close() {
        giveBack();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // The program is ending already.
        }
    }

    private synchronized void giveBack() {
        if (closed) {
            return;
        }
        closed = true;
        screen.close();
        if (before != null) {
            stty(before);
        }
        err.release();
    }

    /** Runs stty on the terminal; returns what it says, null when it cannot be run. */
    private static @Nullable String stty(String... arguments) {
        List<String> command = new ArrayList<>(List.of("stty"));
        command.addAll(List.of(arguments));
        try {
            Process process = new ProcessBuilder(command).redirectInput(new File("/dev/tty")).redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
            if (!process.waitFor(STTY_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return null;
            }
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
            return process.exitValue() == 0 ? said : null;
        } catch (IOException e) {
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /** A stream that keeps what is written to it until it is released. */
    private static final class Held extends OutputStream {

        private final PrintStream target;
        private @Nullable ByteArrayOutputStream kept = new ByteArrayOutputStream();

        Held(PrintStream target) {
            this.target = target;
        }

        @Override
        public void write(int one) {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public synchronized void write(byte[] bytes, int offset, int length) {
            ByteArrayOutputStream buffer = kept;
            if (buffer == null) {
                target.write(bytes, offset, length);
            } else {
                buffer.write(bytes, offset, length);
            }
        }

        @Override
        public void flush() {
            target.flush();
        }

        synchronized void release() {
            ByteArrayOutputStream buffer = kept;
            kept = null;
            if (buffer != null) {
                target.write(buffer.toByteArray(), 0, buffer.size());
                target.flush();
            }
        }
    }
}
