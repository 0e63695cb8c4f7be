package io.brokermeter.engine.health;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

import io.brokermeter.engine.finding.Finding;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The observations of the generator and its machine over the measured part, and the derivation of the verdict from them. Shares
 * refer to the length of the measured part and are -1 if unknown.
 *
 * @param seconds length of the measured part
 * @param cores number of processors that this process may use
 * @param machineCores number of processors of the machine, which may be more; 0 if unknown
 * @param cpuSeconds CPU time of this process
 * @param busyPercent busy share of all CPUs of the machine, -1 if unknown
 * @param stealPercent share of time that a hypervisor took away, -1 if unknown
 * @param gcMillis total length of the pauses for garbage collection
 * @param threads use of processors by the threads of this process
 * @param throttle effect of the control group's CPU limit on this process
 * @param stops by how much each nap of a thread that naps again and again exceeded the shortest one, in nanoseconds
 * @param clock properties of the machine's clock
 * @param load results of the load
 */
record Evidence(
        double seconds, int cores, int machineCores, double cpuSeconds, double busyPercent, double stealPercent, long gcMillis,
        ThreadUse threads, ControlGroup.Throttle throttle, Histogram stops, MachineClock clock, LoadFigures load) {

    /** Mutable components of an {@link Evidence}. */
    @SuppressWarnings("NullAway.Init") // components without a default are checked when the record is created
    public static final class Values {

        public double seconds;
        public int cores;
        public int machineCores;
        public double cpuSeconds;
        public double busyPercent = -1;
        public double stealPercent = -1;
        public long gcMillis;
        public ThreadUse threads;
        public ControlGroup.Throttle throttle;
        public Histogram stops;
        public MachineClock clock;
        public LoadFigures load;

        private Values() {}
    }

    /** Creates an instance from the components that {@code change} sets. */
    public static Evidence of(Consumer<Values> change) {
        Values its = new Values();
        change.accept(its);
        return new Evidence(its.seconds, its.cores, its.machineCores, its.cpuSeconds, its.busyPercent, its.stealPercent, its.gcMillis,
            Objects.requireNonNull(its.threads, "threads"), Objects.requireNonNull(its.throttle, "throttle"),
            Objects.requireNonNull(its.stops, "stops"), Objects.requireNonNull(its.clock, "clock"),
            Objects.requireNonNull(its.load, "load"));
    }

    /** The smallest share of the time for which a cause is named. */
    private static final double NOTABLE = 0.05;
    /** The part of the missing time that a cause must explain to be named as the reason. */
    private static final double EXPLAINS = 0.3;
    /** The share of the time beyond which sending threads waited often. */
    private static final double OFTEN = 0.1;
    /** The share of the time up to which a wait does not explain late messages of a run that kept its schedule, however little was due. */
    private static final double BRIEF = 0.01;
    private static final double FULL_THREAD = 0.95;
    /** The percentage of the machine's CPUs in use beyond which threads are likely to wait for one. */
    private static final double BUSY = 80;

    /** Returns the reasons to doubt the figures, the most important first; empty if there are none. */
    List<Finding.Doubt> doubts() {
        List<Finding.Doubt> doubts = new ArrayList<>();
        Schedule schedule = load.schedule();
        double p50 = millis(load.response(), 50);
        double p99 = millis(load.response(), 99);
        double delay50 = millis(load.sendDelay(), 50);
        boolean slow = !schedule.kept();
        if (slow) {
            doubts.add(new Finding.NotSentInTime(schedule.ratio(), schedule.reachedPerSecond(), schedule.askedPerSecond(),
                culprit(1 - schedule.ratio())));
        }
        if (delay50 > Math.max(1, p50 / 2)) {
            doubts.add(new Finding.MostlyDelay(delay50, load.responded(), slow ? null : culprit(1)));
            slow = true;
        }
        double lateness = lateness99();
        if (lateness > Math.max(1, p50 / 10)) {
            doubts.add(new Finding.WokeLate(lateness, slow ? null : wakeCulprit()));
        }
        if (gcShare() > 0.01) {
            doubts.add(new Finding.GarbageCollected(gcShare()));
        }
        if (throttle.share() > 0.01) {
            doubts.add(new Finding.CpuLimited(throttle.share(), throttle.throttled(), throttle.periods()));
        }
        if (stealPercent > 1) {
            doubts.add(new Finding.CpuStolen(stealPercent));
        }
        stops(doubts, p99);
        busy(doubts);
        busiestThread(doubts);
        clock(doubts, p50);
        coldStart(doubts);
        return doubts;
    }

    /**
     * Returns why messages were not sent in time. Time that the generator and its machine are shown to have lost comes first; the
     * broker is named only if none of that explains what is missing.
     *
     * @param missing share of the time that is to be explained
     */
    private Finding.Reason culprit(double missing) {
        if (explains(gcShare(), missing)) {
            return reason(Finding.Blame.GARBAGE_COLLECTION, gcShare());
        }
        if (explains(throttle.share(), missing)) {
            return reason(Finding.Blame.CPU_LIMIT, throttle.share());
        }
        if (explains(stealPercent / 100, missing)) {
            return reason(Finding.Blame.STOLEN_CPU, stealPercent / 100);
        }
        // If the window is full, a thread that waits for a processor delays confirmations as a slow broker does.
        Waits waits = load.waits();
        if (explains(threads.waiting(), waits.window() > OFTEN ? Math.min(waits.window(), missing) : missing)) {
            return new Finding.Reason(Finding.Blame.STARVED, threads.waiting(), users());
        }
        if ((explains(waits.loss(), missing) || filled(waits.loss())) && waits.loss() > Math.max(waits.window(), waits.call())) {
            return reason(Finding.Blame.CONNECTIONS_LOST, waits.loss());
        }
        if (counts(waits.rest()) && waits.rest() > Math.max(waits.window(), waits.call())) {
            return reason(Finding.Blame.PRODUCERS_RESTED, waits.rest());
        }
        if (counts(waits.call()) && waits.call() > waits.window()) {
            return reason(Finding.Blame.CALLS_WAITED, waits.call());
        }
        boolean window = counts(waits.window());
        if (window && load.far().explains(load.schedule().askedPerSecond())) {
            return new Finding.Reason(Finding.Blame.ROUND_TRIP, waits.window(), null, load.far().roundTripSeconds() * 1e3);
        }
        return window ? reason(Finding.Blame.SLOW_BROKER, waits.window()) : reason(Finding.Blame.SLOW_SENDERS, Double.NaN);
    }

    private static Finding.Reason reason(Finding.Blame blame, double share) {
        return new Finding.Reason(blame, share, null);
    }

    /** Returns why threads woke up late; null if it is not known. Only causes on this machine are considered. */
    private Finding.@Nullable Reason wakeCulprit() {
        double p99 = lateness99() / 1000;
        if (gcShare() > 0.01 && gcShare() >= EXPLAINS * Math.min(0.1, p99)) {
            return reason(Finding.Blame.GARBAGE_COLLECTION, gcShare());
        }
        if (throttle.share() > 0.01) {
            return reason(Finding.Blame.CPU_LIMIT, throttle.share());
        }
        if (stealPercent > 1) {
            return reason(Finding.Blame.STOLEN_CPU, stealPercent / 100);
        }
        // A machine with little to do wakes threads late, too, from deep sleep or within another machine.
        boolean starved = threads.waiting() < 0 ? busyPercent > BUSY : threads.waiting() >= NOTABLE;
        return starved ? new Finding.Reason(Finding.Blame.STARVED, threads.waiting() < 0 ? Double.NaN : threads.waiting(), users()) : null;
    }

    /** Returns whether sending threads waited for this share of the time because of a notable cause. */
    private boolean counts(double waited) {
        return waited > OFTEN || filled(waited);
    }

    /**
     * Returns whether a wait of this share of the time was a great part of the time in which something was due. A burst, or a stall at the
     * end, may be a small part of a long run.
     */
    private boolean filled(double waited) {
        return waited > (load.schedule().kept() ? BRIEF : 0) && waited >= EXPLAINS * load.waits().busy();
    }

    private static boolean explains(double share, double missing) {
        return share >= NOTABLE && share >= EXPLAINS * missing;
    }

    /** Returns who used the processors; null if unknown. */
    private Finding.@Nullable CpuUse users() {
        if (busyPercent < 0 || seconds <= 0) {
            return null;
        }
        double whole = seconds * Math.max(cores, machineCores);
        double own = 100 * cpuSeconds / whole;
        double broker = 100 * load.brokerCpuSeconds() / whole;
        double others = Math.max(0, busyPercent - own - (Double.isNaN(broker) ? 0 : broker));
        return new Finding.CpuUse(busyPercent, own, broker, others);
    }

    private double gcShare() {
        return gcMillis / 1000.0 / seconds;
    }

    double lateness99() {
        return millis(load.lateness(), 99);
    }

    /** Adds a doubt if the machine stopped threads for times that are long compared with the response times. */
    private void stops(List<Finding.Doubt> doubts, double p99) {
        Histogram naps = stops.copyCorrectedForCoordinatedOmission(HealthMonitor.NAP);
        double p999 = millis(naps, 99.9);
        double most = naps.getTotalCount() == 0 ? 0 : naps.getMaxValue() / 1e6;
        // Without any time there is nothing that a stop could have made longer.
        if (load.response().getTotalCount() == 0 || !(most > 100 && p999 > p99 / 10 || p999 > Math.max(20, p99 / 2))) {
            return;
        }
        // The shortest pause that counts as a stop: one that a reader could take for a pause of the broker, and in any case those that the
        // doubt is about.
        double least = Math.min(Math.max(5, millis(load.response(), 50) / 2), most / 2);
        double stopped = 0;
        long count = 0;
        for (var step : stops.recordedValues()) {
            double length = step.getValueIteratedTo() / 1e6;
            if (length >= least) {
                stopped += length / 1000 * step.getCountAtValueIteratedTo();
                count += step.getCountAtValueIteratedTo();
            }
        }
        // Messages that were due during a stop waited for its end; without a schedule only the messages in flight did.
        double share = load.most() == 0 ? stopped / seconds
            : Math.min(1, (double) count * load.most() / load.response().getTotalCount());
        doubts.add(new Finding.HeldUp(most, stopped, seconds, share));
    }

    private void busy(List<Finding.Doubt> doubts) {
        if (cpuSeconds > 0.8 * cores * seconds) {
            doubts.add(new Finding.GeneratorBusy(100 * cpuSeconds / seconds / cores, cores));
        } else if (busyPercent > 95) {
            doubts.add(new Finding.MachineBusy(load.schedule().due() > 0, users()));
        } else if (threads.waiting() > 0.5) {
            doubts.add(new Finding.Starved(threads.waiting(), users()));
        }
    }

    private void busiestThread(List<Finding.Doubt> doubts) {
        boolean sender = threads.busiest().startsWith(ThreadUse.SENDER);
        if (threads.busiestShare() < FULL_THREAD || sender && load.spins() && load.schedule().kept()
            || cpuSeconds > 0.8 * cores * seconds) {
            return;
        }
        doubts.add(new Finding.ThreadBusy(threads.busiest(), threads.busiestShare(), sender));
    }

    private void clock(List<Finding.Doubt> doubts, double p50) {
        if (clock.nanosPerReading() > 1_000) {
            doubts.add(new Finding.ClockSlow(clock.nanosPerReading() / 1000, clock.source()));
        } else if (clock.isCoarse()) {
            doubts.add(new Finding.ClockCoarse(clock.source()));
        }
        if (!load.slackRefused().isEmpty() && load.schedule().due() > 0 && !load.spins()
            && load.response().getTotalCount() > 0 && p50 < 0.5) {
            doubts.add(new Finding.TimerSlack(load.slackRefused()));
        }
    }

    private void coldStart(List<Finding.Doubt> doubts) {
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
            doubts.add(new Finding.ColdStart(with, without, Math.max(1, (int) Math.round(load.coldSeconds())), load.responded()));
        }
    }

    private static double millis(Histogram times, double percentile) {
        return times.getTotalCount() == 0 ? 0 : times.getValueAtPercentile(percentile) / 1e6;
    }
}
