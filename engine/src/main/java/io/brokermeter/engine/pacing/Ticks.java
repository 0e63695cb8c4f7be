package io.brokermeter.engine.pacing;

/**
 * Equal ticks of a load: what becomes due within one goes out together at its end, so that the sending thread wakes once a tick. Nothing goes out
 * before it is due, and the times of a message count from its due time, so they include what it waited for the end of its tick. Times are
 * nanoseconds since the epoch. Used by one thread.
 */
public final class Ticks {

    private final long start;
    private final long length;
    private final long end;
    /** The last end of a tick that was asked for. */
    private long last;

    /**
     * Divides a load into ticks.
     *
     * @param start begin of the load, and with it the end of the tick of what is due at that moment
     * @param end end of the load, which ends the last tick; {@link Long#MAX_VALUE} for none
     * @param length length of a tick; 0 for none, where each moment is a tick of its own
     */
    public Ticks(long start, long end, long length) {
        this.start = start;
        this.end = end;
        this.length = length;
        this.last = start;
    }

    /** Returns the end of the tick in which something is due: {@code due} itself, where a tick ends at that moment. */
    public long endOf(long due) {
        if (length == 0) {
            return due;
        }
        if (due > last || due <= last - length) {
            last = start + Math.ceilDiv(due - start, length) * length;
        }
        return Math.min(last, end);
    }
}
