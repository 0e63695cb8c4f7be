package io.brokermeter.engine.health;

import java.lang.management.GarbageCollectorMXBean;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.proc.ProcText;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Watches the generator itself over the measured part of a run: its CPU time, its garbage collection, how late a thread wakes up
 * that only sleeps, and how long its threads had to wait. {@link #begin}, {@link #tick}, {@link #freeze} and {@link #judge} are
 * called by one thread. Counters are read at the beginning and at the end; in between, the monitor costs 1,000 naps a second of one
 * thread, and 10 messages a second between two other threads.
 */
public final class HealthMonitor implements AutoCloseable {

    /** The number of seconds that count as the start of a run, in which classes are loaded and compiled; one interval at least. */
    public static final int COLD_SECONDS = 2;

    /** The length of a nap in nanoseconds: a stall is seen shorter by what was left of the nap, half of it in the mean. */
    static final long NAP = 1_000_000;

    private final Histogram stops = new Histogram(1, 60_000_000_000L, 2);
    private final Thread watcher = new Thread(this::watch, "brokermeter-hiccups");
    private final ControlGroup groups = ControlGroup.own();
    private final WakeProbe probe = new WakeProbe();
    private final Object lock = new Object();
    private volatile List<GarbageCollectorMXBean> collectors = List.of();
    private final Clock clock;
    private volatile MachineClock machineClock = new MachineClock("", -1);
    private volatile boolean measuring;
    private volatile boolean closed;

    /** Counters of the threads that ended in the measured part, by number of the thread. */
    private final Map<Integer, Proc.Task> ended = new ConcurrentHashMap<>();

    private long gcMillisTick;
    private long gcWorst;
    /** The counters at the beginning, or nothing where the run ended before they were first read; written under the lock. */
    private @Nullable Reading first;
    /** Written under the lock. */
    private @Nullable Reading last;

    /** The counters at one moment. */
    private record Reading(long at, double cpuSeconds, Garbage garbage, ProcText.@Nullable Processors processors,
            Proc.Tasks tasks, List<ControlGroup.Reading> groups) {}

    /** @param clock clock that measures the length of the measured part */
    public HealthMonitor(Clock clock) {
        this.clock = clock;
        watcher.setDaemon(true);
    }

    /**
     * Starts watching. {@link #begin} discards the samples that were taken until then. Takes a moment, and may still be under way on
     * another thread when the other methods are called.
     */
    public void start() {
        synchronized (lock) {
            if (closed) {
                return;
            }
            watcher.start();
        }
        probe.start();
        loadCollectors();
        machineClock = MachineClock.look();
        // Loads the classes that a reading needs, so that the reading that counts takes no time from the load. A run that ends in its
        // warm-up has this reading only.
        Reading early = read();
        synchronized (lock) {
            // On a machine that stood still meanwhile, the measured part may have begun, or the run may be over.
            if (first == null && last == null && !closed) {
                first = early;
                measuring = true;
            }
        }
    }

    /** Begins the measured part and discards what came before. */
    public void begin() {
        synchronized (stops) {
            stops.reset();
        }
        ended.clear();
        // A reading without them would make all pauses since the start of the JVM ones of the measured part.
        loadCollectors();
        Reading now = read();
        synchronized (lock) {
            last = null;
            first = now;
            measuring = true;
        }
        gcMillisTick = now.garbage.millis();
        gcWorst = 0;
        probe.begin();
    }

    private void loadCollectors() {
        if (collectors.isEmpty()) {
            collectors = Garbage.collectors();
        }
    }

    /** Ends a reporting interval. */
    public void tick() {
        if (last != null) {
            return;
        }
        long now = Garbage.of(collectors).millis();
        gcWorst = Math.max(gcWorst, now - gcMillisTick);
        gcMillisTick = now;
    }

    /** Ends the measured part; what comes after it is not counted. Only the first call has an effect. */
    public void freeze() {
        if (last == null) {
            tick();
            Reading now = read();
            synchronized (lock) {
                last = now;
                measuring = false;
            }
            probe.freeze();
        }
    }

    /**
     * Records the counters of the calling thread, which is about to end and cannot be read afterwards. Sending threads have ended by
     * the end of the measured part and may be the ones that matter. Any thread may call it.
     */
    public void threadEnds() {
        Map.Entry<Integer, Proc.Task> own = Proc.own();
        if (own != null) {
            ended.put(own.getKey(), own.getValue());
        }
    }

    /** Returns the figures of the measured part, which ends now if {@link #freeze} was not called. */
    public Health judge(LoadFigures load) {
        freeze();
        Reading end = Objects.requireNonNull(last);
        Reading begin = first == null ? end : first;
        double seconds = Math.max(1e-3, (end.at - begin.at) / 1e9);
        boolean hasShares = seconds >= Health.LEAST_SECONDS;
        // Not known where no reading is earlier than the last.
        double cpu = first == null ? -1 : Math.max(0, end.cpuSeconds - begin.cpuSeconds);
        Histogram seen;
        synchronized (stops) {
            seen = stops.copy();
        }
        ThreadUse threads = hasShares ? ThreadUse.between(begin.tasks, end.tasks, seconds) : ThreadUse.UNKNOWN;
        ControlGroup.Throttle throttle =
            hasShares ? ControlGroup.between(begin.groups, end.groups, seconds) : ControlGroup.Throttle.NONE;
        long gcMillis = end.garbage.millis() - begin.garbage.millis();
        Evidence evidence = Evidence.of(its -> {
            its.seconds = seconds;
            its.cores = Runtime.getRuntime().availableProcessors();
            its.cpuSeconds = hasShares ? cpu : -1;
            if (begin.processors != null && end.processors != null && hasShares) {
                its.machineCores = end.processors.count();
                its.busyPercent = end.processors.busyPercent(begin.processors, seconds);
                its.stealPercent = end.processors.stolenPercent(begin.processors, seconds);
            }
            its.gcMillis = hasShares ? gcMillis : 0;
            its.threads = threads;
            its.throttle = throttle;
            its.stops = seen;
            its.clock = machineClock;
            its.load = load;
        });
        Histogram naps = seen.copyCorrectedForCoordinatedOmission(NAP);
        List<Finding.Doubt> doubts = evidence.doubts();
        return Health.of(its -> {
            its.cpuSeconds = cpu;
            its.cpuMicrosPerMessage = cpu < 0 || load.messages() == 0 ? Double.NaN : cpu * 1e6 / load.messages();
            its.machineBusyPercent = evidence.busyPercent();
            its.stealPercent = evidence.stealPercent();
            its.gcPauses = end.garbage.pauses() - begin.garbage.pauses();
            its.gcPauseMillis = gcMillis;
            its.gcLongestPauseMillis = gcWorst;
            its.hiccup999Millis = naps.getTotalCount() == 0 ? 0 : naps.getValueAtPercentile(99.9) / 1e6;
            its.hiccupMaxMillis = naps.getTotalCount() == 0 ? 0 : naps.getMaxValue() / 1e6;
            its.lateness99Millis = evidence.lateness99();
            its.ticks = load.ticks();
            its.schedule = load.schedule();
            its.residentBytes = Proc.residentBytes();
            its.host =
                new HostEffects(threads.waiting() < 0 ? -1 : 100 * threads.waiting(), threads.busiest(), 100 * threads.busiestShare(),
                    100 * throttle.share(), machineClock.source(), machineClock.nanosPerReading(), probe.medianMicros());
            its.stalls = evidence.ownStalls();
            its.verdict = GeneratorVerdict.of(doubts);
        });
    }

    private Reading read() {
        Proc.Tasks tasks = Proc.tasks();
        ended.forEach(tasks.read()::putIfAbsent);
        return new Reading(clock.nanos(), Proc.cpuSeconds(), Garbage.of(collectors), Proc.processors(), tasks, groups.read());
    }

    private void watch() {
        long shortest = Long.MAX_VALUE;
        while (!closed) {
            long before = System.nanoTime();
            LockSupport.parkNanos(NAP);
            long slept = System.nanoTime() - before;
            shortest = Math.min(shortest, slept);
            // Stalls of the machine do not make a clock go on that is not the machine's.
            if (measuring && clock == Clock.SYSTEM) {
                synchronized (stops) {
                    stops.recordValue(Math.min(slept - shortest, stops.getHighestTrackableValue()));
                }
            }
        }
    }

    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
        }
        LockSupport.unpark(watcher);
        probe.close();
    }
}
