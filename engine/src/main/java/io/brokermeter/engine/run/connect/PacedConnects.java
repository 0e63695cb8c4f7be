package io.brokermeter.engine.run.connect;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.pacing.FireTimes;
import io.brokermeter.engine.recording.ConnectTimes;
import io.brokermeter.engine.scenario.Rate;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Begins connections at a rate, whether those before them are there or not, up to {@link #MOST_AT_ONCE} at a time; a broker that lets more wait
 * makes the others late, which their times include. An attempt that fails is made again until the connect timeout is over, since a broker may refuse
 * some of a storm. One thread adds connections and then calls {@link #run}.
 */
final class PacedConnects {

    /** The largest number of attempts at the same time, each of which blocks a thread. */
    private static final int MOST_AT_ONCE = 256;
    /** The time between two attempts, in nanoseconds. */
    private static final long PAUSE = 100_000_000;
    private static final long LOOK_AROUND = 20_000_000;

    private final Rate rate;
    private final Clock clock;
    private final BooleanSupplier stopped;
    private final List<Due> all = new ArrayList<>();
    private final AtomicInteger next = new AtomicInteger();
    private final Histogram times = ConnectTimes.histogram();
    /** When the first connection began. */
    private final long begun;
    private long start;
    // Guarded by the monitor.
    private final List<Due> made = new ArrayList<>();
    private long failedAttempts;
    private long last;
    private @Nullable Failed failed;

    /**
     * A connection to make.
     *
     * @param number its number among all connections of the run, those of other processes included, by which it is due
     */
    record Due(GroupConnection link, long number) {}

    /** A connection that could not be made, and why. */
    record Failed(Due due, Exception cause) {}

    /** @param stopped whether to give up */
    PacedConnects(Rate rate, Clock clock, BooleanSupplier stopped) {
        this.rate = rate;
        this.clock = clock;
        this.stopped = stopped;
        this.begun = clock.nanos();
        this.last = begun;
    }

    /** Makes a connection at once, before those that are due at the rate, without another attempt. */
    void connectNow(GroupConnection link) throws Exception {
        long moment = clock.nanos();
        link.connect();
        timed(moment);
    }

    void add(GroupConnection link, long number) {
        all.add(new Due(link, number));
    }

    /**
     * Makes the connections, and blocks until all are there, one could not be made or the run is stopped.
     *
     * @return the first that could not be made; null for none
     */
    @Nullable Failed run() {
        FireTimes schedule = FireTimes.constant(rate);
        start = clock.nanos();
        int threads = (int) Math.clamp(Math.ceil(rate.perSecond()), 1, Math.min(MOST_AT_ONCE, Math.max(1, all.size())));
        List<Thread> workers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            workers.add(clock.start("brokermeter-connect-" + i, () -> work(schedule)));
        }
        for (Thread worker : workers) {
            while (worker.isAlive()) {
                clock.join(worker, LOOK_AROUND);
            }
        }
        return failure();
    }

    private void work(FireTimes schedule) {
        for (int i = next.getAndIncrement(); i < all.size() && failure() == null; i = next.getAndIncrement()) {
            Due due = all.get(i);
            long moment = start + schedule.at(due.number);
            if (!waitUntil(moment) || !connect(due, moment)) {
                return;
            }
        }
    }

    /** Returns whether the connection was made; if not, why is noted, or the run is stopped. */
    private boolean connect(Due due, long moment) {
        while (true) {
            try {
                due.link.connect();
                made(due, moment);
                return true;
            } catch (Exception e) {
                if (!again(due, moment, e) || !waitUntil(clock.nanos() + PAUSE)) {
                    return false;
                }
            }
        }
    }

    private synchronized void made(Due due, long moment) {
        made.add(due);
        timed(moment);
    }

    /** Notes that a connection is there that was due at a moment. */
    private synchronized void timed(long moment) {
        long now = clock.nanos();
        last = Math.max(last, now);
        times.recordValue(Math.clamp(now - moment, 1, times.getHighestTrackableValue()));
    }

    /** Notes a failed attempt. Returns whether there is another one. */
    private synchronized boolean again(Due due, long moment, Exception cause) {
        failedAttempts++;
        if (clock.nanos() - moment >= due.link.connectTimeout().toNanos()) {
            failed = Objects.requireNonNullElseGet(failed, () -> new Failed(due, cause));
        }
        return failed == null;
    }

    private synchronized @Nullable Failed failure() {
        return failed;
    }

    /** Waits for a moment. Returns false when the run is stopped meanwhile. */
    private boolean waitUntil(long moment) {
        long left;
        while ((left = moment - clock.nanos()) > 0) {
            if (stopped.getAsBoolean()) {
                return false;
            }
            clock.park(Math.min(left, LOOK_AROUND));
        }
        return !stopped.getAsBoolean();
    }

    /** Returns the connections that {@link #run} made. Called after {@link #run}. */
    synchronized List<Due> made() {
        return List.copyOf(made);
    }

    /** Returns the times of all connections that were made. Called after {@link #run}. */
    synchronized ConnectTimes times() {
        return new ConnectTimes(rate.perSecond(), (last - begun) / 1e9, failedAttempts, times);
    }
}
