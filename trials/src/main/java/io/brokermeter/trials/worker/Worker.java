package io.brokermeter.trials.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

import io.brokermeter.engine.run.Run;
import io.brokermeter.engine.run.RunFailure;
import io.brokermeter.engine.scenario.UsageException;
import io.brokermeter.experiment.table.Option;
import io.brokermeter.reports.Sentences;
import io.brokermeter.spi.failure.OutOfMemory;
import io.brokermeter.trials.network.Interruption;
import org.jspecify.annotations.Nullable;

/**
 * Executes one trial, or a share of one, in a JVM of its own. The first line of standard input is a {@link WorkerOrder}; afterwards
 * {@code stop N} requests a clean end and {@code abort} an immediate one, and the end of the input, which comes when the parent is gone, ends
 * the process. Standard output carries {@link WorkerLine}s.
 */
public final class Worker {

    /** The command of this class, which is not listed by the help. */
    public static final String COMMAND = "worker";

    private static final int FAILED = 1;
    private static final int WRONG_USAGE = 2;
    private static final long HEARTBEAT_MILLIS = 1_000;
    private static final long LAST_WORDS_MILLIS = 2_000;
    /** The most that one check adds to an agent's silence, in nanoseconds. */
    private static final long LONGEST_LOOK = 500_000_000L;
    /** Longer than the silence after which a coordinator takes an agent for lost; a load that nobody controls ends within 5 s. */
    private static final long AGENT_SILENCE = 4_000_000_000L;

    private final BufferedReader in;
    private final PrintStream out;
    private volatile @Nullable Run run;
    private volatile @Nullable WorkerTask task;
    private volatile long heardAt = System.nanoTime();
    /** Whether the process that started this one is gone or silent: nobody else deletes the files of this one then. */
    private volatile boolean orphaned;

    public Worker(InputStream in, PrintStream out) {
        this.in = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        this.out = out;
    }

    /** Executes the trial and returns the exit status, which is that of the run. */
    public int run() {
        // The terminal sends Ctrl-C to parent and worker; the parent decides.
        Interruption.ignoreTerminal();
        WorkerTask work;
        try {
            String line = in.readLine();
            if (line == null) {
                return WRONG_USAGE;
            }
            // Before the thread that obeys starts, since other lines follow at once.
            work = WorkerTask.of(WorkerOrder.read(line), this::say, running -> run = running);
            task = work;
        } catch (IOException | RuntimeException e) {
            say(new WorkerLine.Failed("The worker got no orders: " + e.getMessage()));
            return WRONG_USAGE;
        }
        Thread.ofPlatform().daemon().name("brokermeter-orders").start(this::obey);
        Thread.ofPlatform().daemon().name("brokermeter-alive").start(this::beat);
        try {
            if (work.isShare()) {
                heardAt = System.nanoTime();
                Thread.ofPlatform().daemon().name("brokermeter-agent-watch").start(this::watchAgent);
            }
            int status = work.execute();
            say(new WorkerLine.Finished(status));
            return status;
        } catch (UsageException e) {
            fail(e.sentence(Option::inFile));
            return WRONG_USAGE;
        } catch (RunFailure e) {
            fail(String.join("; ", new Sentences(Option::inFile).of(e.findings())));
            return FAILED;
        } catch (OutOfMemoryError e) {
            fail(OutOfMemory.sentence(String.valueOf(e.getMessage())));
            return FAILED;
        } catch (Exception | LinkageError e) {
            OutOfMemory.check(e);
            fail("Unexpected " + e.getClass().getSimpleName() + (e.getMessage() == null ? "" : ": " + e.getMessage()));
            e.printStackTrace();
            return FAILED;
        } finally {
            if (orphaned) {
                // The load that was ended may finish before the thread that ended it goes on.
                clear();
            }
        }
    }

    /**
     * Ends this process when its agent is silent: an agent sends a line twice a second at least, and without it nobody could end this
     * process. Time in which this process itself was frozen, and received nothing, hardly counts.
     */
    private void watchAgent() {
        long heard = heardAt;
        long silence = 0;
        for (long before = System.nanoTime(); silence < AGENT_SILENCE;) {
            Interruption.sleep(HEARTBEAT_MILLIS / 10);
            long now = System.nanoTime();
            long latest = heardAt;
            silence = latest == heard ? silence + Math.min(now - before, LONGEST_LOOK) : 0;
            heard = latest;
            before = now;
        }
        // An agent that stands still reads nothing either: where the output is full, the sentence never gets out, and the end must come.
        Thread words = Thread.ofPlatform().daemon().name("brokermeter-agent-silent")
            .start(() -> say(new WorkerLine.Failed("Its agent said nothing for " + AGENT_SILENCE / 1_000_000_000 + " s.")));
        try {
            words.join(HEARTBEAT_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        end();
    }

    private void obey() {
        try {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                heardAt = System.nanoTime();
                WorkerTask work = Objects.requireNonNull(task);
                if (line.isEmpty() || work.hear(line)) {
                    continue;
                }
                Run current = run;
                boolean begun = current != null && current.hasBegun();
                if (current == null || !begun && !work.isShare()) {
                    Runtime.getRuntime().halt(FAILED);
                } else if (line.equals(WorkerOrder.LEAVE)) {
                    current.leave();
                } else if (begun && line.startsWith(WorkerOrder.STOP)) {
                    current.stop(Integer.parseInt(line.substring(WorkerOrder.STOP.length())));
                } else {
                    // A share that has not begun closes, too: what it created is to be removed. Its agent kills it when that takes long.
                    current.abort();
                }
            }
        } catch (IOException | RuntimeException e) {
            // treated as the end of the input
        }
        end();
    }

    /** Ends the load, and a moment later the process. */
    private void end() {
        orphaned = true;
        Run current = run;
        if (current != null && (Objects.requireNonNull(task).isShare() || current.hasBegun())) {
            // Only the agent is gone for certain: the run may go on elsewhere.
            current.leave();
            Interruption.sleep(LAST_WORDS_MILLIS);
        }
        clear();
        Runtime.getRuntime().halt(FAILED);
    }

    private void clear() {
        WorkerTask work = task;
        if (work != null) {
            work.clear();
        }
    }

    private void beat() {
        while (true) {
            say(new WorkerLine.Alive());
            Interruption.sleep(HEARTBEAT_MILLIS);
        }
    }

    private void fail(String sentence) {
        say(new WorkerLine.Failed(Objects.requireNonNull(task).told(sentence)));
    }

    private synchronized void say(WorkerLine line) {
        out.println(line.text());
        out.flush();
    }
}
