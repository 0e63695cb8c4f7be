package io.brokermeter.engine.run;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.pacing.Clock;
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
    private final List<LoadStage> stages;
    private final int stripes;
    private final long quota;
    private final Pacer pacer;
    private final Clock clock;
    private final boolean realtime;
    private final EventLog events;
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
    /** The schedule of the stage; without events where it has none. */
    private Rounds rounds = new Rounds(new int[0], 1);
    /** All-out, per producer: how many messages it may still send; empty for a schedule. */
    private long[] left = new long[0];
    /** The producers that may hold messages back, each once. */
    private Sender[] holding = new Sender[0];
    private int holdingCount;

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
            EventLog events, Clock clock, Runnable whenFinished) {
        this.stages = loads.stream().map(load -> LoadStage.of(load, stripes, batch)).toList();
        this.clock = clock;
        this.stripes = stripes;
        this.quota = quota;
        this.batch = batch;
        this.lastWord = lastWord;
        this.pacer = pacer;
        this.realtime = realtime;
        this.events = events;
        this.whenFinished = whenFinished;
    }

    void add(Sender sender) {
        senders.add(sender);
    }

    /** Sets begin and end of each stage, for which the thread waits once it is {@link #ready}. */
    void schedule(List<Span> stageSpans) {
        spans = List.copyOf(stageSpans);
        clock.unpark(thread);
    }

    /** Whether the thread runs and has done all that it does only once, so that the first moment of the schedule may come. */
    boolean ready() {
        return ready || finished;
    }

    /** Ends every wait of the loop; a send or commit under way is left to end by itself. */
    void stop() {
        stop = true;
        clock.unpark(thread);
    }

    /** The thread to unpark when a window opens, null when it is not waiting for one. */
    @Nullable Thread waiting() {
        return waiting;
    }

    /** Wakes the thread that {@link #waiting()} returned; the confirmations that follow need not do it again. */
    void wake(Thread sleeper) {
        waiting = null;
        clock.unpark(sleeper);
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
        return stages.stream().anyMatch(one -> one.times() != null);
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
                NativeThread.realtime().ifPresent(cause -> events.notice(new Finding.RealtimeRefused(cause)));
            }
            holding = new Sender[senders.size()];
            rehearse();
            awaitStart();
            for (int i = 0; i < stages.size() && !stop; i++) {
                if (i > 0) {
                    scheduledBefore += scheduledEvents(end);
                    sentBefore += rounds.sent();
                }
                stage = i;
                start = spans.get(i).start;
                end = spans.get(i).end;
                rounds = new Rounds(senders.stream().mapToInt(sender -> sender.plan.stripe()).toArray(), stripes);
                run(stages.get(i));
            }
            if (stop) {
                sendingEnd = clock.nanos();
            }
            for (Sender sender : senders) {
                if (lastWord) {
                    sender.send(0);
                }
                sender.commit();
                sender.flush();
            }
        } catch (Throwable t) {
            events.fatal(Finding.Step.SENDING_THREAD, "", t);
        } finally {
            lastSend = clock.nanos();
            sendingEnd = sendingEnd == 0 ? lastSend : sendingEnd;
            finished = true;
            whenFinished.run();
        }
    }

    /** Waits and stamps a few times for nothing, so that what is slow at its first use is not slow at the first due time. */
    private void rehearse() {
        for (LoadStage one : stages) {
            FireTimes times = one.times() == null ? null : one.times().forAnotherThread();
            for (int i = 0; times != null && i < 100; i++) {
                times.at(i);
            }
        }
        Histogram woke = new Histogram(1, 60_000_000_000L, 2);
        for (int i = 0; i < 10; i++) {
            long due = clock.nanos() + 100_000;
            woke.recordValue(Math.max(0, pacer.await(due, stopped) - due));
        }
    }

    private void awaitStart() {
        ready = true;
        whenFinished.run();
        while (spans.isEmpty() && !stop) {
            clock.park(LOOK_AROUND);
        }
    }

    private void run(LoadStage one) {
        await(start);
        FireTimes times = one.times();
        boolean all = false;
        if (times != null) {
            scheduled(times);
            all = quota > 0 && isQuotaSent();
        } else if (one.load() instanceof Load.AllOut) {
            all = allOut();
        }
        // Nobody lets the last messages go while this thread waits for the end.
        flush();
        long now = clock.nanos();
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
            if (rounds.sent(i) < quotaOf(senders.get(i).plan.stripe())) {
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
        while (!stop && clock.nanos() < moment) {
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
        long now = clock.nanos();
        while (!stop) {
            boolean any = false;
            boolean unfinished = false;
            for (int i = 0; i < n; i++) {
                if (left[i] == 0) {
                    continue;
                }
                unfinished = true;
                Sender sender = senders.get(i);
                if (sender.maySend()) {
                    for (int b = 0; b < batch && left[i] > 0 && (b == 0 || sender.maySend()); b++) {
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
        left = new long[0];
        // What was due before the end is still sent a moment after it: a thread that woke late must not change the total.
        long lastMoment = end == Long.MAX_VALUE ? end : end + GRACE;
        while (!stop) {
            long due = due(times, rounds.event());
            if (due == Long.MAX_VALUE) {
                // Nothing new is due any more, for this producer or any after it: only debts are left.
                if (rounds.owed() == 0 || !payDebts(times, lastMoment)) {
                    return;
                }
                continue;
            }
            long now = clock.nanos();
            if (now < due) {
                if (rounds.owed() > 0 && payOne(times)) {
                    continue;
                }
                flush();
                if (rounds.owed() > 0) {
                    awaitRoom(due);
                } else {
                    awaitDue(due);
                }
                continue;
            }
            if (now >= lastMoment) {
                return;
            }
            int producer = rounds.producer();
            Sender sender = senders.get(producer);
            if (sender.maySend()) {
                pay(sender, producer, times);
            } else {
                sender.countBlocked();
                sender.flushOverdue(now);
                rounds.putBack(producer);
            }
            rounds.advance();
            if (rounds.owed() > 0 && areAllBlocked()) {
                flush();
                awaitRoom(Math.min(lastMoment, now + LOOK_AROUND));
            }
        }
    }

    /** When an event is due; {@link Long#MAX_VALUE} for one behind the quota or the end of the stage. */
    private long due(FireTimes times, long event) {
        long moment = quota > 0 && event >= quota ? FireTimes.NEVER : times.at(event);
        long due = moment == FireTimes.NEVER ? Long.MAX_VALUE : start + moment;
        return due >= end ? Long.MAX_VALUE : due;
    }

    private void awaitDue(long due) {
        idleUntil = due;
        long woke = pacer.await(due, stopped);
        if (woke >= due) {
            lateness.recordValue(Math.min(woke - due + 1, lateness.getHighestTrackableValue()));
        }
    }

    /** Sends the oldest event that a producer owes. */
    private void pay(Sender sender, int producer, FireTimes times) {
        sender.send(start + times.at(rounds.oldest(producer)));
        rounds.paid(producer);
    }

    private boolean areAllBlocked() {
        for (int i = 0; i < senders.size(); i++) {
            if (!rounds.isOwing(i) || senders.get(i).maySend()) {
                return false;
            }
            senders.get(i).countBlocked();
        }
        return true;
    }

    /** Sends one owed message, if any producer that owes one may send. */
    private boolean payOne(FireTimes times) {
        for (int looks = rounds.debtorCount(); looks > 0; looks--) {
            int producer = rounds.nextDebtor();
            if (producer < 0) {
                return false;
            }
            Sender sender = senders.get(producer);
            if (sender.maySend()) {
                pay(sender, producer, times);
                return true;
            }
            sender.countBlocked();
        }
        return false;
    }

    /** With nothing new due, pays or waits; false when the end has come. */
    private boolean payDebts(FireTimes times, long deadline) {
        while (!stop) {
            if (clock.nanos() >= deadline) {
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
        return left.length > 0 ? senders.size() : rounds.debtorCount();
    }

    /** A candidate that has something to send, be it allowed to or not; null when it has nothing. */
    private @Nullable Sender owing(int candidate) {
        int i = left.length > 0 ? candidate : rounds.debtor(candidate);
        return (left.length > 0 ? left[i] > 0 : rounds.isOwing(i)) ? senders.get(i) : null;
    }

    /**
     * Waits until a producer that owes something may send, the loop is stopped, or {@code deadline}.
     *
     * @return what the clock read last
     */
    private long awaitRoom(long deadline) {
        long now = clock.nanos();
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
                        full |= sender.isFull();
                        long rested = sender.retryAt();
                        resting = rested > now ? Math.min(resting, rested) : resting;
                    }
                }
                until = Math.min(until, resting);
                if (!full && resting != Long.MAX_VALUE) {
                    idleUntil = resting;
                }
                clock.park(until - now);
                long woke = clock.nanos();
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
                        if (sender != null && sender.maySend()) {
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
        long last = start;
        for (int i = 0; i < senders.size(); i++) {
            if (rounds.sent(i) > 0) {
                last = Math.max(last, start + stages.get(stage).momentOf(rounds.oldest(i) - stripes));
            }
        }
        return last;
    }

    /** Messages that were sent because they were due. */
    private long scheduledSent() {
        return sentBefore + rounds.sent();
    }

    /** Events of the current stage that were due by {@code now}, those of this thread alone. */
    private long scheduledEvents(long now) {
        long until = now == Long.MAX_VALUE ? now : now - start;
        long stageEnd = end == Long.MAX_VALUE ? end : end - start;
        long events = 0;
        for (Sender sender : senders) {
            int stripe = sender.plan.stripe();
            events += stages.get(stage).countUntil(stripe, stripes, quotaOf(stripe), until, stageEnd);
        }
        return events;
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
