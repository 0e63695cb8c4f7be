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
    /** The part of the time until a confirmation that own waits must make up for them to be the reason why windows were full. */
    private static final double MAKES_UP = 0.5;
    /** The part of it from which on they cannot be told apart from the broker's. */
    private static final double MAY_MAKE_UP = 0.15;
    /** The share of the time beyond which sending threads waited often. */
    private static final double OFTEN = 0.1;
    /** The share of the time up to which a wait does not explain late messages of a run that kept its schedule, however little was due. */
    private static final double BRIEF = 0.01;
    private static final double FULL_THREAD = 0.95;
    /** The share of the time for which a thread that is the limit is ready to run: it is nearly always running or waiting for a processor. */
    private static final double ALWAYS_READY = 0.85;
    /** The shortest stall that is one of the whole process, in milliseconds, and not a usual wait of one thread for a processor. */
    private static final double WHOLE_STALL_MILLIS = 10;
    /** The shortest measured part, in seconds, of which stalls say something: a moment with one is all of a run of some milliseconds. */
    private static final double LEAST_SECONDS = 1;
    /** The percentage of the machine's CPUs in use beyond which threads are likely to wait for one. */
    private static final double BUSY = 80;
    /** The percentiles at which stalls raise a doubt; beyond them a percentile is marked, and the rest is sound. */
    private static final double[] DOUBTED = {50, 90, 99};

    /** Returns the reasons to doubt the figures, the most important first; empty if there are none. */
    List<Finding.Doubt> doubts() {
        List<Finding.Doubt> doubts = new ArrayList<>();
        Schedule schedule = load.schedule();
        double p50 = millis(load.response(), 50);
        double delay50 = millis(load.sendDelay(), 50);
        boolean slow = !schedule.kept();
        if (slow) {
            doubts.add(new Finding.NotSentInTime(schedule.ratio(), schedule.reachedPerSecond(), schedule.askedPerSecond(),
                culprit(1 - schedule.ratio())));
        }
        // What the ticks of the run cost was asked for, and is no fault of the generator.
        if (delay50 - load.ticks().meanNanos() / 1e6 > Math.max(1, p50 / 2)) {
            doubts.add(new Finding.MostlyDelay(delay50, load.responded(), slow ? null : culprit(1)));
            slow = true;
        }
        stalls(doubts, slow);
        if (gcShare() > NOTABLE) {
            doubts.add(new Finding.GarbageCollected(gcShare()));
        }
        if (throttle.share() > NOTABLE) {
            doubts.add(new Finding.CpuLimited(throttle.share(), throttle.throttled(), throttle.periods()));
        }
        if (stealPercent > 100 * NOTABLE) {
            doubts.add(new Finding.CpuStolen(stealPercent));
        }
        busy(doubts);
        busiestThread(doubts);
        clock(doubts, p50);
        coldStart(doubts);
        return doubts;
    }

    /** Returns the stalls of this process. */
    OwnStalls ownStalls() {
        return OwnStalls.of(stops, load.lateness(), load.messages(), seconds);
    }

    /**
     * Returns why messages were not sent in time. Where the sending threads waited for confirmations, the generator or its machine is
     * the reason only if its own waits make up the time until a confirmation, or if one of its threads never had time to rest: shorter
     * waits are lost in the window, and the broker works on meanwhile. Where they waited for nothing else, the generator is the reason.
     *
     * @param missing share of the time that is to be explained
     */
    private Finding.Reason culprit(double missing) {
        Waits waits = load.waits();
        double most = Math.max(waits.window(), waits.call());
        if ((explains(waits.loss(), missing) || filled(waits.loss())) && waits.loss() > most) {
            return reason(Finding.Blame.CONNECTIONS_LOST, waits.loss());
        }
        if (counts(waits.rest()) && waits.rest() > most) {
            return reason(Finding.Blame.PRODUCERS_RESTED, waits.rest());
        }
        if (!counts(most)) {
            Finding.Reason own = ownLoss(missing);
            return own != null ? own : reason(Finding.Blame.SLOW_SENDERS, Double.NaN);
        }
        double stopped = Math.max(Math.max(gcShare(), throttle.share()), stoppedShare());
        double ready = threads.ready() + gcShare();
        double part = load.confirmSeconds() > 0 ? ownSeconds() / load.confirmSeconds() : 0;
        if (part >= MAKES_UP || stopped >= 0.5 || ready >= ALWAYS_READY) {
            Finding.Reason own = ownLoss(Math.min(most, missing));
            return own != null ? own : part >= MAKES_UP ? starved() : reason(Finding.Blame.SLOW_SENDERS, Double.NaN);
        }
        if (part >= MAY_MAKE_UP || stopped >= EXPLAINS || threads.readyWaiting() >= EXPLAINS) {
            return new Finding.Reason(Finding.Blame.NOT_TOLD_APART, most, users());
        }
        if (waits.call() > waits.window()) {
            // No window hides an own loss from a thread that waits within a call.
            return ownLoss(missing) == null ? reason(Finding.Blame.CALLS_WAITED, waits.call())
                : new Finding.Reason(Finding.Blame.NOT_TOLD_APART, waits.call(), users());
        }
        return load.far().explains(load.schedule().askedPerSecond())
            ? new Finding.Reason(Finding.Blame.ROUND_TRIP, waits.window(), null, load.far().roundTripSeconds() * 1e3)
            : new Finding.Reason(Finding.Blame.SLOW_BROKER, waits.window(), busyPercent > BUSY ? users() : null);
    }

    /** Returns the loss of time that the generator and its machine are shown to have had and that explains what is missing; null for none. */
    private Finding.@Nullable Reason ownLoss(double missing) {
        if (explains(gcShare(), missing)) {
            return reason(Finding.Blame.GARBAGE_COLLECTION, gcShare());
        }
        if (explains(throttle.share(), missing)) {
            return reason(Finding.Blame.CPU_LIMIT, throttle.share());
        }
        if (explains(stealPercent / 100, missing)) {
            return reason(Finding.Blame.STOLEN_CPU, stealPercent / 100);
        }
        if (standsStill() && explains(stoppedShare(), missing)) {
            return reason(Finding.Blame.STOPPED, stoppedShare());
        }
        return explains(threads.readyWaiting(), missing) || explains(stoppedShare(), missing)
            ? new Finding.Reason(Finding.Blame.STARVED, Math.max(threads.readyWaiting(), stoppedShare()), users()) : null;
    }

    /** Returns whether the stalls are mostly those of a process that stands still, and not of threads that wait for a processor. */
    private boolean standsStill() {
        double stalled = 0;
        for (var step : stops.recordedValues()) {
            stalled +=
                step.getValueIteratedTo() >= HealthMonitor.NAP ? step.getValueIteratedTo() / 1e9 * step.getCountAtValueIteratedTo() : 0;
        }
        return threads.watcherWaiting() >= 0 && threads.watcherWaiting() * seconds < stalled / 2;
    }

    private Finding.Reason starved() {
        return standsStill() ? reason(Finding.Blame.STOPPED, stoppedShare())
            : new Finding.Reason(Finding.Blame.STARVED, threads.waiting() < 0 ? Double.NaN : threads.readyWaiting(), users());
    }

    /**
     * Returns how long the generator's own threads let a message wait until its confirmation is noted, in the mean, in seconds: for the end
     * of a stall that goes on at any moment, or for the turns of the threads on its way.
     */
    private double ownSeconds() {
        double squares = 0;
        for (var step : stops.recordedValues()) {
            double length = step.getValueIteratedTo() / 1e9;
            squares += length * length * step.getCountAtValueIteratedTo();
        }
        return Math.max(squares / 2 / seconds, threads.turnSeconds());
    }

    /** Returns the share of the time for which the whole process stood still. */
    private double stoppedShare() {
        double stopped = 0;
        for (var step : stops.recordedValues()) {
            double millis = step.getValueIteratedTo() / 1e6;
            stopped += millis >= WHOLE_STALL_MILLIS ? millis / 1e3 * step.getCountAtValueIteratedTo() : 0;
        }
        return Math.min(1, stopped / seconds);
    }

    private static Finding.Reason reason(Finding.Blame blame, double share) {
        return new Finding.Reason(blame, share, null);
    }

    /** Returns what made threads stall; null if it is not known, as for a machine that wakes threads late from deep sleep. */
    private Finding.@Nullable Reason stallCulprit() {
        double stopped = Math.max(NOTABLE * EXPLAINS, EXPLAINS * stoppedShare());
        if (gcShare() >= stopped) {
            return reason(Finding.Blame.GARBAGE_COLLECTION, gcShare());
        }
        if (throttle.share() >= stopped) {
            return reason(Finding.Blame.CPU_LIMIT, throttle.share());
        }
        if (stealPercent / 100 >= stopped) {
            return reason(Finding.Blame.STOLEN_CPU, stealPercent / 100);
        }
        if (standsStill() && stoppedShare() > 0) {
            return reason(Finding.Blame.STOPPED, stoppedShare());
        }
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

    /**
     * Adds a doubt if stalls of this process explain one of the usual percentiles, or took much of the time of a load without moments.
     *
     * @param explained whether another doubt has named the reason of late messages
     */
    private void stalls(List<Finding.Doubt> doubts, boolean explained) {
        // Without any time there is nothing that a stall could have made longer, and in an instant one stall is most of it.
        if (load.response().getTotalCount() == 0 || seconds < LEAST_SECONDS) {
            return;
        }
        OwnStalls own = ownStalls();
        double longest = Math.max(stops.getMaxValue(), load.lateness().getMaxValue()) / 1e6;
        for (double percentile : DOUBTED) {
            double value = millis(load.response(), percentile);
            double floor = Math.min(value, own.floorMillis(load.response(), percentile, load.responded() && load.schedule().due() > 0));
            if (floor >= value / 2 && load.response().getTotalCount() * (100 - percentile) / 100 >= 10) {
                doubts.add(new Finding.HeldUp(longest, stoppedShare(), percentile, floor, value, explained ? null : stallCulprit()));
                return;
            }
        }
        if (load.schedule().due() == 0 && stoppedShare() > NOTABLE) {
            doubts.add(new Finding.HeldUp(longest, stoppedShare(), Double.NaN, Double.NaN, Double.NaN, stallCulprit()));
        }
    }

    private void busy(List<Finding.Doubt> doubts) {
        if (cpuSeconds > 0.8 * cores * seconds) {
            doubts.add(new Finding.GeneratorBusy(100 * cpuSeconds / seconds / cores, cores));
        } else if (busyPercent > 95 && load.schedule().due() == 0) {
            // With a schedule, what that did to the generator is known from its stalls and its late messages.
            doubts.add(new Finding.MachineBusy(users()));
        } else if (threads.ready() >= ALWAYS_READY && threads.readyWaiting() >= EXPLAINS) {
            doubts.add(new Finding.Starved(threads.readyWaiting(), users()));
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
        if (load.rateChanges() > 0) {
            doubts.add(new Finding.RateChanged(load.rateChanges()));
        }
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
