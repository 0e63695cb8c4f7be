package io.brokermeter.proc;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * A child process that is told lines and says lines, in UTF-8. What it says is read at once, on a thread of this object, so that it never
 * waits for room. Any thread may call any method.
 */
public final class LineProcess {

    private final Process process;
    private volatile @Nullable Thread reader;
    private volatile long heardAt = System.nanoTime();

    public LineProcess(Process process) {
        this.process = process;
    }

    /**
     * Begins to read what the process says; called once.
     *
     * @param thread name of the thread that reads
     * @param said receives each line on that thread; when it throws, the rest is not read. That a line is not understood, an
     *     {@link IllegalArgumentException}, is no error of this program; others are left to the thread's handler
     * @param ended called on that thread after the last line, when the process has ended
     */
    public void read(String thread, Consumer<String> said, Runnable ended) {
        Thread started = Thread.ofPlatform().daemon().name(thread).unstarted(() -> read(said, ended));
        reader = started;
        started.start();
    }

    private void read(Consumer<String> said, Runnable ended) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                heardAt = System.nanoTime();
                said.accept(line);
            }
        } catch (IOException | UncheckedIOException | IllegalArgumentException e) {
            // The process was ended, or says what nobody understands: its end is reported in any case.
        } finally {
            try {
                process.waitFor();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            ended.run();
        }
    }

    /**
     * Writes a line. Blocks while the process reads nothing and its input is full.
     *
     * @throws IOException when the process reads nothing any more
     */
    public synchronized void tell(String line) throws IOException {
        OutputStream to = process.getOutputStream();
        to.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        to.flush();
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Returns the exit status of the process; -1 as long as it runs. */
    public int status() {
        return process.isAlive() ? -1 : process.exitValue();
    }

    /** Returns a handle of the process, as for its CPU time. */
    public ProcessHandle handle() {
        return process.toHandle();
    }

    /** Returns the time since the last line, or since the beginning, in nanoseconds. */
    public long silence() {
        return System.nanoTime() - heardAt;
    }

    /** Waits until the process has ended; returns whether that was so in time. */
    public boolean awaitExit(Duration limit) throws InterruptedException {
        return process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Waits until the process has ended and its last line was handled; returns whether that was so in time. */
    public boolean awaitEnd(Duration limit) throws InterruptedException {
        long until = System.nanoTime() + limit.toNanos();
        Thread reads = reader;
        return awaitExit(limit) && (reads == null || reads.join(Duration.ofNanos(Math.max(0, until - System.nanoTime()))));
    }

    /** Kills the process, without waiting for its end. */
    public void kill() {
        process.destroyForcibly();
    }
}
