package io.brokermeter.engine.health;

import java.util.Collection;

/**
 * For how long messages of the measured part waited for the end of their tick after they were due. It is a part of their send delay and of their
 * response time.
 *
 * @param tickNanos length of a tick, in nanoseconds; 0 for a run without ticks
 * @param messages number of messages that were sent
 * @param totalNanos sum of their waits, in nanoseconds
 * @param maxNanos longest of their waits, in nanoseconds
 */
public record TickDelay(long tickNanos, long messages, long totalNanos, long maxNanos) {

    /** No message waited. */
    public static final TickDelay NONE = new TickDelay(0, 0, 0, 0);

    /** Returns the waits of the messages of several threads or processes. */
    public static TickDelay sum(Collection<TickDelay> parts) {
        return new TickDelay(parts.stream().mapToLong(TickDelay::tickNanos).max().orElse(0),
            parts.stream().mapToLong(TickDelay::messages).sum(), parts.stream().mapToLong(TickDelay::totalNanos).sum(),
            parts.stream().mapToLong(TickDelay::maxNanos).max().orElse(0));
    }

    /** Returns whether the run had ticks in which something was sent. */
    public boolean isKnown() {
        return tickNanos > 0 && messages > 0;
    }

    /** Returns the mean wait, in nanoseconds; 0 where nothing waited. */
    public double meanNanos() {
        return messages == 0 ? 0 : (double) totalNanos / messages;
    }
}
