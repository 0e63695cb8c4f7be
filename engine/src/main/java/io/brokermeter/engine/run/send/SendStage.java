package io.brokermeter.engine.run.send;

import java.util.List;

import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.pacing.FireTimes;
import io.brokermeter.engine.pacing.Ticks;
import io.brokermeter.engine.run.parts.Spans;
import io.brokermeter.engine.scenario.Load;
import org.jspecify.annotations.Nullable;

/**
 * One load of a sending thread, from its begin to its end. A producer whose window is full falls behind and does not hold up the others.
 * Used by the sending thread only; the reporting thread may read {@link #rounds} and call {@link #due}, {@link #unsent} and
 * {@link #lastDue} when the sending thread has ended.
 */
final class SendStage {

    /** The longest time for which a waiting thread does not look at its producers, in nanoseconds. */
    static final long LOOK_AROUND = 20_000_000;
    /** The time after the end in which messages that were due before the end may still be sent, in nanoseconds. */
    static final long GRACE = 500_000_000;

    /** The turns of the schedule; without events where the load has no schedule. */
    final Rounds rounds;
    final long start;
    /** The end of the stage, in nanoseconds since the epoch; {@link Long#MAX_VALUE} for none. */
    final long end;

    private final SendLoop loop;
    private final LoadStage stage;
    private final List<Sender> senders;
    private final Clock clock;
    private final Ticks ticks;
    private final int batch;
    /** The number of messages that each producer may still send as fast as possible; empty for a schedule. */
    private long[] left = new long[0];
    /** The round of all producers that have their turns in a schedule. */
    private final Round turns;
    /** The round of the producers that send their backlog in a schedule. */
    private final Round backlogRound;
    /** Whether nothing has become due since the producers last flushed what they held back in their turns. */
    private boolean ahead;
    /** When the first producer caught up since {@link #flushCaughtUp} flushed, in nanoseconds since the epoch; 0 for none. */
    private long caughtUpSince;

    SendStage(SendLoop loop, LoadStage stage, SendLoop.Span span, Rounds rounds, int batch, Clock clock) {
        this.loop = loop;
        this.stage = stage;
        this.senders = loop.senders();
        this.start = span.start();
        this.end = span.end();
        this.turns = new Round(start);
        this.backlogRound = new Round(start);
        this.rounds = rounds;
        this.batch = batch;
        this.clock = clock;
        this.ticks = new Ticks(start, end, loop.tick());
    }

    /** Sends the load. Returns the end of its sending, as {@link Spans} defines it. */
    long run() {
        loop.await(start);
        loop.spent.begins(clock.nanos());
        FireTimes times = schedule(senders.size());
        boolean all = false;
        if (times != null) {
            scheduled(times);
            all = rounds.isQuotaSent();
        } else if (stage.load() instanceof Load.AllOut) {
            all = allOut();
        }
        // The last messages must not be held back while this thread waits for the end.
        loop.flush();
        long now = clock.nanos();
        if (all) {
            long next = times == null ? FireTimes.NEVER : times.at(rounds.quota());
            long lastSent = times == null ? now : loop.lastSent();
            return next == FireTimes.NEVER ? lastSent : Math.max(lastSent, Math.min(end, start + next));
        }
        if (end == Long.MAX_VALUE) {
            return now;
        }
        // A load lasts as long as was asked for, also when nothing more is due in it.
        loop.await(end);
        return Math.max(end, loop.lastSent());
    }

    /** Returns the number of events of this thread that were due by a moment, which may be {@link Long#MAX_VALUE}. */
    long due(long now) {
        FireTimes times = schedule(0);
        return times == null ? 0
            : rounds.dueUntil(times, now == Long.MAX_VALUE ? now : now - start, end == Long.MAX_VALUE ? end : end - start);
    }

    /** Returns the number of events of this thread that were due by a moment and were not sent. */
    long unsent(long now) {
        FireTimes times = schedule(0);
        return times == null ? 0 : rounds.unsentUntil(times, now - start, end == Long.MAX_VALUE ? end : end - start);
    }

    /** Returns when the last message that was sent was due, in nanoseconds since the epoch. */
    long lastDue() {
        FireTimes times = schedule(0);
        return times == null ? start : start + rounds.lastSent(times);
    }

    private @Nullable FireTimes schedule(int producers) {
        FireTimes times = stage.newSchedule(producers);
        return times == null || stage.rates() == null ? times : stage.rates().in(times, start);
    }

    // ---- as fast as the windows allow ----

    /**
     * Sends as fast as the windows allow, until the end of the stage.
     *
     * @return whether all messages of the quota were sent
     */
    private boolean allOut() {
        int n = senders.size();
        left = new long[n];
        for (int i = 0; i < n; i++) {
            left[i] = rounds.quotaOf(i);
        }
        long now = clock.nanos();
        // The time for which a producer waits for its next turn behind the others, as measured in the last round.
        long round = 0;
        while (!loop.isStopped()) {
            boolean any = false;
            boolean unfinished = false;
            long began = now;
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
                    } else if (n > 1) {
                        sender.flushOverdue(now + round);
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
            round = now - began;
            if (!any) {
                loop.flush();
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
        // What was due before the end is still sent shortly after it: a thread that woke late must not change the total.
        long lastMoment = end == Long.MAX_VALUE ? end : end + GRACE;
        while (!loop.isStopped()) {
            long due = due(times, rounds.event());
            if (due == Long.MAX_VALUE) {
                flushHeld();
                long rest = clock.nanos();
                if (stage.rates() != null && end != Long.MAX_VALUE && rest < end && rounds.quota() == 0) {
                    // A higher rate may still bring something before the end.
                    if (rounds.backlog() == 0) {
                        rested(loop.rest(rest, end) - rest);
                    } else if (!sendFromBacklog(times, rest)) {
                        loop.flush();
                        rested(awaitRoom(Math.min(end, rest + LOOK_AROUND)) - rest);
                    }
                    continue;
                }
                // Nothing new becomes due, for this producer or any after it: only the backlog is left.
                if (rounds.backlog() == 0 || !sendBacklog(times, lastMoment)) {
                    return;
                }
                continue;
            }
            long now = clock.nanos();
            long tick = ticks.endOf(due);
            if (now < tick) {
                flushHeld();
                if (rounds.backlog() > 0 && sendFromBacklog(times, now)) {
                    continue;
                }
                loop.flush();
                long until = stage.rates() == null ? tick : Math.min(tick, now + LOOK_AROUND);
                rested((rounds.backlog() > 0 ? awaitRoom(until) : loop.awaitDue(now, tick)) - now);
                continue;
            }
            if (now >= lastMoment) {
                return;
            }
            int producer = rounds.producer();
            Sender sender = senders.get(producer);
            ahead = false;
            if (sender.maySend()) {
                sendOldest(sender, producer, times, turns, senders.size());
            } else {
                sender.countBlocked();
                sender.flushOverdue(now);
                turns.turn(now, senders.size());
                rounds.markBehind(producer);
            }
            rounds.advance();
            if (rounds.backlog() > 0 && areAllBlocked()) {
                loop.flush();
                rested(awaitRoom(Math.min(lastMoment, now + LOOK_AROUND)) - now);
            }
        }
    }

    /** Returns when an event is due; {@link Long#MAX_VALUE} for an event beyond the quota or the end of the stage. */
    private long due(FireTimes times, long event) {
        long moment = rounds.quota() > 0 && event >= rounds.quota() ? FireTimes.NEVER : times.at(event);
        long due = moment == FireTimes.NEVER ? Long.MAX_VALUE : start + moment;
        return due >= end ? Long.MAX_VALUE : due;
    }

    /**
     * Flushes writes held back in finished rounds; no further round starts before the next due time, however much of the backlog is sent
     * before.
     */
    private void flushHeld() {
        if (!ahead) {
            ahead = true;
            loop.flush();
        }
    }

    /**
     * Flushes writes held back by producers that have caught up, once the first of them has waited for a while: their next turns come
     * with their next events, however much of the backlog of others is sent before.
     *
     * @param producer the producer that has just sent, at {@code now}
     */
    private void flushCaughtUp(int producer, long now) {
        if (caughtUpSince == 0) {
            caughtUpSince = rounds.isBehind(producer) ? 0 : now;
        } else if (now - caughtUpSince > Sender.SHORTEST_HOLD) {
            caughtUpSince = 0;
            loop.flush();
        }
    }

    private void rested(long nanos) {
        turns.rested(nanos);
        backlogRound.rested(nanos);
    }

    /**
     * Sends the oldest due event of a producer.
     *
     * @param round the round in which the producer has its turn
     * @param all number of producers in that round
     */
    private void sendOldest(Sender sender, int producer, FireTimes times, Round round, int all) {
        long due = start + times.at(rounds.oldest(producer));
        long now = sender.send(due);
        rounds.sent(producer);
        loop.noteTick(due, ticks.endOf(due));
        if (senders.size() > 1) {
            sender.flushOverdue(now + round.turn(now, all));
        }
    }

    private boolean areAllBlocked() {
        for (int i = 0; i < senders.size(); i++) {
            if (!rounds.isBehind(i) || senders.get(i).maySend()) {
                return false;
            }
            senders.get(i).countBlocked();
        }
        return true;
    }

    /** Sends one message of the backlog if a producer that is behind may send. Returns whether a message was sent. */
    private boolean sendFromBacklog(FireTimes times, long now) {
        for (int looks = rounds.behindCount(); looks > 0; looks--) {
            int producer = rounds.nextBehind();
            if (producer < 0) {
                return false;
            }
            Sender sender = senders.get(producer);
            if (sender.maySend()) {
                sendOldest(sender, producer, times, backlogRound, rounds.behindCount());
                flushCaughtUp(producer, now);
                return true;
            }
            sender.countBlocked();
            sender.flushOverdue(now);
            backlogRound.turn(now, rounds.behindCount());
        }
        return false;
    }

    /**
     * Sends one message of the backlog while nothing new is due, and waits until that is possible. Returns false when {@code deadline} has come or
     * the loop is stopped.
     */
    private boolean sendBacklog(FireTimes times, long deadline) {
        while (!loop.isStopped()) {
            long now = clock.nanos();
            if (now >= deadline) {
                return false;
            }
            if (sendFromBacklog(times, now)) {
                return true;
            }
            loop.flush();
            rested(awaitRoom(deadline) - now);
        }
        return false;
    }

    /**
     * Estimates the time to a producer's next turn by the duration of the previous round. Waits of the thread do not count, since nothing
     * is held back in them.
     */
    private static final class Round {

        private long began;
        private int turns;
        private long length;

        Round(long began) {
            this.began = began;
        }

        /** Notes that one of {@code all} producers has had its turn. Returns the length of the last round, in nanoseconds. */
        long turn(long now, int all) {
            if (++turns >= all) {
                length = now - began;
                began = now;
                turns = 0;
            }
            return length;
        }

        void rested(long nanos) {
            began += nanos;
        }
    }

    // ---- waiting for a window ----

    /** Returns the number of producers that may have something to send: all of them, or those behind in a schedule. */
    private int candidates() {
        return left.length > 0 ? senders.size() : rounds.behindCount();
    }

    /** Returns the sender of a candidate that has something to send, whether it may send now or not; null when it has nothing. */
    private @Nullable Sender candidate(int candidate) {
        int i = left.length > 0 ? candidate : rounds.behind(candidate);
        return (left.length > 0 ? left[i] > 0 : rounds.isBehind(i)) ? senders.get(i) : null;
    }

    /**
     * Waits until a producer that has something to send may send, the loop is stopped, or {@code deadline}.
     *
     * @return the last reading of the clock
     */
    private long awaitRoom(long deadline) {
        long now = clock.nanos();
        try {
            while (!loop.isStopped() && now < deadline) {
                loop.waiting = Thread.currentThread();
                loop.noteLosses();
                long unanswered = LOOK_AROUND;
                long resting = Long.MAX_VALUE;
                boolean full = false;
                boolean lost = false;
                for (int i = 0; i < candidates(); i++) {
                    Sender sender = candidate(i);
                    if (sender != null) {
                        unanswered = Math.min(unanswered, sender.expireRequests(now));
                        if (sender.worthWaking()) {
                            return now;
                        }
                        full |= sender.isFull();
                        lost |= sender.suspended;
                        long rested = sender.retryAt();
                        resting = rested > now ? Math.min(resting, rested) : resting;
                    }
                }
                long until = Math.min(Math.min(deadline, now + unanswered), resting);
                if (!full && resting != Long.MAX_VALUE) {
                    loop.spent.idleUntil = resting;
                }
                clock.park(until - now);
                long woke = clock.nanos();
                if (full) {
                    loop.spent.windowWait += woke - now;
                } else if (lost) {
                    loop.spent.lossWait += woke - now;
                } else {
                    loop.spent.restWait += woke - now;
                }
                now = woke;
                if (now >= until) {
                    // The thread was not woken: use even little room in a window.
                    for (int i = 0; i < candidates(); i++) {
                        Sender sender = candidate(i);
                        if (sender != null && sender.maySend()) {
                            return now;
                        }
                    }
                }
            }
            return now;
        } finally {
            loop.waiting = null;
        }
    }
}
