package io.brokermeter.trials.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.reports.PrivateFiles;
import io.brokermeter.reports.json.JsonText;
import io.brokermeter.trials.IoCause;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Worker} as its parent sees it. The worker is killed when it is silent for too long, when it takes far longer than planned, and
 * when this object is closed. {@link #stop} and {@link #kill} may be called from any thread.
 */
public final class WorkerProcess implements AutoCloseable {

    /** The longest silence of a worker. It sends a line every second, but a machine that swaps may delay that for a while. */
    private static final Duration SILENCE = Duration.ofSeconds(60);
    private static final long POLL_MILLIS = 100;
    /** The longest wait for a process that was killed, and for the thread that reads its last lines, which a busy machine may delay. */
    private static final long END_SECONDS = 60;

    private final Process process;
    private final Path log;
    private final Thread reader;
    private volatile long heardAt = System.nanoTime();
    private final Object limits = new Object();
    private @Nullable Long deadline;
    private volatile @Nullable String failure;

    private WorkerProcess(Process process, Path log, Consumer<Map<String, @Nullable Object>> listener) {
        this.process = process;
        this.log = log;
        reader = Thread.ofPlatform().daemon().name("brokermeter-worker-reader").start(() -> read(listener));
    }

    /**
     * Starts a worker and sends it its order.
     *
     * @param log file for its standard error; deleted at the end when it is empty
     * @param listener receives intervals and events, on a thread of this object
     * @throws UsageException when the machine cannot start the process
     * @throws IOException when the log cannot be written
     */
    public static WorkerProcess start(WorkerPlace place, WorkerOrder order, Path log,
            Consumer<Map<String, @Nullable Object>> listener) throws IOException {
        PrivateFiles.file(log);
        Process process;
        try {
            process = place.start(log);
        } catch (IOException e) {
            throw new UsageException("The worker process could not be started: " + IoCause.of(e) + ".");
        }
        WorkerProcess worker = new WorkerProcess(process, log, listener);
        worker.send(order.json());
        return worker;
    }

    long pid() {
        return process.pid();
    }

    /**
     * Waits for the end of the worker.
     *
     * @param limit the longest time to wait
     * @return null when the worker came to a result, which is in its files; otherwise the reason why not, in one sentence
     */
    public @Nullable String await(Duration limit) throws InterruptedException {
        endWithin(limit);
        String killed = null;
        while (!process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
            long now = System.nanoTime();
            if (now - heardAt > SILENCE.toNanos()) {
                killed = "The worker process " + pid() + " said nothing for " + SILENCE.toSeconds() + " s and was ended.";
            } else if (isOver(now)) {
                killed = "The worker process " + pid() + " did not end in the time that the trial may take and was ended.";
            }
            if (killed != null) {
                process.destroyForcibly();
                process.waitFor(END_SECONDS, TimeUnit.SECONDS);
                break;
            }
        }
        reader.join(TimeUnit.SECONDS.toMillis(END_SECONDS));
        if (killed != null) {
            return killed;
        }
        String said = failure;
        if (said != null) {
            return said;
        }
        return finished ? null : "The worker process " + pid() + " ended with status " + process.exitValue()
            + " and without a result" + lastWords();
    }

    private volatile boolean finished;

    private void read(Consumer<Map<String, @Nullable Object>> listener) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                heardAt = System.nanoTime();
                if (line.startsWith("{")) {
                    hear(JsonText.read(line), listener);
                }
            }
        } catch (IOException | UncheckedIOException | IllegalArgumentException e) {
            // the end of the process is reported in any case
        }
    }

    private void hear(Map<String, @Nullable Object> message, Consumer<Map<String, @Nullable Object>> listener) {
        if (message.get("failed") instanceof String sentence) {
            failure = sentence;
        } else if (message.containsKey("finished")) {
            finished = true;
        } else if (!message.containsKey("alive")) {
            listener.accept(message);
        }
    }

    private String lastWords() {
        try {
            List<String> lines = Files.readAllLines(log);
            return lines.isEmpty() ? "." : "; its last line: " + lines.getLast();
        } catch (IOException e) {
            return ".";
        }
    }

    /**
     * Requests a clean end.
     *
     * @param within the time that the end may take before the worker is killed
     */
    public void stop(int signal, Duration within) {
        endWithin(within);
        send("stop " + signal);
    }

    /** Sets a limit of time. The earliest of all limits applies, in whichever order they are set. */
    private void endWithin(Duration limit) {
        long at = System.nanoTime() + limit.toNanos();
        synchronized (limits) {
            if (deadline == null || at - deadline < 0) {
                deadline = at;
            }
        }
    }

    private boolean isOver(long now) {
        synchronized (limits) {
            return deadline != null && now - deadline > 0;
        }
    }

    /** Sends the answer to a request of the worker. */
    public void tell(String line) {
        send(line);
    }

    public void kill() {
        process.destroyForcibly();
    }

    private synchronized void send(String line) {
        try {
            OutputStream to = process.getOutputStream();
            to.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            to.flush();
        } catch (IOException e) {
            // the worker is gone, and its end says why
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(END_SECONDS, TimeUnit.SECONDS);
            if (Files.exists(log) && Files.size(log) == 0) {
                Files.delete(log);
            }
        } catch (IOException e) {
            // an empty file is left
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
