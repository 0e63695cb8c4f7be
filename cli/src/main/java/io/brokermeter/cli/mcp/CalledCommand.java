package io.brokermeter.cli.mcp;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.brokermeter.cli.Main;
import io.brokermeter.cli.prepare.CacheTraining;
import io.brokermeter.experiment.access.EndpointChoice;
import io.brokermeter.proc.LineProcess;
import io.brokermeter.spi.parameter.Secret;
import io.brokermeter.trials.worker.WorkerLauncher;
import org.jspecify.annotations.Nullable;

/**
 * A command of this tool in a process of its own, as a user would start it. Its standard input is open as long as its result is wanted: the
 * process ends as at a signal when that closes, so also when this process is gone. {@link #end} may be called from any thread.
 */
final class CalledCommand implements AutoCloseable {

    /** The time for a clean end: what is due is drained, what was created is removed. */
    private static final Duration CLEAN = Duration.ofSeconds(60);
    private static final Duration SOON = Duration.ofSeconds(5);
    private static final int LAST_WORDS = 5;

    private final Process process;
    private final LineProcess lines;
    private final Path errors;
    private volatile String last = "";
    private volatile long endAt = Long.MAX_VALUE;

    private CalledCommand(Process process, Path errors) {
        this.process = process;
        this.lines = new LineProcess(process);
        this.errors = errors;
    }

    /**
     * Starts a command.
     *
     * @param directory where its errors go
     * @param password the password of the broker; null for none
     */
    static CalledCommand start(List<String> words, Path directory, @Nullable Secret password) throws IOException {
        Path errors = directory.resolve("errors");
        ProcessBuilder builder = WorkerLauncher.command(Main.class, Main.CALLED, words).redirectError(errors.toFile());
        builder.environment().put(CacheTraining.VARIABLE, "off");
        if (password != null) {
            builder.environment().put(EndpointChoice.PASSWORD_VARIABLE, password.reveal());
        }
        CalledCommand run = new CalledCommand(builder.start(), errors);
        run.lines.read("brokermeter-call", run::said, () -> {});
        return run;
    }

    private void said(String line) {
        String text = line.strip().replaceFirst("^-+\\s*", "").replaceAll("\\s+", " ");
        if (!text.isEmpty()) {
            last = text;
        }
    }

    /**
     * Waits for the end of the command, and ends it when its time is over or somebody else asked for it.
     *
     * @param tick told the last line of the command each second
     * @return whether its time was over
     */
    boolean await(Duration limit, Consumer<String> tick) throws InterruptedException {
        long over = System.nanoTime() + limit.toNanos();
        boolean late = false;
        while (!lines.awaitEnd(Duration.ofSeconds(1))) {
            long now = System.nanoTime();
            if (!late && now - over > 0) {
                late = true;
                end();
            }
            if (endAt != Long.MAX_VALUE && now - endAt > CLEAN.toNanos()) {
                close();
            }
            tick.accept(last);
        }
        return late;
    }

    /** Asks the command to end cleanly, as a first Ctrl-C does; does not wait. */
    void end() {
        try {
            if (endAt == Long.MAX_VALUE) {
                endAt = System.nanoTime();
            }
            process.getOutputStream().close();
        } catch (IOException e) {
            // it has ended
        }
    }

    /** Returns the last sentences that the command printed to standard error, without warnings and notes; empty for none. */
    String complaint() throws IOException {
        List<String> said = new String(Files.readAllBytes(errors), StandardCharsets.UTF_8).lines()
            .filter(line -> !line.isBlank() && !line.startsWith("warning: ") && !line.startsWith("note: ")).toList();
        return String.join("\n", said.subList(Math.max(0, said.size() - LAST_WORDS), said.size()));
    }

    /** Ends the process if it still runs: at once, but with what it must remove. */
    @Override
    public void close() {
        if (!process.isAlive()) {
            return;
        }
        end();
        try {
            process.destroy();
            if (!lines.awaitExit(SOON)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
        }
    }
}
