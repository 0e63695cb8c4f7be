package io.brokermeter.engine.run.send;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

import io.brokermeter.engine.finding.Finding;
import io.brokermeter.engine.health.OwnThread;
import io.brokermeter.engine.health.Waits;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.pacing.FireTimes;
import io.brokermeter.engine.pacing.NativeThread;
import io.brokermeter.engine.pacing.Pacer;
import io.brokermeter.engine.plan.ProducerGroup;
import io.brokermeter.engine.run.EventLog;
import io.brokermeter.engine.run.Participants;
import io.brokermeter.engine.run.Timetable;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The loop of a sending thread. It owns some producers and visits them in the order of their stripes of the schedule: event {@code g} of
 * the group belongs to the producer with the stripe {@code g mod P}, where {@code P} is the number of producers of the group. So each
 * producer's events and the sum over all threads are exact without the threads knowing of each other. Each load of the group is a
 * {@link SendStage}.
 */
public final class SendLoop {

    private final List<Sender> senders = new ArrayList<>();
    private final List<LoadStage> stages;
    private final int stripes;
    /** Number of messages of the whole group, 0 for no limit; only with a single load. */
    private final long quota;
    private final Pacer pacer;
    private final Clock clock;
    private final boolean realtime;
    private final EventLog events;
    private final Runnable whenFinished;
    /** Number of messages of a producer that are due together. */
    private final int batch;
    /** Whether each producer sends one more message at the end of the loop. */
    private final boolean lastWord;
    /** The begin and end of each stage; empty until the run's start is fixed. */
    private volatile List<Span> spans = List.of();
    private final Timetable timetable;
    private volatile boolean ready;
    private volatile @Nullable Thread thread;
    /** The stages that have begun, the current one last. Read by another thread when this one has ended. */
    private final List<SendStage> begun = new ArrayList<>();
    private volatile boolean stop;
    /** The thread to unpark when a window opens; null when it is not waiting for one. */
    volatile @Nullable Thread waiting;
    /** Where the time of this thread went. Written by this thread, read when it has ended. */
    public final LoopTimes spent;
    /** The reason why the kernel's timer slack could not be lowered for this thread; empty when it was lowered. */
    public volatile String slackRefused = "";
    private volatile boolean finished;
    /** Whether a producer of this loop has lost its connection since this thread last looked. */
    private volatile boolean lost;
    private final BooleanSupplier stopped = () -> stop || lost;
    /** The producers that may hold messages back, each once. */
    private Sender[] holding = new Sender[0];
    private int holdingCount;

    /** The begin and end of a stage, in nanoseconds since the epoch; the end is {@link Long#MAX_VALUE} for none. */
    public record Span(long start, long end) {}

    /**
     * Creates a loop without producers.
     *
     * @param group the group of its producers
     */
    public SendLoop(ProducerGroup group, Participants.Shared with, Pacer pacer) {
        this.stripes = group.producers().size();
        this.quota = group.spec().messageCount();
        this.batch = group.spec().batch();
        this.stages = with.timetable().loads(group).stream()
            .map(load -> LoadStage.of(load, stripes, batch, group.counts() == null ? with.rates() : null)).toList();
        this.lastWord = group.counts() != null;
        this.timetable = with.timetable();
        this.pacer = pacer;
        this.realtime = with.plan().scenario().realtime();
        this.spent = new LoopTimes(with.plan().scenario().tick().toNanos());
        this.events = with.events();
        this.clock = with.clock();
        this.whenFinished = with.wakeReporter();
    }

    public void add(Sender sender) {
        senders.add(sender);
    }

    List<Sender> senders() {
        return senders;
    }

    long tick() {
        return spent.tick;
    }

    /** Notes how long a message that was sent had waited for the end of its tick, unless in the warm-up. */
    void noteTick(long due, long tickEnd) {
        if (spent.tick > 0 && spent.isMeasured(due, timetable.measuredFrom())) {
            spent.waitedForTick(tickEnd - due);
        }
    }

    boolean isStopped() {
        return stop;
    }

    /**
     * Sets the begin and end of each stage, for which the thread waits once it is {@link #ready}. The timetable must have begun.
     */
    public void schedule(List<Span> stageSpans) {
        spans = List.copyOf(stageSpans);
        clock.unpark(thread);
    }

    /** Returns whether the thread has done all work that it does only once, so that the first moment of the schedule may come. */
    public boolean ready() {
        return ready || finished;
    }

    /** Notes that a producer has lost its connection. The thread handles that as soon as it is in no call of a producer. */
    void onConnectionLost() {
        lost = true;
        clock.unpark(thread);
    }

    /** Lets the thread look at its schedule again, which has changed. */
    public void onRateChanged() {
        onConnectionLost();
    }

    /**
     * Lets each producer that has lost its connection note that, also if it has nothing to send. Called outside of all calls of producers.
     */
    void noteLosses() {
        if (lost) {
            lost = false;
            senders.forEach(sender -> sender.recovery.noteLoss());
        }
    }

    /** Stops the loop and ends its waits. A send or commit that is under way is left to end by itself. */
    public void stop() {
        stop = true;
        clock.unpark(thread);
    }

    /** Wakes the thread that was {@link #waiting}. Confirmations that follow need not wake it again. */
    void wake(Thread sleeper) {
        waiting = null;
        clock.unpark(sleeper);
    }

    public boolean finished() {
        return finished;
    }

    /** Whether its thread spins when a wait is nearly over. */
    public boolean spins() {
        return pacer.spins();
    }

    public boolean scheduled() {
        return stages.stream().anyMatch(one -> one.times() != null);
    }

    /** Sends all of its loads; {@code ended} is called by the thread in any case. */
    public void run(Runnable ended) {
        try {
            run();
        } finally {
            ended.run();
        }
    }

    private void run() {
        thread = Thread.currentThread();
        try {
            slackRefused = NativeThread.lowerTimerSlack().orElse("");
            if (realtime) {
                NativeThread.realtime().ifPresent(cause -> events.notice(new Finding.RealtimeRefused(cause)));
            }
            holding = new Sender[senders.size()];
            warmUp();
            long since = clock.nanos();
            long awake = OwnThread.awakeNanos();
            awaitStart();
            int[] mine = senders.stream().mapToInt(sender -> sender.plan.stripe()).toArray();
            for (int i = 0; i < stages.size() && !stop; i++) {
                SendStage stage = new SendStage(this, stages.get(i), spans.get(i), new Rounds(mine, stripes, quota), batch, clock);
                begun.add(stage);
                spent.sendingEnd = stage.run();
            }
            if (stop) {
                spent.sendingEnd = clock.nanos();
            }
            spent.measures(timetable.measuredFrom());
            long awakeSince = OwnThread.awakeNanos() - awake;
            spent.ends(clock.nanos() - since, awake < 0 ? -1 : awakeSince);
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
            spent.sendingEnd = spent.sendingEnd == 0 ? clock.nanos() : spent.sendingEnd;
            finished = true;
            whenFinished.run();
        }
    }

    /** Exercises waiting and the schedule before the start, so that class loading and first calls are not measured. */
    private void warmUp() {
        for (LoadStage one : stages) {
            FireTimes times = one.newSchedule(0);
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
        long from = clock.nanos();
        while (spans.isEmpty() && !stop) {
            clock.park(SendStage.LOOK_AROUND);
        }
        spent.idleWait += clock.nanos() - from;
    }

    /** Returns when the last message of any of the loop's producers was sent, in nanoseconds since the epoch; 0 when none was. */
    long lastSent() {
        long last = 0;
        for (Sender sender : senders) {
            last = Math.max(last, sender.lastSend());
        }
        return last;
    }

    /** Waits until a moment, however distant, or until the loop is stopped. */
    void await(long moment) {
        spent.idleUntil = moment;
        long from = clock.nanos();
        while (!stop && clock.nanos() < moment) {
            pacer.await(moment, stopped);
            noteLosses();
        }
        spent.idleWait += clock.nanos() - from;
    }

    /**
     * Waits until a message is due, and records how late this thread woke, unless in the warm-up.
     *
     * @param now begin of the wait, in which nothing is due
     * @return the last reading of the clock
     */
    long awaitDue(long now, long due) {
        spent.idleUntil = due;
        long woke = pacer.await(due, stopped);
        spent.idleWait += woke - now;
        noteLosses();
        if (woke >= due && spent.isMeasured(due, timetable.measuredFrom())) {
            spent.lateness.recordValue(Math.min(woke - due + 1, spent.lateness.getHighestTrackableValue()));
        }
        return woke;
    }

    /** Waits until a moment or until the schedule has changed, and returns the last reading of the clock. */
    long rest(long now, long moment) {
        spent.idleUntil = moment;
        long woke = pacer.await(moment, stopped);
        spent.idleWait += woke - now;
        noteLosses();
        return woke;
    }

    /** Returns whether there is nothing to send before a moment that is still to come, or the thread has finished. */
    public boolean idle(long now) {
        return finished || now < spent.idleUntil;
    }

    /**
     * Returns how this thread kept its schedule. Valid when the thread has finished.
     *
     * @param ended when the load ended; if it was ended early, messages that were due in the half second before are left out
     * @param cut whether the load was ended early
     */
    public Kept kept(long ended, boolean cut) {
        if (begun.isEmpty()) {
            return new Kept(0, 0, 0, 1);
        }
        SendStage current = begun.getLast();
        long until = cut ? ended - SendStage.GRACE : ended;
        long sent = begun.stream().mapToLong(stage -> stage.rounds.sent()).sum();
        // Messages sent in the last half second of a load that was ended early do not make up for messages that are missing before.
        long unsent = begun.stream().mapToLong(stage -> stage.unsent(stage == current ? until : stage.end)).sum();
        long due = sent + unsent;
        long first = spans.getFirst().start;
        // The rate is asked up to the very end: what is left out above would make it too high or too low.
        long planned = cut ? begun.stream().mapToLong(stage -> stage.due(stage == current ? ended - 1 : stage.end)).sum() : due;
        long length = Math.max(1, Math.min(ended, current.end) - first);
        if (quota > 0 && unsent == 0 && current.due(Long.MAX_VALUE) == sent) {
            // All were sent, however late: the schedule ended with the last of them.
            long mine = current.rounds.producersWithQuota();
            long last = current.lastDue();
            planned = due;
            long took = senders.stream().mapToLong(Sender::lastSend).max().orElse(last) - first;
            length = (last - first) + (due > mine ? (last - first) * mine / (due - mine) : 0);
            if (took > length + SendStage.GRACE) {
                unsent = Math.round(due * (1 - Math.max(1, length) / (double) took));
            }
        }
        return new Kept(due, unsent, planned, length);
    }

    /**
     * The number of messages of one thread that were due, and how many of them were not sent in time.
     *
     * @param planned number of messages that the schedule had until the load ended, without regard to what was sent
     * @param length length of the schedule until the load ended, in nanoseconds
     */
    public record Kept(long due, long late, long planned, long length) {}

    /** Notes a producer that holds a message back. Called by the sending thread, once per producer until the next {@link #flush}. */
    void holds(Sender sender) {
        holding[holdingCount++] = sender;
    }

    /** Flushes all producers that hold messages back. */
    void flush() {
        int count = holdingCount;
        holdingCount = 0;
        for (int i = 0; i < count; i++) {
            holding[i].flushListed();
        }
    }
}
