package io.brokermeter.driver.wire;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

import io.brokermeter.spi.failure.DriverException;
import org.jspecify.annotations.Nullable;

/**
 * Watches a connection from the {@link Timer} until {@link #end}: for silence of the broker, for writes that make no progress and for
 * heart-beats that are due. Connections with the same interval are looked at together: a hundred thousand tasks of their own would take
 * most of a processor.
 */
final class Supervision {

    private static final long SHORTEST_PERIOD = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LONGEST_PERIOD = TimeUnit.SECONDS.toNanos(5);
    /** The rounds by their period in nanoseconds. */
    private static final Map<Long, Round> ROUNDS = new ConcurrentHashMap<>();

    private final WireConnection connection;
    private final long period;

    /** The connections that are looked at together; empty only while it is not in the map. */
    private static final class Round {

        private final Set<Supervision> all = ConcurrentHashMap.newKeySet();
        private @Nullable ScheduledFuture<?> ticks;

        /** Adds one; begins with the first. Called by the map, for one key by one thread at a time. */
        Round with(Supervision one) {
            all.add(one);
            if (ticks == null) {
                ticks = Timer.every(one.period, () -> all.forEach(Supervision::look));
            }
            return this;
        }

        /** Removes one; returns null after the last. Called like {@link #with}. */
        @Nullable Round without(Supervision one) {
            all.remove(one);
            if (!all.isEmpty() || ticks == null) {
                return this;
            }
            ticks.cancel(false);
            return null;
        }
    }

    /**
     * Begins at once.
     *
     * @param shortest the shorter of the intervals of heart-beats in nanoseconds, {@link Long#MAX_VALUE} for none
     */
    Supervision(WireConnection connection, long shortest) {
        this.connection = connection;
        this.period = Math.clamp(shortest / 8, SHORTEST_PERIOD, LONGEST_PERIOD);
        ROUNDS.compute(period, (_, round) -> (round == null ? new Round() : round).with(this));
    }

    private void look() {
        try {
            tick();
        } catch (RuntimeException e) {
            // must not end the watch over the others
            connection.fail(e);
        }
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
        ROUNDS.computeIfPresent(period, (_, round) -> round.without(this));
    }
}
