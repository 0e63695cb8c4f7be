package io.brokermeter.engine.run.send;

import io.brokermeter.engine.envelope.MessageSource;
import io.brokermeter.engine.envelope.SequenceSet;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.plan.ProducerGroup;
import io.brokermeter.engine.recording.PhaseTimes;
import io.brokermeter.engine.recording.lane.Activity;
import io.brokermeter.engine.recording.lane.Counter;
import io.brokermeter.engine.recording.lane.Counters;
import io.brokermeter.engine.recording.lane.Lane;
import io.brokermeter.engine.run.Failures;
import io.brokermeter.engine.run.Participants;
import io.brokermeter.engine.scenario.RequestReply;
import io.brokermeter.engine.scenario.measure.Count;
import io.brokermeter.engine.scenario.measure.Metric;
import io.brokermeter.spi.SendListener;
import org.jspecify.annotations.Nullable;

/**
 * What a client reports about the messages of a producer, and the fate of each. Written by the client's threads, one at a time; the sending
 * thread reports what fails within its own calls.
 */
public final class SendReports implements SendListener, Window.Confirmed {

    public final Counters counters = new Counters();
    final Counter blocked = counters.of(Count.BLOCKED);
    public final Counter completed = counters.of(Count.COMPLETED);
    public final Counter failed = counters.of(Count.FAILED);
    final Counter rolledBack = counters.of(Count.ROLLED_BACK);
    public final Counter strayConfirmations = new Counter();
    /** Number of sends whose fate stays unknown. */
    public final Counter givenUp = new Counter();
    public final Confirmations confirmed;
    public final SequenceSet rolledBackTokens = SequenceSet.forOneWriter();
    /** Sequence numbers of failed messages. Both the sending and the confirming threads add to it. */
    public final SequenceSet failedTokens = SequenceSet.forManyWriters();
    private final SequenceSet givenUpTokens = SequenceSet.forManyWriters();
    /** Sequence numbers of messages that were in flight when a client began to restore its connection, and that it may send again. */
    private final SequenceSet inDoubt = SequenceSet.forManyWriters();

    final Window window;
    private final Clock clock;
    private final SendLoop loop;
    private final Failures failures;
    private final Lane acks;
    private final @Nullable Pauses pauses;
    private final @Nullable Activity activity;
    private final boolean bare;
    /** The largest number of messages in flight at which the sending thread is woken. */
    final int wakeBelow;
    private PhaseTimes phases = PhaseTimes.ONE;
    /** The last confirmation time, in nanoseconds. Written by the confirming thread; the sending thread may read an older one. */
    private long lastAck;
    /** Used by the sending thread only. */
    private long meanAck;

    SendReports(ProducerGroup group, Participants.Shared with, MessageSource source, @Nullable Pauses pauses, SendLoop loop) {
        this.clock = with.clock();
        this.loop = loop;
        this.failures = with.failures();
        this.activity = group.counts() == null ? with.activity() : null;
        this.acks = with.recording().lane(Metric.SEND, group.index());
        this.pauses = pauses;
        this.bare = group.spec().messages().bare();
        this.confirmed = new Confirmations(with.selections().of(group), source, counters.of(Count.COMPLETED_BYTES));
        int size = group.spec().window(with.plan().producerCount());
        RequestReply request = group.spec().request();
        this.window = new Window(size, request == null ? null : request.timeout(), confirmed.areNoted());
        counters.add(Count.UNANSWERED, window::late);
        // Waking the sending thread for each confirmation would cost more than the message, so it is woken when 1/32 of the window is free;
        // half of that is free in the mean. A pause begins only when everything is settled, so with pauses it is woken then.
        this.wakeBelow = pauses == null ? size - Math.max(1, size / 32) : 0;
    }

    void begin(PhaseTimes times) {
        this.phases = times;
    }

    @Override
    public void confirmed(long token) {
        if (window.confirm(token, clock.nanos(), this)) {
            wake();
        } else {
            stray(token);
        }
    }

    @Override
    public void confirmedUpTo(long token) {
        window.confirmUpTo(token, clock.nanos(), this);
        wake();
    }

    /** Records a confirmed message. Called by {@link Window}. */
    @Override
    public void accept(long token, long intended, long sentAt, long note, long now) {
        lastAck = now - sentAt;
        settles(now);
        acks.record(now - sentAt, phases.of(intended, now));
        confirmed.add(token, note);
        completed.increment();
        if (activity != null) {
            activity.confirmed(now);
        }
    }

    /**
     * Notes the reply to a request. May be called by any thread, but only one at a time for one producer.
     *
     * @param now when the reply came, in nanoseconds since the epoch
     * @return whether the request was still waiting for the reply; false when its time was over
     */
    public boolean answered(long token, long now) {
        settles(now);
        boolean inTime = window.answer(token, now);
        wake();
        return inTime;
    }

    @Override
    public void failed(long token, Throwable cause) {
        if (fail(token, cause)) {
            wake();
        } else {
            stray(token);
        }
    }

    /** Counts a message as failed. Returns false when it is not pending. */
    boolean fail(long token, Throwable cause) {
        settles(clock.nanos());
        if (!window.drop(token)) {
            return false;
        }
        failed.increment();
        failedTokens.add(token);
        failures.add(cause);
        if (activity != null) {
            activity.failed(clock.nanos());
        }
        return true;
    }

    @Override
    public void unknown(long token, Throwable cause) {
        if (giveUp(token)) {
            failures.addUnknown(cause, 1);
            wake();
        } else {
            stray(token);
        }
    }

    private boolean giveUp(long token) {
        settles(clock.nanos());
        if (!window.drop(token)) {
            return false;
        }
        givenUp.increment();
        givenUpTokens.add(token);
        return true;
    }

    /** Counts a report about a message that is not in flight, unless the fate of that message was given up before as unknown. */
    private void stray(long token) {
        if (token < 0 || !givenUpTokens.contains(token)) {
            strayConfirmations.increment();
        }
    }

    /**
     * Wakes the sending thread if it waits for room and enough is free. The atomic add that settled the message comes before this read of
     * {@code waiting}, so either the waiting thread is seen here or it sees the new count. The sending thread publishes that it waits after
     * it took its last token, so the token read here is that one.
     */
    private void wake() {
        Thread waiting = loop.waiting;
        if (waiting != null && window.inFlight() <= wakeBelow) {
            loop.wake(waiting);
        }
    }

    void settles(long now) {
        if (pauses != null) {
            pauses.settles(now);
        }
    }

    /** Takes a send that was rolled back out of the window; returns without effect when it had failed before. Called by the sending thread. */
    void rolledBack(long token) {
        if (window.drop(token)) {
            rolledBackTokens.add(token);
            rolledBack.increment();
        }
    }

    /**
     * Returns for how long the sending thread may hold back the next messages: the time for which a message is held back counts as the
     * broker's, so it is kept a small part of that, half of a sixteenth in the mean.
     */
    long nextHold() {
        meanAck += (lastAck - meanAck) >> 3;
        return Math.clamp(meanAck >> 4, Sender.SHORTEST_HOLD, Sender.LONGEST_HOLD);
    }

    // ---- the loss of its connection ----

    /**
     * Gives up what is still in flight. Called by the recovering thread when the lost producer is closed and
     * reports nothing more, and by the sending thread after a rollback that failed.
     *
     * @param cause why nobody will report them
     */
    public void giveUpPending(Throwable cause) {
        long before = givenUp.get();
        window.forEachPending(this::giveUp);
        failures.addUnknown(cause, givenUp.get() - before);
    }

    /** Notes that the client has begun to restore its connection, and may send again what is in flight. Any thread may call this. */
    public void doubt() {
        window.forEachPending(inDoubt::add);
    }

    /** Returns whether the client may have sent a message a second time by itself. May be called by any thread. */
    public boolean isInDoubt(long token) {
        return inDoubt.contains(token);
    }

    /** Returns the sequence numbers of messages that the client may have sent a second time by itself. */
    public SequenceSet doubted() {
        return inDoubt;
    }

    /** Returns the number of confirmed messages that were in flight when a client began to restore its connection. */
    public long doubtedConfirmed() {
        return inDoubt.size() - inDoubt.sizeWithout(confirmed.all());
    }

    /** Returns whether the messages have no envelope. */
    public boolean bare() {
        return bare;
    }
}
