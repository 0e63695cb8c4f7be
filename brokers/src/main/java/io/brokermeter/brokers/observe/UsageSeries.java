package io.brokermeter.brokers.observe;

import io.brokermeter.engine.recording.BrokerSample;
import org.jspecify.annotations.Nullable;

/**
 * Readings of one source, as they become samples and the figures of the measured phase. An amount that falls was begun
 * anew, as by a broker that was started again. All methods may be called from any thread.
 */
final class UsageSeries {

    /** A reading that comes so soon after the begin of the measured phase is where that is counted from. */
    private static final long SOON = 300_000_000;

    private final long machineBytes;
    private @Nullable UsageReading last;
    private boolean fresh;
    private Growth sinceTaken = new Growth();
    private Growth sinceBegin = new Growth();
    private boolean measuring;
    private long begunAt;
    private double cpuPercentMax = Double.NaN;
    private long residentMax = -1;
    private double residentSum;
    private long residentCount;
    private int threadsMax = -1;
    private int openFilesMax = -1;

    /** @param machineBytes memory of the machine, -1 when it is not known */
    UsageSeries(long machineBytes) {
        this.machineBytes = machineBytes;
    }

    /** How amounts grew over some time. */
    private static final class Growth {
        double seconds;
        double cpuSeconds;
        long diskRead;
        long diskWritten;
        long voluntary;
        long involuntary;

        void add(UsageReading before, UsageReading now) {
            seconds += (now.nanos() - before.nanos()) / 1e9;
            cpuSeconds += now.cpuSeconds() >= before.cpuSeconds() ? now.cpuSeconds() - before.cpuSeconds() : now.cpuSeconds();
            diskRead = grown(diskRead, before.diskReadBytes(), now.diskReadBytes());
            diskWritten = grown(diskWritten, before.diskWrittenBytes(), now.diskWrittenBytes());
            voluntary = grown(voluntary, before.voluntarySwitches(), now.voluntarySwitches());
            involuntary = grown(involuntary, before.involuntarySwitches(), now.involuntarySwitches());
        }

        double cpuPercent() {
            return 100 * cpuSeconds / seconds;
        }
    }

    /** Unknown as soon as one end is. */
    static long grown(long total, long before, long now) {
        if (total < 0 || before < 0 || now < 0) {
            return -1;
        }
        return total + (now >= before ? now - before : now);
    }

    synchronized void add(UsageReading now) {
        UsageReading before = last;
        last = now;
        if (before != null && now.nanos() > before.nanos()) {
            Growth step = new Growth();
            step.add(before, now);
            sinceTaken.add(before, now);
            fresh = true;
            if (measuring && before.nanos() < begunAt && now.nanos() - begunAt < SOON) {
                level(now);
                return;
            }
            if (measuring) {
                sinceBegin.add(before, now);
                cpuPercentMax = larger(cpuPercentMax, step.cpuPercent());
            }
        }
        if (measuring) {
            level(now);
        }
    }

    private void level(UsageReading now) {
        if (now.residentBytes() >= 0) {
            residentSum += now.residentBytes();
            residentCount++;
            residentMax = Math.max(residentMax, now.residentBytes());
        }
        threadsMax = Math.max(threadsMax, now.threads());
        openFilesMax = Math.max(openFilesMax, now.openFiles());
    }

    private static double larger(double one, double other) {
        return Double.isNaN(one) ? other : Double.isNaN(other) ? one : Math.max(one, other);
    }

    /** The measured phase begins: forgets what was counted for it before. */
    synchronized void begin(long nanos) {
        measuring = true;
        begunAt = nanos;
        sinceBegin = new Growth();
        cpuPercentMax = Double.NaN;
        residentSum = 0;
        residentCount = 0;
        residentMax = -1;
        threadsMax = -1;
        openFilesMax = -1;
    }

    /** Whether there was any reading. */
    synchronized boolean isKnown() {
        return last != null;
    }

    /**
     * A part of a sample.
     *
     * @param seconds what it covers
     */
    record Taken(double seconds, BrokerSample.Usage usage) {}

    /** What came since the last call; null when nothing did, or a first reading alone. */
    synchronized @Nullable Taken take() {
        UsageReading now = last;
        if (!fresh || now == null) {
            return null;
        }
        Growth g = sinceTaken;
        sinceTaken = new Growth();
        fresh = false;
        return new Taken(g.seconds, new BrokerSample.Usage(g.cpuPercent(), now.residentBytes(), share(now.residentBytes()),
            now.threads(), now.openFiles(), g.diskRead, g.diskWritten, g.voluntary, g.involuntary));
    }

    /**
     * The measured phase so far.
     *
     * @param seconds what amounts cover; NaN without two readings, and amounts are unknown then
     */
    record Whole(
            double seconds, double cpuSeconds, double cpuPercent, double cpuPercentMax, long residentBytes,
            long residentBytesMax, double memoryPercent, double memoryPercentMax, int threadsMax, int openFilesMax,
            long diskReadBytes, long diskWrittenBytes, long voluntarySwitches, long involuntarySwitches) {}

    synchronized Whole whole() {
        Growth g = sinceBegin;
        boolean grown = g.seconds > 0;
        long mean = residentCount == 0 ? -1 : Math.round(residentSum / residentCount);
        return new Whole(grown ? g.seconds : Double.NaN, grown ? g.cpuSeconds : Double.NaN,
            grown ? g.cpuPercent() : Double.NaN, cpuPercentMax, mean, residentMax, share(mean), share(residentMax),
            threadsMax, openFilesMax, grown ? g.diskRead : -1, grown ? g.diskWritten : -1, grown ? g.voluntary : -1,
            grown ? g.involuntary : -1);
    }

    private double share(long bytes) {
        return bytes < 0 || machineBytes <= 0 ? Double.NaN : 100.0 * bytes / machineBytes;
    }
}
