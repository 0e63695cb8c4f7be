package io.brokermeter.trials;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;

import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.brokers.artifact.CacheDirectory;
import io.brokermeter.reports.directory.RunDirectory;
import io.brokermeter.reports.directory.RunStore;
import io.brokermeter.trials.sweep.SweepPlan;

/**
 * Reports once a second how long the start of a broker will still take, if it takes as long as the last start on this machine; at the first
 * start, how long it has taken so far. While files are fetched, reports that instead. Thread-safe.
 */
final class StartProgress implements Consumer<String>, AutoCloseable {

    private static final long TICK_MILLIS = 1_000;
    /** The longest pause between two reports of a fetch, in nanoseconds. */
    private static final long FETCHING_NANOS = 2_000_000_000L;

    private final String broker;
    private final Consumer<String> fetching;
    private final Consumer<String> starting;
    private final Path memo;
    private final long lastTook;
    private final Thread ticker;
    private long began = System.nanoTime();
    private long fetched = began - FETCHING_NANOS;
    private boolean closed;

    /**
     * Begins to report.
     *
     * @param fetching receives the reports of the start itself
     * @param starting receives the time that the start will take
     * @param store directory in which the duration of the last start is kept
     */
    StartProgress(BrokerName name, BrokerOptions options, Consumer<String> fetching, Consumer<String> starting, Path store) {
        this.broker = name.toString();
        this.fetching = fetching;
        this.starting = starting;
        this.memo = store.resolve(RunStore.fileName(name + "-" + options.topology()) + ".txt");
        this.lastTook = read(memo);
        this.ticker = Thread.ofPlatform().daemon().name("brokermeter-start-progress").start(this::tick);
    }

    /** Returns the directory in which the durations of starts are kept. */
    static Path store() {
        return CacheDirectory.of("start-times");
    }

    private static long read(Path memo) {
        try {
            return Long.parseLong(Files.readString(memo).strip());
        } catch (IOException | NumberFormatException e) {
            return 0;
        }
    }

    @Override
    public synchronized void accept(String sentence) {
        fetched = System.nanoTime();
        began = fetched;
        fetching.accept(sentence);
    }

    private synchronized void tick() {
        try {
            while (!closed) {
                wait(TICK_MILLIS);
                if (!closed && System.nanoTime() - fetched >= FETCHING_NANOS) {
                    starting.accept(sentence(System.nanoTime() - began));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private String sentence(long soFarNanos) {
        Duration left = Duration.ofMillis(lastTook).minusNanos(soFarNanos);
        if (lastTook > 0 && left.toMillis() >= 500) {
            return "Starting " + broker + ", about " + SweepPlan.duration(left) + " left";
        }
        return "Starting " + broker + ", " + SweepPlan.duration(Duration.ofNanos(soFarNanos)) + " so far"
            + (lastTook > 0 ? ", which is longer than last time" : "");
    }

    /** Records how long the start took, since the broker serves now. When that cannot be written, the next start does not know it. */
    void ready() {
        long took;
        synchronized (this) {
            took = (System.nanoTime() - began) / 1_000_000;
        }
        try {
            Files.createDirectories(memo.getParent());
            RunDirectory.write(memo, took + "\n");
        } catch (IOException e) {
            // the next start does not know it
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        ticker.interrupt();
    }
}
