package io.brokermeter.driver.wire;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

import io.brokermeter.spi.failure.DriverException;

/**
 * Watches a connection from the {@link Timer} until {@link #end}: for silence of the broker, for writes that make no progress and for
 * heart-beats that are due.
 */
final class Supervision {

    private static final long SHORTEST_PERIOD = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LONGEST_PERIOD = TimeUnit.SECONDS.toNanos(5);

    private final WireConnection connection;
    private final ScheduledFuture<?> ticks;

    /**
     * Begins at once.
     *
     * @param shortest the shorter of the intervals of heart-beats in nanoseconds, {@link Long#MAX_VALUE} for none
     */
    Supervision(WireConnection connection, long shortest) {
        this.connection = connection;
        this.ticks = Timer.every(Math.clamp(shortest / 8, SHORTEST_PERIOD, LONGEST_PERIOD), this::tick);
    }

    private void tick() {
        WriteBuffer out = connection.out;
        long now = System.nanoTime();
        long unread = connection.unreadSince(now);
        long silence = connection.longestSilence();
        if (silence > 0 && unread > silence) {
            connection.fail(new DriverException("The broker sent nothing for " + TimeUnit.NANOSECONDS.toMillis(unread) + " ms"
                + connection.silence() + ".", null));
        } else if (out.writingFor() > connection.longestWrite()) {
            connection.fail(new DriverException("The broker has read nothing from its socket for "
                + TimeUnit.NANOSECONDS.toMillis(out.writingFor()) + " ms.", null));
        } else if (connection.beatDue(out.writingSince() != 0 ? 0 : now - out.lastWrite(), unread)) {
            connection.locked(connection::beat);
            connection.help();
        }
    }

    void end() {
        ticks.cancel(false);
    }
}
