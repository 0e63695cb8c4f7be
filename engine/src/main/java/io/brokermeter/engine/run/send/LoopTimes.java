package io.brokermeter.engine.run.send;

import io.brokermeter.engine.health.TickDelay;
import io.brokermeter.engine.health.Waits;
import io.brokermeter.engine.run.parts.Spans;
import org.HdrHistogram.Histogram;

/**
 * Where the time of a sending thread went, in nanoseconds. Written by that thread; what is not volatile is read when it has ended. The time
 * that is neither idle nor one of the waits is what the thread needed itself.
 */
public final class LoopTimes {

    /** The delays with which the thread woke for the moments of the measured part that it waited for. */
    public final Histogram lateness = new Histogram(1, 60_000_000_000L, 2);
    /** The time in which due messages waited for a window. */
    long windowWait;
    /** The time in which due messages waited for a think time or the pause after a failed send. */
    long restWait;
    /** The time in which due messages waited for a lost connection that was being restored. */
    long lossWait;
    /**
     * The time in which the thread waited within calls of its producers, as for credit or in a synchronous send: the time of its load in
     * which it neither ran nor was ready to run, less its own waits. 0 when the kernel does not report it.
     */
    private long callWait;
    /** The time in which the thread waited for a moment and had nothing due. */
    long idleWait;
    /** The length of a tick, in nanoseconds; 0 for none. */
    final long tick;
    /** The number of messages that waited for the end of a tick, the sum of their waits and the longest of them. */
    private long ticked;
    private long tickWait;
    private long longestTickWait;
    /** Begin of the measured part to which the delays and waits above belong. */
    private long measuredFrom;
    /** All other time of the thread since its preparations. */
    private long busy;
    /** The moment until which the thread has nothing to send, since the epoch. */
    volatile long idleUntil;
    volatile long sendingEnd;
    private volatile long began;

    /** @param tick length of a tick, in nanoseconds; 0 for none */
    LoopTimes(long tick) {
        this.tick = tick;
    }

    /** Notes that a stage begins. */
    void begins(long moment) {
        if (began == 0) {
            began = moment;
        }
    }

    /**
     * Notes that the load is over.
     *
     * @param whole time since the preparations of the thread
     * @param awake time of that in which the thread ran or was ready to run; negative when the kernel does not report it
     */
    void ends(long whole, long awake) {
        busy = whole - idleWait;
        callWait = awake < 0 ? 0 : Math.max(0, busy - awake - windowWait - restWait - lossWait);
    }

    /** Returns whether a moment belongs to the measured part, which begins at {@code from} as far as is known now. */
    boolean isMeasured(long moment, long from) {
        measures(from);
        return moment >= from;
    }

    /**
     * Forgets the delays and the waits for ticks that were noted before it was known that the measured part begins later, since the warm-up
     * was extended.
     */
    void measures(long from) {
        if (from != measuredFrom) {
            measuredFrom = from;
            lateness.reset();
            ticked = 0;
            tickWait = 0;
            longestTickWait = 0;
        }
    }

    /** Notes for how long a message waited for the end of its tick, in nanoseconds. */
    void waitedForTick(long nanos) {
        ticked++;
        tickWait += nanos;
        longestTickWait = Math.max(longestTickWait, nanos);
    }

    /** Returns the waits of messages for the ends of their ticks. Valid when the thread has ended. */
    public TickDelay tickDelay() {
        return new TickDelay(tick, ticked, tickWait, longestTickWait);
    }

    /** Returns when the thread woke for the begin of its load, since the epoch; 0 before that. */
    public long began() {
        return began;
    }

    /** Returns when the load of the thread ended, as {@link Spans} defines it. Valid once the thread has finished. */
    public long sendingEnd() {
        return sendingEnd;
    }

    /** Returns the times that the thread spent waiting. Valid when the thread has ended. */
    public Waits waits() {
        return new Waits(windowWait, restWait, lossWait, callWait, busy);
    }
}
