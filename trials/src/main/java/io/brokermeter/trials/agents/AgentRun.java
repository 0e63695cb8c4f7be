package io.brokermeter.trials.agents;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.brokermeter.experiment.portable.PortableFiles;
import io.brokermeter.experiment.portable.PortableScenario;
import io.brokermeter.reports.PrivateFiles;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.trials.TemporaryDirectory;
import io.brokermeter.trials.worker.LineCoordination;
import io.brokermeter.trials.worker.WorkerOrder;
import io.brokermeter.trials.worker.WorkerProcess;
import org.jspecify.annotations.Nullable;

/**
 * One run on an agent: the worker, its directory, and the lines between it and the coordinator. The output of the worker is read at once,
 * whether the coordinator takes it or not, so a slow coordinator slows no load. Methods may be called from any thread; none of them blocks,
 * except {@link #start}, {@link #end} and {@link #kill}.
 */
final class AgentRun {

    /** The file with the standard error of the worker, one of the files of the run. */
    static final String LOG = "worker.log";

    /** The most that may wait for a coordinator that takes nothing, in characters. */
    private static final long MOST_WAITING = 64L << 20;
    /**
     * The most bytes that wait to be sent when a piece of a file is added; it is added later otherwise. Less than what may wait, so other
     * messages find room.
     */
    static final long MOST_UNSENT = 16L << 20;
    private static final Duration ABORT = Duration.ofSeconds(2);
    private static final long POLL_MILLIS = 10;
    private static final long CLOCK_WITHIN_SECONDS = 30;
    /** The longest pause between two lines to the worker, in milliseconds; a worker ends its load when it gets none for some seconds. */
    private static final long SIGN_OF_LIFE_MILLIS = 500;
    private static final long CLOCK_TOLD_NANOS = 5_000_000_000L;
    private static final long FILES_HOME_SECONDS = 60;

    private final String name;
    private final long zero;
    private final Consumer<Message> coordinator;
    private final LongSupplier unsent;
    private final Runnable over;
    private final TemporaryDirectory directory;
    private final WorkerProcess worker;
    private final BlockingQueue<String> toWorker = new LinkedBlockingQueue<>();
    private final BlockingQueue<Message> toCoordinator = new LinkedBlockingQueue<>();
    private final AtomicLong waiting = new AtomicLong();
    private final AgentClock clock;
    private volatile boolean unwanted;
    /** Whether more waited for the coordinator than may wait: neither lines of the worker nor files are sent to it any more. */
    private volatile boolean flooded;
    private volatile boolean filesReceived;
    /** Whether nobody waits for a message about the end of the run: the coordinator has left, wants the run no more, or has all of it. */
    private volatile boolean released;
    private volatile boolean begun;

    private AgentRun(String name, long zero, TemporaryDirectory directory, WorkerProcess worker, AgentClock clock,
            Consumer<Message> coordinator, LongSupplier unsent, Runnable over) {
        this.name = name;
        this.zero = zero;
        this.directory = directory;
        this.worker = worker;
        this.clock = clock;
        this.coordinator = coordinator;
        this.unsent = unsent;
        this.over = over;
    }

    /**
     * Starts a worker.
     *
     * @param name name of the run
     * @param clock the coordinator's clock; closed at the end
     * @param coordinator receives messages; it may block, and throws when the coordinator is gone
     * @param unsent returns the number of bytes that still wait to be sent to the coordinator; 0 when it is gone
     * @param over called once when nothing of the run is left
     * @throws IOException when the worker cannot be started; nothing is left then
     */
    static AgentRun start(String name, WorkerOrder order, Agent.Starter starter, AgentClock clock, Consumer<Message> coordinator,
            LongSupplier unsent, Runnable over) throws IOException {
        TemporaryDirectory directory;
        try {
            directory = TemporaryDirectory.create();
        } catch (IOException | RuntimeException e) {
            // An open clock would query the coordinator as long as this process lives.
            clock.close();
            throw e;
        }
        Path path = directory.path();
        try {
            RunDirectory.write(path.resolve(RunDirectory.SCENARIO), order.scenario());
            enclose(order.files(), path);
            Path log = PrivateFiles.file(path.resolve(LOG));
            AgentRun run = new AgentRun(name, order.zero(), directory,
                new WorkerProcess(starter.start(log), log, WorkerProcess.Words.SHARE), clock, coordinator, unsent, over);
            run.begin(order.with(its -> {
                its.directory = path.toString();
                its.files = Map.of();
            }));
            return run;
        } catch (IOException | RuntimeException e) {
            clock.close();
            directory.delete();
            throw e;
        }
    }

    /**
     * Writes the files of an order below the directory of the run, under names that only this program gives. They are deleted with the
     * directory, and not sent to the coordinator.
     */
    private static void enclose(Map<String, String> files, Path directory) throws IOException {
        int left = PortableScenario.MOST_BYTES;
        for (Map.Entry<String, String> file : files.entrySet()) {
            byte[] content = Base64.getDecoder().decode(file.getValue());
            left -= content.length;
            if (left < 0 || !PortableFiles.isEnclosed(file.getKey())) {
                throw new IOException("the files of its order are too large, or their names are none");
            }
            Path path = directory.resolve(file.getKey());
            PrivateFiles.directories(Objects.requireNonNull(path.getParent()));
            Files.write(PrivateFiles.file(path), content);
        }
    }

    private void begin(WorkerOrder order) {
        worker.read(this::said, this::ended);
        thread("writer", () -> write(order));
        thread("sender", this::deliver);
        thread("watch", this::watch);
    }

    private void thread(String what, Runnable task) {
        Thread.ofPlatform().daemon().name("brokermeter-agent-" + what).start(task);
    }

    String name() {
        return name;
    }

    /** Sends a line to the worker. */
    void tell(String line) {
        LineCoordination.News news = LineCoordination.news(line);
        if (news != null && news.start() != 0 && !begun) {
            begun = true;
            clock.begins(news.start() - zero);
        }
        toWorker.add(line);
    }

    /** Ends the worker at once, as {@link #cancel} does, while other agents may go on. */
    void leave() {
        tell(WorkerOrder.LEAVE);
        cancel();
    }

    /** Ends the worker at once, and discards the run. */
    void cancel() {
        unwanted = true;
        released = true;
        tell(WorkerOrder.ABORT);
        worker.endWithin(ABORT);
    }

    /** Ends the worker cleanly, or by force when it takes too long. */
    void stop(int signal, Duration within) {
        tell(WorkerOrder.STOP + signal);
        worker.endWithin(within);
    }

    /** Notes that the files have arrived. */
    void filesReceived() {
        filesReceived = true;
        released = true;
    }

    /** Returns whether the coordinator has everything of the run. */
    boolean isHome() {
        return filesReceived;
    }

    /** Returns whether nothing more of the run will come, so that it is over in a moment. */
    boolean isEnding() {
        return filesReceived || unwanted;
    }

    /** Ends the worker, as {@link #cancel} does, waits for its end, and deletes the directory. */
    void end() {
        cancel();
        awaitEnd();
        kill();
    }

    /** Kills the worker, waits for its end, two seconds at most, and deletes the directory. */
    void kill() {
        unwanted = true;
        released = true;
        worker.kill();
        awaitEnd();
        directory.delete();
    }

    private void awaitEnd() {
        try {
            worker.awaitExit(ABORT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- towards the worker ----

    private void write(WorkerOrder order) {
        try {
            String first = firstLine();
            if (first == null) {
                worker.kill("the coordinator's clock did not answer within " + CLOCK_WITHIN_SECONDS + " s, by UDP and by TCP: " + clock);
                return;
            }
            worker.tell(order.with(its -> its.clock = first).line());
            clock.whenNext(() -> toWorker.add(""));
            while (worker.isAlive()) {
                String line = toWorker.poll(SIGN_OF_LIFE_MILLIS, TimeUnit.MILLISECONDS);
                String time = clock.next();
                if (time != null) {
                    worker.tell(WorkerOrder.CLOCK + time);
                }
                if (line == null ? time == null : !line.isEmpty()) {
                    // An empty line is a sign of life, as every other line.
                    worker.tell(line == null ? "" : line);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private @Nullable String firstLine() throws InterruptedException {
        long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOCK_WITHIN_SECONDS);
        String line = clock.next();
        while (line == null && worker.isAlive() && System.nanoTime() - limit < 0) {
            Thread.sleep(POLL_MILLIS);
            line = clock.next();
        }
        return line;
    }

    /** @return whether there was an estimate of the clock */
    private boolean tellClock(List<String> sentences) {
        AgentClock.Known known = clock.known();
        if (known != null && sentences.isEmpty()) {
            toCoordinator.add(new Message.Clock(name, known.offset(), known.bound(), null));
        }
        sentences.forEach(sentence -> toCoordinator.add(new Message.Clock(name, known == null ? Double.NaN : known.offset(),
            known == null ? Double.POSITIVE_INFINITY : known.bound(), sentence)));
        return known != null;
    }

    /** Watches the worker, and reports its clock. */
    private void watch() {
        try {
            long told = System.nanoTime() - CLOCK_TOLD_NANOS;
            while (!worker.await()) {
                long now = System.nanoTime();
                List<String> sentences = clock.news();
                if ((now - told >= CLOCK_TOLD_NANOS || !sentences.isEmpty()) && tellClock(sentences)) {
                    told = now;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- towards the coordinator ----

    private void said(String line) {
        if (unwanted) {
            return;
        }
        if (waiting.addAndGet(line.length()) > MOST_WAITING) {
            flooded = true;
            worker.kill("the coordinator took so little of what its worker said that more than " + (MOST_WAITING >> 20)
                + " MiB waited");
        } else {
            toCoordinator.add(new Message.Said(name, line));
        }
    }

    private void ended() {
        tellClock(clock.news());
        toCoordinator.add(new Message.Ended(name, worker.failure(), worker.lastLines()));
    }

    /** Sends the coordinator what the worker reported, and at the end its files. */
    private void deliver() {
        try {
            while (true) {
                Message message = toCoordinator.take();
                if (message instanceof Message.Said said) {
                    waiting.addAndGet(-said.line().length());
                }
                if (!unwanted && !(flooded && message instanceof Message.Said)) {
                    coordinator.accept(message);
                }
                if (message instanceof Message.Ended) {
                    break;
                }
            }
            if (!unwanted && !flooded) {
                coordinator.accept(new Message.AllSent(name, FileTransfer.send(name, directory.path(), this::piece)));
                long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(FILES_HOME_SECONDS);
                while (!filesReceived && !unwanted && System.nanoTime() - limit < 0) {
                    Thread.sleep(2 * POLL_MILLIS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException | RuntimeException e) {
            giveUp(e);
        }
        clock.close();
        worker.kill();
        directory.delete();
        over.run();
    }

    /**
     * Gives up the run, since the coordinator is gone, took nothing for too long, or cannot have the files. A coordinator that is there
     * must not wait for what does not come, so it is told as often as it has no room for that.
     */
    private void giveUp(Exception why) {
        if (unwanted) {
            return;
        }
        unwanted = true;
        worker.kill();
        Message ended = new Message.Ended(name, "not all that it said or its files could be sent: " + cause(why), List.of());
        do {
            if (unsent.getAsLong() <= MOST_UNSENT) {
                try {
                    coordinator.accept(ended);
                    return;
                } catch (RuntimeException e) {
                    // It is gone, as is reported in a moment, or took nothing again.
                }
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS));
        } while (!released && !worker.isOver(System.nanoTime()));
    }

    private static String cause(Exception why) {
        Throwable first = why.getCause() == null ? why : why.getCause();
        return String.valueOf(first.getMessage());
    }

    /** Sends a piece of a file, as late as the coordinator takes earlier ones: it may have many agents, and one disk. */
    private void piece(Message piece) {
        while (!unwanted && unsent.getAsLong() > MOST_UNSENT) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS));
        }
        if (unwanted) {
            throw new IllegalStateException("nobody wants it");
        }
        coordinator.accept(piece);
    }
}
