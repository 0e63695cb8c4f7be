package io.brokermeter.engine.run;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.brokermeter.engine.pacing.EpochClock;
import io.brokermeter.engine.pacing.FireTimes;
import io.brokermeter.engine.pacing.NativeThread;
import io.brokermeter.engine.pacing.Pacer;
import io.brokermeter.engine.scenario.Load;
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
    private final List<Stage> stages;
    private final int stripes;
    private final long quota;
    private final Pacer pacer;
    private final boolean realtime;
    private final RunEvents events;
    private final Runnable whenFinished;
    /** How late this thread woke for a moment it waited for; written by this thread, read when it has ended. */
    private final Histogram lateness = new Histogram(1, 60_000_000_000L, 2);

    private final int batch;
    /** Whether one more message goes out when the loop is stopped. */
    private final boolean lastWord;
    /** Empty until the run's start is fixed. */
    private volatile List<Span> spans = List.of();
    private volatile boolean ready;
    private volatile @Nullable Thread thread;
    /** Of the stage that runs. */
    private int stage;
    private long start;
    private long end;
    private long scheduledBefore;
    private long sentBefore;
    private volatile boolean stop;
    private volatile @Nullable Thread waiting;
    /** How long owed messages waited for a window; written by this thread, read when it has ended. */
    private long windowWait;
    /** How long they waited for the end of a think time or of the pause after a failed send. */
    private long restWait;
    private volatile String slackRefused = "";
    /** Until when nothing is due, if nothing is owed. */
    private volatile long idleUntil;
    private volatile long lastSend;
    private volatile long sendingEnd;
    private volatile boolean finished;
    private final BooleanSupplier stopped = () -> stop;
    /** Per producer: how many of its scheduled events were sent. */
    private long[] nextRound = new long[0];
    /** Of a schedule: the round that is becoming due, and the producer whose turn is next in it. */
    private long round;
    private int cursor;
    /** All-out, per producer: how many messages it may still send; empty for a schedule. */
    private long[] left = new long[0];
    /** Events that are due and not sent, over all producers of this thread. */
    private long owed;
    /** The producers that owe events, each once, in no order; some may have paid since. */
    private int[] debtors = new int[0];
    private int debtorCount;
    /** Per producer: whether it is among the debtors. */
    private boolean[] listed = new boolean[0];
    /** Where among the debtors the next payment is looked for. */
    private int turn;
    /** The producers that may hold messages back, each once. */
    private Sender[] holding = new Sender[0];
    private int holdingCount;

    /**
     * A part of the loop's time with a load of its own.
     *
     * @param load what is sent when
     * @param times the schedule, or null to send as fast as the windows allow
     * @param reportersTimes the same for {@link SendLoop#unsent}, which the reporting thread asks
     */
    private record Stage(Load load, @Nullable FireTimes times, @Nullable FireTimes reportersTimes) {}

    /** Begin and end of a stage, nanoseconds since the epoch; the end is {@link Long#MAX_VALUE} for none. */
    record Span(long start, long end) {}

    /**
     * A loop without producers yet.
     *
     * @param loads the load of each phase; at least one
     * @param stripes number of producers of the whole group
     * @param quota messages of the whole group, 0 for no limit; only with a single load
     * @param batch messages of a producer that are due together
     * @param lastWord whether one more message of each producer goes out when the loop is stopped
     */
    SendLoop(List<Load> loads, int stripes, long quota, int batch, boolean lastWord, Pacer pacer, boolean realtime,
            RunEvents events, Runnable whenFinished) {
        this.stages = loads.stream().map(load -> stage(load, stripes, batch)).toList();
        this.stripes = stripes;
        this.quota = quota;
        this.batch = batch;
        this.lastWord = lastWord;
        this.pacer = pacer;
        this.realtime = realtime;
        this.events = events;
        this.whenFinished = whenFinished;
    }

    private static Stage stage(Load load, int stripes, int batch) {
        if (load instanceof Load.AllOut || load instanceof Load.Silence) {
            return new Stage(load, null, null);
        }
        FireTimes times = FireTimes.of(load);
        long together = (long) stripes * batch;
        FireTimes batched = batch == 1 ? times : new Batched(times, together);
        return new Stage(load, batched.forAnotherThread(), batched.forAnotherThread());
    }

    /** Lets so many neighbouring events be due at the moment of the first of them. */
    private record Batched(FireTimes times, long together) implements FireTimes {

        @Override
        public long at(long index) {
            return times.at(index / together * together);
        }

        @Override
        public FireTimes forAnotherThread() {
            return new Batched(times.forAnotherThread(), together);
        }
    }

    void add(Sender sender) {
        senders.add(sender);
    }

    /** Sets begin and end of each stage, for which the thread waits once it is {@link #ready}. */
    void schedule(List<Span> stageSpans) {
        spans = List.copyOf(stageSpans);
        LockSupport.unpark(thread);
    }

    /** Whether the thread runs and has done all that it does only once, so that the first moment of the schedule may come. */
    boolean ready() {
        return ready || finished;
    }

    /** Ends every wait of the loop; a send or commit under way is left to end by itself. */
    void stop() {
        stop = true;
        LockSupport.unpark(thread);
    }

    /** The thread to unpark when a window opens, null when it is not waiting for one. */
    @Nullable Thread waiting() {
        return waiting;
    }

    /** Wakes the thread that {@link #waiting()} told; the confirmations that follow need not do it again. */
    void wake(Thread sleeper) {
        waiting = null;
        LockSupport.unpark(sleeper);
    }

    long lastSend() {
        return lastSend;
    }

    /** When the load of this thread ended, in the sense of {@link Spans}; once it has finished. */
    long sendingEnd() {
        return sendingEnd;
    }

    boolean finished() {
        return finished;
    }

    boolean scheduled() {
        return stages.stream().anyMatch(one -> one.times != null);
    }

    Histogram lateness() {
        return lateness;
    }

    @Override
    public void run() {
        thread = Thread.currentThread();
        try {
            slackRefused = NativeThread.lowerTimerSlack().orElse("");
            if (realtime) {
                NativeThread.realtime().ifPresent(events::notice);
            }
            holding = new Sender[senders.size()];
            debtors = new int[senders.size()];
            listed = new boolean[senders.size()];
            rehearse();
            awaitStart();
            for (int i = 0; i < stages.size() && !stop; i++) {
                if (i > 0) {
                    scheduledBefore += scheduledEvents(end);
                    for (long sent : nextRound) {
                        sentBefore += sent;
                    }
                }
                stage = i;
                start = spans.get(i).start;
                end = spans.get(i).end;
                nextRound = new long[senders.size()];
                run(stages.get(i));
            }
            if (stop) {
                sendingEnd = EpochClock.nanos();
            }
            for (Sender sender : senders) {
                if (lastWord) {
                    sender.send(0);
                }
                sender.commit();
                sender.flush();
            }
        } catch (Throwable t) {
            events.fatal("A sending thread ended: " + Failures.sentence(t), t);
        } finally {
            lastSend = EpochClock.nanos();
            sendingEnd = sendingEnd == 0 ? lastSend : sendingEnd;
            finished = true;
            whenFinished.run();
        }
    }

    /** Waits and stamps a few times for nothing, so that what is slow at its first use is not slow at the first due time. */
    private void rehearse() {
        for (Stage one : stages) {
            FireTimes times = one.times == null ? null : one.times.forAnotherThread();
            for (int i = 0; times != null && i < 100; i++) {
                times.at(i);
            }
        }
        Histogram woke = new Histogram(1, 60_000_000_000L, 2);
        for (int i = 0; i < 10; i++) {
            long due = EpochClock.nanos() + 100_000;
            woke.recordValue(Math.max(0, pacer.await(due, stopped) - due));
        }
    }

    private void awaitStart() {
        ready = true;
        whenFinished.run();
        while (spans.isEmpty() && !stop) {
            LockSupport.parkNanos(this, LOOK_AROUND);
        }
    }

    private void run(Stage one) {
        await(start);
        FireTimes times = one.times;
        boolean all = false;
        if (times != null) {
            scheduled(times);
            all = quota > 0 && isQuotaSent();
        } else if (one.load instanceof Load.AllOut) {
            all = allOut();
        }
        // Nobody lets the last messages go while this thread waits for the end.
        flush();
        long now = EpochClock.nanos();
        if (all) {
            long next = times == null ? FireTimes.NEVER : times.at(quota);
            long lastSent = times == null ? now : lastSent();
            sendingEnd = next == FireTimes.NEVER ? lastSent : Math.max(lastSent, Math.min(end, start + next));
        } else if (end == Long.MAX_VALUE) {
            sendingEnd = now;
        } else {
            // A load lasts as long as was asked for, also when nothing more is due in it.
            await(end);
            sendingEnd = Math.max(end, lastSent());
        }
    }

    private boolean isQuotaSent() {
        for (int i = 0; i < senders.size(); i++) {
            if (nextRound[i] < quotaOf(senders.get(i).plan.stripe())) {
                return false;
            }
        }
        return true;
    }

    private long lastSent() {
        long last = 0;
        for (Sender sender : senders) {
            last = Math.max(last, sender.lastSend());
        }
        return last;
    }

    /** Waits until a moment, however far it is, or until the loop is stopped. */
    private void await(long moment) {
        idleUntil = moment;
        while (!stop && EpochClock.nanos() < moment) {
            pacer.await(moment, stopped);
        }
    }

    /** Messages that a stripe may send under the quota. */
    private long quotaOf(int stripe) {
        return quota == 0 ? Long.MAX_VALUE : quota / stripes + (stripe < quota % stripes ? 1 : 0);
    }

    // ---- as fast as the windows allow ----

    /** @return whether all messages of the quota were sent */
    private boolean allOut() {
        int n = senders.size();
        left = new long[n];
        for (int i = 0; i < n; i++) {
            left[i] = quotaOf(senders.get(i).plan.stripe());
        }
        long now = EpochClock.nanos();
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
                    for (int b = 0; b < batch && left[i] > 0 && (b == 0 || sender.open()); b++) {
                        // A batch is whole, even at the end.
                        now = sender.sendBefore(b == 0 ? end : Long.MAX_VALUE);
                        if (b == 0 && now >= end) {
                            return false;
                        }
                        left[i]--;
                    }
                    if (batch > 1 || left[i] == 0) {
                        sender.flush();
                    }
                    any = true;
                } else {
                    sender.countBlocked();
                    sender.flushOverdue(now);
                }
            }
            if (!unfinished) {
                return true;
            }
            if (!any) {
                flush();
                now = awaitRoom(end);
                if (now >= end) {
                    return false;
                }
            }
        }
        return false;
    }

    // ---- at the moments of a schedule ----

    private void scheduled(FireTimes times) {
        int n = senders.size();
        left = new long[0];
        round = 0;
        cursor = 0;
        owed = 0;
        debtorCount = 0;
        Arrays.fill(listed, false);
        // What was due before the end is still sent a moment after it: a thread that woke late must not change the total.
        long lastMoment = end == Long.MAX_VALUE ? end : end + GRACE;
        while (!stop) {
            Sender sender = senders.get(cursor);
            long event = sender.plan.stripe() + round * stripes;
            long moment = quota > 0 && event >= quota ? FireTimes.NEVER : times.at(event);
            long due = moment == FireTimes.NEVER ? Long.MAX_VALUE : start + moment;
            if (due >= end) {
                due = Long.MAX_VALUE;
            }
            if (due == Long.MAX_VALUE) {
                // Nothing new is due any more, for this producer or any after it: only debts are left.
                if (owed == 0 || !payDebts(times, lastMoment)) {
                    return;
                }
                continue;
            }
            long now = EpochClock.nanos();
            if (now < due) {
                if (owed > 0 && payOne(times)) {
                    continue;
                }
                flush();
                if (owed > 0) {
                    awaitRoom(due);
                } else {
                    idleUntil = due;
                    long woke = pacer.await(due, stopped);
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
                pay(sender, cursor, times);
            } else {
                sender.countBlocked();
                sender.flushOverdue(now);
                if (!listed[cursor]) {
                    listed[cursor] = true;
                    debtors[debtorCount++] = cursor;
                }
            }
            // The event has had its turn: it was sent, or an older one in its place, or it is owed.
            owed++;
            if (++cursor == n) {
                cursor = 0;
                round++;
            }
            if (owed > 0 && allBehindBlocked()) {
                flush();
                awaitRoom(Math.min(lastMoment, now + LOOK_AROUND));
            }
        }
    }

    /** Sends the oldest event that a producer owes. */
    private void pay(Sender sender, int i, FireTimes times) {
        long mine = nextRound[i];
        sender.send(start + times.at(sender.plan.stripe() + mine * stripes));
        nextRound[i] = mine + 1;
        owed--;
    }

    private boolean inDebt(int i) {
        return nextRound[i] < (i < cursor ? round + 1 : round);
    }

    private boolean allBehindBlocked() {
        for (int i = 0; i < senders.size(); i++) {
            if (!inDebt(i) || senders.get(i).open()) {
                return false;
            }
            senders.get(i).countBlocked();
        }
        return true;
    }

    /** Sends one owed message, if any producer that owes one may send; one after the other, so that none waits for those before it. */
    private boolean payOne(FireTimes times) {
        for (int looks = debtorCount; looks > 0; looks--) {
            if (turn >= debtorCount) {
                turn = 0;
            }
            int i = debtors[turn];
            if (!inDebt(i)) {
                listed[i] = false;
                debtors[turn] = debtors[--debtorCount];
                continue;
            }
            turn++;
            Sender sender = senders.get(i);
            if (sender.open()) {
                pay(sender, i, times);
                return true;
            }
            sender.countBlocked();
        }
        return false;
    }

    /** With nothing new due, pays or waits; false when the end has come. */
    private boolean payDebts(FireTimes times, long deadline) {
        while (!stop) {
            if (EpochClock.nanos() >= deadline) {
                return false;
            }
            if (payOne(times)) {
                return true;
            }
            flush();
            awaitRoom(deadline);
        }
        return false;
    }

    // ---- waiting for a window ----

    /** How many producers may have something to send: all of them, or the debtors of a schedule. */
    private int candidates() {
        return left.length > 0 ? senders.size() : debtorCount;
    }

    /** A candidate that has something to send, be it allowed to or not; null when it has nothing. */
    private @Nullable Sender owing(int candidate) {
        int i = left.length > 0 ? candidate : debtors[candidate];
        return (left.length > 0 ? left[i] > 0 : inDebt(i)) ? senders.get(i) : null;
    }

    /**
     * Waits until a producer that owes something may send, the loop is stopped, or {@code deadline}.
     *
     * @return what the clock read last
     */
    private long awaitRoom(long deadline) {
        long now = EpochClock.nanos();
        try {
            while (!stop && now < deadline) {
                waiting = Thread.currentThread();
                long until = Math.min(deadline, now + LOOK_AROUND);
                long resting = Long.MAX_VALUE;
                boolean full = false;
                for (int i = 0; i < candidates(); i++) {
                    Sender sender = owing(i);
                    if (sender != null) {
                        if (sender.worthWaking()) {
                            return now;
                        }
                        full |= sender.full();
                        long rested = sender.retryAt();
                        resting = rested > now ? Math.min(resting, rested) : resting;
                    }
                }
                until = Math.min(until, resting);
                if (!full && resting != Long.MAX_VALUE) {
                    idleUntil = resting;
                }
                LockSupport.parkNanos(until - now);
                long woke = EpochClock.nanos();
                if (full) {
                    windowWait += woke - now;
                } else {
                    restWait += woke - now;
                }
                now = woke;
                if (now >= until) {
                    // Not woken: take what little is free.
                    for (int i = 0; i < candidates(); i++) {
                        Sender sender = owing(i);
                        if (sender != null && sender.open()) {
                            return now;
                        }
                    }
                }
            }
            return now;
        } finally {
            waiting = null;
        }
    }

    /** Nanoseconds in which this thread could send nothing, because producers that owed messages had full windows. */
    long windowWait() {
        return windowWait;
    }

    /** Nanoseconds in which this thread could send nothing, because the producers that owed messages rested. */
    long restWait() {
        return restWait;
    }

    /** Why the kernel's timer slack could not be lowered for this thread; empty when it was. */
    String slackRefused() {
        return slackRefused;
    }

    /** Whether there is nothing to send before a moment that is still to come. */
    boolean idle(long now) {
        return finished || now < idleUntil;
    }

    /**
     * How the schedule was kept by this thread, when it has finished.
     *
     * @param ended when the load ended; messages that were due less than half a second before it are left out where it was ended early
     * @param cut whether it was ended early
     */
    Kept kept(long ended, boolean cut) {
        long until = cut ? ended - GRACE : ended;
        long unsent = Math.max(0, scheduledBefore + scheduledEvents(until) - scheduledSent());
        long due = scheduledSent() + unsent;
        long first = spans.getFirst().start;
        long length = Math.max(1, Math.min(until, end) - first);
        if (quota > 0 && unsent == 0 && scheduledEvents(Long.MAX_VALUE) == scheduledSent()) {
            // All were sent, however late: the schedule ended with the last of them.
            long mine = senders.stream().filter(sender -> quotaOf(sender.plan.stripe()) > 0).count();
            long last = lastDue();
            long took = senders.stream().mapToLong(Sender::lastSend).max().orElse(last) - first;
            length = (last - first) + (due > mine ? (last - first) * mine / (due - mine) : 0);
            if (took > length + GRACE) {
                unsent = Math.round(due * (1 - Math.max(1, length) / (double) took));
            }
        }
        return new Kept(due, unsent, length);
    }

    /**
     * What was due and what of it was not sent in time, of one thread.
     *
     * @param length of the schedule, nanoseconds
     */
    record Kept(long due, long late, long length) {}

    /** When the last message that was sent was due. */
    private long lastDue() {
        FireTimes times = stages.get(stage).reportersTimes;
        long last = start;
        for (int i = 0; times != null && i < nextRound.length; i++) {
            if (nextRound[i] > 0) {
                last = Math.max(last, start + times.at(senders.get(i).plan.stripe() + (nextRound[i] - 1) * stripes));
            }
        }
        return last;
    }

    /** Messages that were sent because they were due. */
    long scheduledSent() {
        long rounds = sentBefore;
        for (long sent : nextRound) {
            rounds += sent;
        }
        return rounds;
    }

    /** Events of the current stage that were due by {@code now}, those of this thread alone. */
    private long scheduledEvents(long now) {
        if (stages.get(stage).reportersTimes == null) {
            return 0;
        }
        long events = 0;
        for (Sender sender : senders) {
            int stripe = sender.plan.stripe();
            long most = quotaOf(stripe);
            // Doubling and halving finds the first round that is not due without walking through all of them.
            long low = 0;
            long step = 1;
            while (low + step <= most && due(stripe, low + step - 1, now)) {
                low += step;
                step *= 2;
            }
            while (step > 0) {
                if (low + step <= most && due(stripe, low + step - 1, now)) {
                    low += step;
                }
                step /= 2;
            }
            events += low;
        }
        return events;
    }

    private boolean due(int stripe, long round, long now) {
        FireTimes times = stages.get(stage).reportersTimes;
        if (times == null) {
            return false;
        }
        long moment = times.at(stripe + round * stripes);
        return moment != FireTimes.NEVER && start + moment <= now && start + moment < end;
    }

    /** Notes a producer that holds a message back; the sending thread, once until the next {@link #flush}. */
    void holds(Sender sender) {
        holding[holdingCount++] = sender;
    }

    /** Lets go out what any producer holds back. */
    private void flush() {
        int count = holdingCount;
        holdingCount = 0;
        for (int i = 0; i < count; i++) {
            holding[i].flushListed();
        }
    }
}
