package io.brokermeter.trials.worker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.proc.LineProcess;
import io.brokermeter.reports.PrivateFiles;
import io.brokermeter.trials.IoCause;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Worker} as its parent sees it. The worker is killed when it is silent for too long, when it takes longer than it may, and when
 * this object is closed; somebody must wait for its end, since a wait is what watches it. Any thread may call any method.
 */
public final class WorkerProcess implements AutoCloseable {

    /** How a failure of a worker is told: in a sentence about a trial, or in the second half of one about an agent. */
    public enum Words {
        TRIAL("The worker process %d", "trial", "."), SHARE("its worker, process %d,", "run", "");

        private final String subject;
        private final String work;
        private final String end;

        Words(String subject, String work, String end) {
            this.subject = subject;
            this.work = work;
            this.end = end;
        }
    }

    /** The longest silence of a worker. It sends a line every second, but a machine that swaps may delay that for a while. */
    private static final Duration SILENCE = Duration.ofSeconds(60);
    private static final Duration POLL = Duration.ofMillis(100);
    /** The longest wait for a process that was killed, and for the thread that reads its last lines, which a busy machine may delay. */
    private static final Duration END = Duration.ofSeconds(60);
    private static final int LAST_LINES = 5;

    private final LineProcess process;
    private final Path log;
    private final Words words;
    private final Object limits = new Object();
    private @Nullable Long deadline;
    /** What the worker says of its failure. */
    private volatile @Nullable String said;
    /** Why the worker was killed. */
    private volatile @Nullable String killed;
    private volatile boolean finished;

    /**
     * Takes over a process that waits for its order.
     *
     * @param log the file with its standard error
     */
    public WorkerProcess(Process process, Path log, Words words) {
        this.process = new LineProcess(process);
        this.log = log;
        this.words = words;
    }

    /**
     * Starts a worker of a sweep and sends it its order.
     *
     * @param log file for its standard error; deleted at the end when it is empty
     * @param lines receives what the worker reports, on a thread of this object
     * @throws UsageException when the machine cannot start the process
     * @throws IOException when the log cannot be written
     */
    public static WorkerProcess start(WorkerLauncher launcher, WorkerOrder order, Path log, Consumer<String> lines) throws IOException {
        PrivateFiles.file(log);
        Process process;
        try {
            process = launcher.start(log);
        } catch (IOException e) {
            throw new UsageException("The worker process could not be started: " + IoCause.of(e) + ".");
        }
        WorkerProcess worker = new WorkerProcess(process, log, Words.TRIAL);
        worker.read(lines, () -> {});
        worker.tell(order.line());
        return worker;
    }

    /**
     * Begins to read what the worker says.
     *
     * @param lines receives what it reports, one JSON object a line, on a thread of this object
     * @param ended called after the last line, on the same thread
     */
    public void read(Consumer<String> lines, Runnable ended) {
        process.read("brokermeter-worker-reader", line -> hear(line, lines), ended);
    }

    private void hear(String line, Consumer<String> lines) {
        if (WorkerLine.is(WorkerLine.Failed.class, line)) {
            said = WorkerLine.read(line) instanceof WorkerLine.Failed(String sentence) ? sentence : null;
        } else if (WorkerLine.is(WorkerLine.Finished.class, line)) {
            finished = true;
        } else if (line.startsWith("{") && !WorkerLine.is(WorkerLine.Alive.class, line)) {
            lines.accept(line);
        }
    }

    /** Sends a line. One that does not arrive is missed by nobody: the worker is gone, and its end says why. */
    public void tell(String line) {
        try {
            process.tell(line);
        } catch (IOException e) {
            // its end is reported
        }
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /**
     * Waits for the end of the worker.
     *
     * @param limit the longest time to wait
     * @return null when the worker came to a result, which is in its files; otherwise the reason why not, in one sentence
     */
    public @Nullable String await(Duration limit) throws InterruptedException {
        endWithin(limit);
        while (!await()) {
            // The wait itself ends a worker that is silent or late.
        }
        process.awaitEnd(END);
        return failure();
    }

    /** Waits for the end of the worker for a moment, and kills it when it is silent or late. Returns whether it has ended. */
    public boolean await() throws InterruptedException {
        if (process.awaitExit(POLL)) {
            return true;
        }
        if (process.silence() > SILENCE.toNanos()) {
            kill(subject() + " said nothing for " + SILENCE.toSeconds() + " s and was ended" + words.end);
        } else if (isOver(System.nanoTime())) {
            kill(subject() + " did not end in the time that the " + words.work + " may take and was ended" + words.end);
        } else {
            return false;
        }
        process.awaitExit(END);
        return true;
    }

    private String subject() {
        return words.subject.formatted(process.pid());
    }

    /** Waits for the end of the worker, without watching it. */
    public void awaitExit(Duration limit) throws InterruptedException {
        process.awaitExit(limit);
    }

    /** Returns why a worker that has ended has no result; null when it has one. */
    public @Nullable String failure() {
        if (killed != null || said != null) {
            return killed != null ? killed : said;
        }
        if (finished) {
            return null;
        }
        List<String> lines = lastLines();
        return subject() + " ended with status " + process.status() + " and without a result"
            + (lines.isEmpty() ? words.end : "; its last line: " + lines.getLast());
    }

    /** Returns the last lines that the worker wrote to its standard error. */
    public List<String> lastLines() {
        try {
            List<String> lines = Files.readAllLines(log);
            return lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size());
        } catch (IOException e) {
            return List.of();
        }
    }

    /**
     * Requests a clean end.
     *
     * @param within the time that the end may take before the worker is killed
     */
    public void stop(int signal, Duration within) {
        endWithin(within);
        tell(WorkerOrder.STOP + signal);
    }

    /** Sets a limit of time. The earliest of all limits applies, in whichever order they are set. */
    public void endWithin(Duration limit) {
        long at = System.nanoTime() + limit.toNanos();
        synchronized (limits) {
            if (deadline == null || at - deadline < 0) {
                deadline = at;
            }
        }
    }

    /** Returns whether the time is over that the worker may take. */
    public boolean isOver(long now) {
        synchronized (limits) {
            return deadline != null && now - deadline > 0;
        }
    }

    /** Kills the worker, and has {@link #failure} say why. */
    public void kill(String why) {
        killed = why;
        kill();
    }

    public void kill() {
        process.kill();
    }

    @Override
    public void close() {
        kill();
        try {
            process.awaitExit(END);
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
