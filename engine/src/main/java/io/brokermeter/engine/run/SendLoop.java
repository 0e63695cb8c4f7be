package io.brokermeter.engine.run;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import io.brokermeter.engine.pacing.EpochClock;
import io.brokermeter.engine.pacing.FireTimes;
import io.brokermeter.engine.pacing.NativeThread;
import io.brokermeter.engine.pacing.Pacer;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * A sending thread. It owns some producers and walks them in the order of their stripes of the schedule: event
 * {@code g} of the run belongs to producer {@code g mod P}, so each producer's events and the sum over all threads are
 * exact without the threads knowing of each other. A producer whose window is full keeps its events as a debt and does
 * not hold up the others.
 */
final class SendLoop implements Runnable {

    /** The longest a waiting thread goes without looking around. */
    private static final long LOOK_AROUND = 20_000_000;

    /** How long after the end messages that were due before it may still be sent. */
    private static final long GRACE = 500_000_000;

    private final List<Sender> senders = new ArrayList<>();
    private final @Nullable FireTimes fireTimes;
    /** For {@link #unsent}, which the reporting thread asks. */
    private final @Nullable FireTimes reportersTimes;
    private final int stripes;
    private final long quota;
    private final Pacer pacer;
    private final boolean realtime;
    private final RunEvents events;
    private final Runnable whenFinished;
    /** How late this thread woke for a moment it waited for; written by this thread, read when it has ended. */
    private final Histogram lateness = new Histogram(1, 60_000_000_000L, 2);

    private long start;
    private long end;
    private volatile boolean stop;
    private volatile @Nullable Thread waiting;
    private volatile long lastSend;
    private volatile boolean finished;
    /** Per producer: how many of its scheduled events were sent. */
    private long[] nextRound = new long[0];

    /**
     * @param fireTimes the schedule, or null to send as fast as the windows allow
     * @param stripes number of producers of the whole run
     * @param quota messages of the whole run, 0 for no limit
     */
    SendLoop(@Nullable FireTimes fireTimes, int stripes, long quota, Pacer pacer, boolean realtime, RunEvents events,
            Runnable whenFinished) {
        this.fireTimes = fireTimes == null ? null : fireTimes.forAnotherThread();
        this.reportersTimes = fireTimes == null ? null : fireTimes.forAnotherThread();
        this.stripes = stripes;
        this.quota = quota;
        this.pacer = pacer;
        this.realtime = realtime;
        this.events = events;
        this.whenFinished = whenFinished;
    }

    void add(Sender sender) {
        senders.add(sender);
    }

    /** Sets begin and end, nanoseconds since the epoch; {@code end} is {@link Long#MAX_VALUE} for no end. */
    void schedule(long startNanos, long endNanos) {
        start = startNanos;
        end = endNanos;
    }

    void stop() {
        stop = true;
        Thread t = waiting;
        if (t != null) {
            LockSupport.unpark(t);
        }
    }

    /** The thread to unpark when a window opens, null when it is not waiting for one. */
    @Nullable Thread waiting() {
        return waiting;
    }

    long lastSend() {
        return lastSend;
    }

    boolean finished() {
        return finished;
    }

    boolean scheduled() {
        return fireTimes != null;
    }

    Histogram lateness() {
        return lateness;
    }

    @Override
    public void run() {
        try {
            NativeThread.lowerTimerSlack();
            if (realtime) {
                NativeThread.realtime().ifPresent(events::notice);
            }
            awaitStart();
            nextRound = new long[senders.size()];
            if (fireTimes == null) {
                allOut();
            } else {
                scheduled(fireTimes);
            }
            for (Sender sender : senders) {
                sender.commit();
                sender.flush();
            }
        } catch (Throwable t) {
            events.fatal("A sending thread ended: " + Failures.sentence(t), t);
        } finally {
            lastSend = EpochClock.nanos();
            finished = true;
            whenFinished.run();
        }
    }

    private void awaitStart() {
        while (!stop && EpochClock.nanos() < start) {
            pacer.await(start);
        }
    }

    /** Messages that a stripe may send under the quota. */
    private long quotaOf(int stripe) {
        return quota == 0 ? Long.MAX_VALUE : quota / stripes + (stripe < quota % stripes ? 1 : 0);
    }

    // ---- as fast as the windows allow ----

    private void allOut() {
        int n = senders.size();
        long[] left = new long[n];
        for (int i = 0; i < n; i++) {
            left[i] = quotaOf(senders.get(i).plan.index());
        }
        while (!stop) {
            boolean any = false;
            boolean unfinished = false;
            for (int i = 0; i < n; i++) {
                if (left[i] == 0) {
                    continue;
                }
                unfinished = true;
                Sender sender = senders.get(i);
                if (sender.open()) {
                    if (EpochClock.nanos() >= end) {
                        return;
                    }
                    sender.send(0);
                    left[i]--;
                    any = true;
                } else {
                    sender.countBlocked();
                }
            }
            if (!unfinished) {
                return;
            }
            if (!any) {
                flush();
                awaitWindow(left, end);
                if (EpochClock.nanos() >= end) {
                    return;
                }
            }
        }
    }

    /** Waits until a producer with something left to send may send, the loop is stopped, or {@code deadline}. */
    private void awaitWindow(long[] left, long deadline) {
        waiting = Thread.currentThread();
        try {
            while (!stop) {
                long now = EpochClock.nanos();
                long until = Math.min(deadline, now + LOOK_AROUND);
                for (int i = 0; i < senders.size(); i++) {
                    if (left[i] > 0) {
                        Sender sender = senders.get(i);
                        if (sender.worthWaking()) {
                            return;
                        }
                        until = sender.retryAt() > now ? Math.min(until, sender.retryAt()) : until;
                    }
                }
                if (now >= deadline) {
                    return;
                }
                LockSupport.parkNanos(until - now);
                if (EpochClock.nanos() >= until) {
                    // Not woken: look whether less than half a window became free, and take that.
                    for (int i = 0; i < senders.size(); i++) {
                        if (left[i] > 0 && senders.get(i).open()) {
                            return;
                        }
                    }
                }
            }
        } finally {
            waiting = null;
        }
    }

    // ---- at the moments of a schedule ----

    private void scheduled(FireTimes times) {
        int n = senders.size();
        long[] round = nextRound;
        long current = 0;
        long behind = 0;
        int cursor = 0;
        // What was due before the end is still sent a moment after it: a thread that woke late must not change the total.
        long lastMoment = end == Long.MAX_VALUE ? end : end + GRACE;
        while (!stop) {
            Sender sender = senders.get(cursor);
            long event = sender.plan.index() + current * stripes;
            long moment = quota > 0 && event >= quota ? FireTimes.NEVER : times.at(event);
            long due = moment == FireTimes.NEVER ? Long.MAX_VALUE : start + moment;
            if (due >= end) {
                due = Long.MAX_VALUE;
            }
            if (due == Long.MAX_VALUE) {
                // Nothing new is due any more, for this producer or any after it: only debts are left.
                if (behind == 0 || !payDebts(times, current, cursor, lastMoment)) {
                    return;
                }
                behind = debt(current, cursor);
                continue;
            }
            long now = EpochClock.nanos();
            if (now < due) {
                if (behind > 0 && payOne(times, current, cursor)) {
                    behind = debt(current, cursor);
                    continue;
                }
                flush();
                if (behind > 0) {
                    awaitWindowOr(due, current, cursor);
                } else {
                    long woke = pacer.await(due);
                    if (woke >= due) {
                        lateness.recordValue(Math.min(woke - due + 1, lateness.getHighestTrackableValue()));
                    }
                }
                continue;
            }
            if (now >= lastMoment) {
                return;
            }
            if (sender.open()) {
                long mine = round[cursor];
                sender.send(start + times.at(sender.plan.index() + mine * stripes));
                round[cursor] = mine + 1;
            } else {
                sender.countBlocked();
                behind++;
            }
            if (++cursor == n) {
                cursor = 0;
                current++;
            }
            if (behind > 0 && n > 0) {
                behind = debt(current, cursor);
                if (behind > 0 && allBehindBlocked(current, cursor)) {
                    flush();
                    awaitWindowOr(Math.min(lastMoment, now + LOOK_AROUND), current, cursor);
                }
            }
        }
    }

    /** Events that are due and not sent, over all producers of this thread. */
    private long debt(long current, int cursor) {
        long debt = 0;
        for (int i = 0; i < senders.size(); i++) {
            debt += (i < cursor ? current + 1 : current) - nextRound[i];
        }
        return debt;
    }

    private boolean inDebt(int i, long current, int cursor) {
        return nextRound[i] < (i < cursor ? current + 1 : current);
    }

    private boolean allBehindBlocked(long current, int cursor) {
        for (int i = 0; i < senders.size(); i++) {
            if (!inDebt(i, current, cursor) || senders.get(i).open()) {
                return false;
            }
            senders.get(i).countBlocked();
        }
        return true;
    }

    /** Sends one owed message, if any producer that owes one may send. */
    private boolean payOne(FireTimes times, long current, int cursor) {
        for (int i = 0; i < senders.size(); i++) {
            Sender sender = senders.get(i);
            if (inDebt(i, current, cursor)) {
                if (sender.open()) {
                    sender.send(start + times.at(sender.plan.index() + nextRound[i] * stripes));
                    nextRound[i]++;
                    return true;
                }
                sender.countBlocked();
            }
        }
        return false;
    }

    /** With nothing new due, pays or waits; false when the end has come. */
    private boolean payDebts(FireTimes times, long current, int cursor, long deadline) {
        while (!stop) {
            if (EpochClock.nanos() >= deadline) {
                return false;
            }
            if (payOne(times, current, cursor)) {
                return true;
            }
            flush();
            awaitWindowOr(Math.min(deadline, EpochClock.nanos() + LOOK_AROUND), current, cursor);
        }
        return false;
    }

    private void awaitWindowOr(long deadline, long current, int cursor) {
        waiting = Thread.currentThread();
        try {
            while (!stop && EpochClock.nanos() < deadline) {
                for (int i = 0; i < senders.size(); i++) {
                    if (inDebt(i, current, cursor) && senders.get(i).worthWaking()) {
                        return;
                    }
                }
                LockSupport.parkNanos(Math.min(deadline - EpochClock.nanos(), LOOK_AROUND));
                for (int i = 0; i < senders.size(); i++) {
                    if (inDebt(i, current, cursor) && senders.get(i).open()) {
                        return;
                    }
                }
            }
        } finally {
            waiting = null;
        }
    }

    /** Scheduled events that are due by {@code now} and were not sent; 0 without a schedule. Exact when finished. */
    long unsent(long now) {
        if (fireTimes == null) {
            return 0;
        }
        long unsent = 0;
        for (int i = 0; i < senders.size() && i < nextRound.length; i++) {
            int stripe = senders.get(i).plan.index();
            long round = nextRound[i];
            long most = quotaOf(stripe);
            // Doubling and halving finds the first round that is not due without walking through a long debt.
            long low = round;
            long step = 1;
            while (due(stripe, low + step - 1, now) && low + step <= most) {
                low += step;
                step *= 2;
            }
            while (step > 0) {
                if (low + step <= most && due(stripe, low + step - 1, now)) {
                    low += step;
                }
                step /= 2;
            }
            unsent += low - round;
        }
        return unsent;
    }

    private boolean due(int stripe, long round, long now) {
        FireTimes times = reportersTimes;
        if (times == null) {
            return false;
        }
        long moment = times.at(stripe + round * stripes);
        return moment != FireTimes.NEVER && start + moment <= now && start + moment < end;
    }

    private void flush() {
        for (Sender sender : senders) {
            sender.flush();
        }
    }
}
