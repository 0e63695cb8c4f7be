package io.brokermeter.engine.health;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

import org.HdrHistogram.Histogram;

/**
 * Watches the generator itself over the measured part of a run: its CPU time, its garbage collection, and how late a
 * thread wakes that only sleeps. {@link #begin}, {@link #tick} and {@link #end} are called by one thread.
 */
public final class HealthMonitor implements AutoCloseable {

    /** Rarely enough to cost nothing, often enough to see a pause that a percentile would show. */
    private static final long NAP = 5_000_000;

    private final Histogram hiccups = new Histogram(1, 60_000_000_000L, 2);
    private final Thread watcher = new Thread(this::watch, "brokermeter-hiccups");
    private List<GarbageCollectorMXBean> collectors = List.of();
    private volatile boolean measuring;
    private volatile boolean closed;

    private long begunAt;
    private double cpuBegin;
    private long gcCountBegin;
    private long gcMillisBegin;
    private long gcMillisTick;
    private long gcWorst;
    private long[] processorsBegin = {0, 0, 0};

    public HealthMonitor() {
        watcher.setDaemon(true);
    }

    /** Starts watching; samples count from {@link #begin}. */
    public void start() {
        watcher.start();
        collectors = ManagementFactory.getGarbageCollectorMXBeans();
        begin();
    }

    /** The measured phase begins: forgets what came before. */
    public void begin() {
        begunAt = System.nanoTime();
        cpuBegin = Proc.cpuSeconds();
        gcCountBegin = gcCount();
        gcMillisBegin = gcMillis();
        gcMillisTick = gcMillisBegin;
        gcWorst = 0;
        long[] processors = Proc.processors();
        processorsBegin = processors == null ? new long[] {0, 0, 0} : processors;
        synchronized (hiccups) {
            hiccups.reset();
        }
        measuring = true;
    }

    /** A reporting interval is over. */
    public void tick() {
        long now = gcMillis();
        gcWorst = Math.max(gcWorst, now - gcMillisTick);
        gcMillisTick = now;
    }

    /**
     * The load has ended: what was seen.
     *
     * @param messages messages of the measured phase, for the CPU time of each
     * @param lateness how late sending threads woke, in nanoseconds
     * @param scheduled messages that were due, 0 without a schedule
     * @param unsent those of them that were never sent
     * @param windowShare the part of the time, 0 to 1, in which sending threads waited for a full window to get room
     * @param response the response times (transfer times when nothing is scheduled) that readers will believe
     */
    public Health end(long messages, Histogram lateness, long scheduled, long unsent, double windowShare, Histogram response) {
        measuring = false;
        tick();
        double seconds = Math.max(1e-3, (System.nanoTime() - begunAt) / 1e9);
        double cpu = Math.max(0, Proc.cpuSeconds() - cpuBegin);
        long pauses = gcCount() - gcCountBegin;
        long pauseMillis = gcMillis() - gcMillisBegin;
        double busy = -1;
        double steal = -1;
        long[] processors = Proc.processors();
        if (processors != null && processors[0] > processorsBegin[0]) {
            double total = processors[0] - processorsBegin[0];
            busy = 100 * (1 - (processors[1] - processorsBegin[1]) / total);
            steal = 100 * (processors[2] - processorsBegin[2]) / total;
        }
        double hiccup999;
        double hiccupMax;
        synchronized (hiccups) {
            hiccup999 = hiccups.getValueAtPercentile(99.9) / 1e6;
            hiccupMax = hiccups.getMaxValue() / 1e6;
        }
        double late99 = lateness.getTotalCount() == 0 ? 0 : lateness.getValueAtPercentile(99) / 1e6;
        double achieved = scheduled == 0 ? 1 : (double) (scheduled - unsent) / scheduled;
        Health figures = new Health(cpu, messages == 0 ? 0 : cpu * 1e6 / messages, busy, steal, pauses, pauseMillis, gcWorst,
                hiccup999, hiccupMax, late99, achieved, Proc.residentBytes(), new Verdict.Sound());
        List<String> reasons = reasons(figures, seconds, scheduled > 0, windowShare, response);
        return reasons.isEmpty() ? figures : new Health(figures.cpuSeconds(), figures.cpuMicrosPerMessage(),
                figures.machineBusyPercent(), figures.stealPercent(), figures.gcPauses(), figures.gcPauseMillis(),
                figures.gcLongestPauseMillis(), figures.hiccup999Millis(), figures.hiccupMaxMillis(),
                figures.lateness99Millis(), figures.achievedRatio(), figures.residentBytes(), new Verdict.Doubtful(reasons));
    }

    private static List<String> reasons(Health h, double seconds, boolean scheduled, double windowShare, Histogram response) {
        List<String> reasons = new ArrayList<>();
        int cores = Runtime.getRuntime().availableProcessors();
        double p50 = response.getTotalCount() == 0 ? 0 : response.getValueAtPercentile(50) / 1e6;
        double p99 = response.getTotalCount() == 0 ? 0 : response.getValueAtPercentile(99) / 1e6;
        if (h.achievedRatio() < 0.999) {
            // A thread that is the limit itself has no time to wait for anything.
            reasons.add(text("only %.1f %% of the scheduled messages were sent, %s", 100 * h.achievedRatio(), windowShare > 0.1
                    ? "because the broker confirmed too slowly for --max-pending: raise it, or lower --rate"
                    : "because the sending threads could not keep up: lower --rate, or raise --threads"));
        }
        double lateLimit = Math.max(1, p50 / 10);
        if (h.lateness99Millis() > lateLimit) {
            reasons.add(text("1 %% of the sends were late by more than %.1f ms for want of CPU time: free cores, lower --rate, or "
                    + "run the broker elsewhere", h.lateness99Millis()));
        }
        if (h.gcPauseMillis() > 10 * seconds) {
            reasons.add(text("garbage collection stopped the generator for %.1f %% of the time: give it more memory with "
                    + "JAVA_ARGS, for example -Xmn256m", h.gcPauseMillis() / 10.0 / seconds));
        }
        if (h.hiccupMaxMillis() > 100 && h.hiccup999Millis() > p99 / 10 || h.hiccup999Millis() > Math.max(20, p99 / 2)) {
            reasons.add(text("the machine held threads up for as long as %.0f ms (p99.9 %.1f ms): percentiles above p99 are the "
                    + "machine's, not the broker's; use a quieter one", h.hiccupMaxMillis(), h.hiccup999Millis()));
        }
        if (h.stealPercent() > 1) {
            reasons.add(text("a hypervisor took %.1f %% of the CPU time away: use a dedicated machine", h.stealPercent()));
        }
        if (h.cpuSeconds() > 0.8 * cores * seconds) {
            reasons.add(text("the generator used %.0f %% of all %d cores and may have been the limit: spread the load over more "
                    + "machines", 100 * h.cpuSeconds() / seconds / cores, cores));
        } else if (scheduled && h.machineBusyPercent() > 95) {
            reasons.add(text("all cores of this machine were busy (%.0f %%), so generator and broker waited for each other: lower "
                    + "--rate, or run the broker elsewhere", h.machineBusyPercent()));
        }
        return reasons;
    }

    private static String text(String format, Object... args) {
        return String.format(Locale.ROOT, format, args);
    }

    private void watch() {
        long shortest = Long.MAX_VALUE;
        while (!closed) {
            long before = System.nanoTime();
            LockSupport.parkNanos(NAP);
            long slept = System.nanoTime() - before;
            shortest = Math.min(shortest, slept);
            if (measuring) {
                synchronized (hiccups) {
                    hiccups.recordValueWithExpectedInterval(
                            Math.min(slept - shortest, hiccups.getHighestTrackableValue()), NAP);
                }
            }
        }
    }

    private long gcCount() {
        long count = 0;
        for (GarbageCollectorMXBean collector : collectors) {
            count += Math.max(0, collector.getCollectionCount());
        }
        return count;
    }

    private long gcMillis() {
        long millis = 0;
        for (GarbageCollectorMXBean collector : collectors) {
            millis += Math.max(0, collector.getCollectionTime());
        }
        return millis;
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(watcher);
    }
}
