package io.brokermeter.engine.health;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import org.HdrHistogram.Histogram;

/**
 * Everything the verdict is made from, and how it is made: what was seen of the generator and its machine over the measured part.
 * Shares are those of the measured part's length, -1 when unknown.
 *
 * @param seconds length of the measured part
 * @param cores processors that this process may use
 * @param cpuSeconds CPU time of this process
 * @param busyPercent busy share of all CPUs of the machine, -1 when unknown
 * @param stealPercent share of time that a hypervisor took away, -1 when unknown
 * @param gcMillis total length of the pauses for garbage collection
 * @param threads what the threads of this process did
 * @param throttle how the control group's CPU limit stopped this process
 * @param stops how much longer than usual a thread slept that naps again and again, nanoseconds, one for each nap
 * @param clock what the machine's clock is like
 * @param load what the load came to
 */
record Evidence(
        double seconds, int cores, double cpuSeconds, double busyPercent, double stealPercent, long gcMillis,
        ThreadUse threads, ControlGroup.Throttle throttle, Histogram stops, MachineClock clock, LoadFigures load) {

    /** Below this share of the time nothing is worth a culprit. */
    private static final double NOTABLE = 0.05;
    /** The part of what is missing that one reason must explain to be named as the reason. */
    private static final double EXPLAINS = 0.3;
    private static final double FULL_THREAD = 0.95;

    /** A sentence for each reason to doubt the figures, what tells most first; empty when there is none. */
    List<String> doubts() {
        List<String> doubts = new ArrayList<>();
        Schedule schedule = load.schedule();
        double p50 = millis(load.response(), 50);
        double p99 = millis(load.response(), 99);
        double delay50 = millis(load.sendDelay(), 50);
        boolean slow = !schedule.kept();
        if (slow) {
            doubts.add(text("only %.1f %% of the scheduled messages were sent in time (%.2f of %.2f msg/sec), %s",
                    100 * schedule.ratio(), schedule.reachedPerSecond(), schedule.askedPerSecond(),
                    culprit(1 - schedule.ratio())));
        }
        if (delay50 > Math.max(1, p50 / 2)) {
            doubts.add(text("half of the messages were sent more than %.1f ms after they were due, so the response times are mostly "
                    + "that wait%s", delay50, slow ? "" : ", " + culprit(1)));
            slow = true;
        }
        double lateness = lateness99();
        if (lateness > Math.max(1, p50 / 10)) {
            doubts.add(text("1 %% of the sends were late by more than %.1f ms because the sending threads woke late%s", lateness,
                    slow ? "" : ", " + wakeCulprit()));
        }
        if (gcShare() > 0.01) {
            doubts.add(text("garbage collection stopped the generator for %.1f %% of the time: %s", 100 * gcShare(), MEMORY));
        }
        if (throttle.share() > 0.01) {
            doubts.add(text("the CPU limit of the generator's control group stopped it for %.1f %% of the time (in %d of %d periods): "
                    + "raise the limit", 100 * throttle.share(), throttle.throttled(), throttle.periods()));
        }
        if (stealPercent > 1) {
            doubts.add(text("a hypervisor took %.1f %% of the CPU time away: use a dedicated machine", stealPercent));
        }
        stops(doubts, p99);
        busy(doubts);
        busiestThread(doubts);
        clock(doubts, p50);
        coldStart(doubts);
        return onceOnly(users(), doubts);
    }

    private static final String MEMORY = "give it more memory with JAVA_ARGS, for example -Xmn256m";

    /**
     * Why messages did not go out in time. What the generator and its machine can be shown to have lost comes first; the broker is
     * named only when nothing of it explains what is missing.
     *
     * @param missing the share of the time that is to be explained
     */
    private String culprit(double missing) {
        if (explains(gcShare(), missing)) {
            return text("because the generator spent %.0f %% of the time in its own garbage collection: %s", 100 * gcShare(), MEMORY);
        }
        if (explains(throttle.share(), missing)) {
            return text("because the CPU limit of the generator's control group stopped it for %.0f %% of the time: raise the limit",
                    100 * throttle.share());
        }
        if (explains(stealPercent / 100, missing)) {
            return text("because a hypervisor took %.0f %% of the CPU time away: use a dedicated machine", stealPercent);
        }
        // In a window that is full, a thread that waits for a processor holds up confirmations as a slow broker does.
        boolean window = load.windowShare() > 0.1;
        if (explains(threads.waiting(), window ? Math.min(load.windowShare(), missing) : missing)) {
            return text("because threads of the generator that were ready to run waited for a processor, altogether %.0f %% of the time%s: "
                    + "free cores, lower --rate, or run the broker elsewhere", 100 * threads.waiting(), users());
        }
        if (load.restShare() > 0.1 && load.restShare() > load.windowShare()) {
            return "because the producers rested, in their --think-time or after sends that failed: shorten it, add --producers, or lower --rate";
        }
        if (window) {
            return "because the broker confirmed too slowly for --max-pending: raise it, or lower --rate";
        }
        return "because the sending threads could not keep up: lower --rate, or raise --threads";
    }

    /** Why threads woke late: only what concerns this machine can be the reason. */
    private String wakeCulprit() {
        double p99 = lateness99() / 1000;
        if (gcShare() > 0.01 && gcShare() >= EXPLAINS * Math.min(0.1, p99)) {
            return text("mostly in the generator's own garbage collection (%.1f %% of the time): %s", 100 * gcShare(), MEMORY);
        }
        if (throttle.share() > 0.01) {
            return "stopped by the CPU limit of their control group: raise the limit";
        }
        if (stealPercent > 1) {
            return "while a hypervisor took the processors away: use a dedicated machine";
        }
        return text("for want of CPU time%s: free cores, lower --rate, or run the broker elsewhere", users());
    }

    /** Leaves a text out of every sentence but the first that has it. */
    private static List<String> onceOnly(String text, List<String> sentences) {
        List<String> result = new ArrayList<>();
        boolean told = text.isEmpty();
        for (String sentence : sentences) {
            boolean has = !text.isEmpty() && sentence.contains(text);
            result.add(has && told ? sentence.replace(text, "") : sentence);
            told |= has;
        }
        return result;
    }

    private static boolean explains(double share, double missing) {
        return share >= NOTABLE && share >= EXPLAINS * missing;
    }

    /** Who used the processors, as far as it is known and they were in use. */
    private String users() {
        if (busyPercent < 0 || seconds <= 0) {
            return "";
        }
        double whole = seconds * machineCores();
        double own = 100 * cpuSeconds / whole;
        double broker = 100 * load.brokerCpuSeconds() / whole;
        double others = busyPercent - own - (broker > 0 ? broker : 0);
        return text(" (the machine's processors were %.0f %% busy: the generator %.0f %%", busyPercent, own)
                + (broker > 0 ? text(", the broker %.0f %%, others %.0f %%)", broker, Math.max(0, others))
                : text(", everything else %.0f %%)", Math.max(0, others)));
    }

    /** Processors of the machine, which may be more than those this process may use. */
    private int machineCores() {
        return Math.max(cores, Proc.processorCount());
    }

    private double gcShare() {
        return gcMillis / 1000.0 / seconds;
    }

    double lateness99() {
        return millis(load.lateness(), 99);
    }

    /** From which percentile on the times are those of the machine's stops. */
    private void stops(List<String> doubts, double p99) {
        Histogram naps = stops.copyCorrectedForCoordinatedOmission(HealthMonitor.NAP);
        double p999 = millis(naps, 99.9);
        double most = naps.getTotalCount() == 0 ? 0 : naps.getMaxValue() / 1e6;
        if (!(most > 100 && p999 > p99 / 10 || p999 > Math.max(20, p99 / 2))) {
            return;
        }
        // What counts as a stop: what a reader could take for the broker's.
        double least = Math.max(5, millis(load.response(), 50) / 2);
        double stopped = 0;
        long count = 0;
        for (var step : stops.recordedValues()) {
            double length = step.getValueIteratedTo() / 1e6;
            if (length >= least) {
                stopped += length / 1000 * step.getCountAtValueIteratedTo();
                count += step.getCountAtValueIteratedTo();
            }
        }
        // A message that was due during a stop waited for its end; without a schedule only those in flight did.
        double share = load.most() == 0 ? stopped / seconds
                : load.response().getTotalCount() == 0 ? 0 : Math.min(1, (double) count * load.most() / load.response().getTotalCount());
        doubts.add(text("the machine held threads up for as long as %.0f ms (%.2f s of %.1f s altogether): %s the "
                + "machine's, not the broker's; use a quieter one", most, stopped, seconds,
                share >= 0.5 ? "even the median may be" : "percentiles from p" + percentile(share) + " on may be"));
    }

    /** 100 less a share, with the digits that tell it from 100. */
    private static String percentile(double share) {
        int digits = 0;
        for (double least = 0.0095; least > share && digits < 4; least /= 10) {
            digits++;
        }
        return String.format(Locale.ROOT, "%." + digits + "f", Math.min(100 * (1 - share), 100 - Math.pow(10, -digits)));
    }

    private void busy(List<String> doubts) {
        if (cpuSeconds > 0.8 * cores * seconds) {
            doubts.add(text("the generator used %.0f %% of all %d cores and may have been the limit: spread the load over more "
                    + "machines", 100 * cpuSeconds / seconds / cores, cores));
        } else if (busyPercent > 95) {
            doubts.add(text("all cores of this machine were busy%s, so generator and broker waited for each other or for "
                    + "others: %srun the broker elsewhere", users(), load.schedule().due() > 0 ? "lower --rate, or " : "free cores, or "));
        } else if (threads.waiting() > 0.5) {
            doubts.add(text("threads of the generator that were ready to run waited for a processor, altogether %.0f %% of the time%s: free "
                    + "cores, or give it more of them", 100 * threads.waiting(), users()));
        }
    }

    private void busiestThread(List<String> doubts) {
        boolean sender = threads.busiest().startsWith(ThreadUse.SENDER);
        if (threads.busiestShare() < FULL_THREAD || sender && load.spins() && load.schedule().kept()
                || cpuSeconds > 0.8 * cores * seconds) {
            return;
        }
        doubts.add(text("the thread %s of the generator used %.0f %% of a processor and may have been the limit: %s", threads.busiest(),
                100 * threads.busiestShare(), sender ? "raise --threads, or spread the load over more machines"
                        : "use more producers or consumers, each of which has a connection"));
    }

    private void clock(List<String> doubts, double p50) {
        if (clock.nanosPerReading() > 1_000) {
            doubts.add(text("a reading of the clock takes %.1f us (the kernel's clock source is %s), and each message needs several: use a "
                    + "machine whose clock source is tsc", clock.nanosPerReading() / 1000, clock.source().isEmpty() ? "unknown" : clock.source()));
        } else if (clock.isCoarse()) {
            doubts.add(text("the kernel's clock source is %s, which is slow or coarse: use a machine whose clock source is tsc", clock.source()));
        }
        if (!load.slackRefused().isEmpty() && load.schedule().due() > 0 && !load.spins() && p50 < 0.5) {
            doubts.add("sending threads may wake up to 50 us late, which counts beside such short times: " + load.slackRefused());
        }
    }

    private void coldStart(List<String> doubts) {
        Histogram cold = load.coldResponse();
        if (cold == null || cold.getTotalCount() == 0) {
            return;
        }
        Histogram warm = load.response().copy();
        warm.subtract(cold);
        if (warm.getTotalCount() < 100) {
            return;
        }
        double with = millis(load.response(), 99);
        double without = millis(warm, 99);
        if (with > 2 * without && with - without > 1) {
            doubts.add(text("there was no warm-up, and the p99 response time is %.2f ms with the start of the run and %.2f ms without its "
                    + "first %d s: use --warmup", with, without, HealthMonitor.COLD_SECONDS));
        }
    }

    private static double millis(Histogram times, double percentile) {
        return times.getTotalCount() == 0 ? 0 : times.getValueAtPercentile(percentile) / 1e6;
    }

    private static String text(String format, Object... args) {
        return String.format(Locale.ROOT, format, args);
    }
}
