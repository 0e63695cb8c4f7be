package io.brokermeter.driver.nats;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.brokermeter.spi.AwakeDeadline;
import io.nats.client.Connection;

/** Finds out whether the server has what the client has queued and written. */
final class WrittenBytes {

    /** The longest time that a close waits for a server that takes bytes all the time. */
    private static final Duration LONGEST_WRITING = Duration.ofSeconds(30);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    /** The fewest bytes that count as progress; the last pings are fewer. */
    private static final long PROGRESS = 1_000;

    private final Connection connection;

    WrittenBytes(Connection connection) {
        this.connection = connection;
    }

    /**
     * Waits until the server has what the client has queued: its close drops what its thread has not yet written. As long as the server
     * takes bytes, it is only slow. Returns whether it said that it has all.
     */
    boolean areAllTaken(Duration closeLimit) {
        FutureTask<Boolean> asking = new FutureTask<>(this::isAnswered);
        Thread.ofVirtual().name("nats-last-ping").start(asking);
        long limit = closeLimit.toNanos();
        long written = connection.getStatistics().getOutBytes();
        AwakeDeadline deadline = new AwakeDeadline(LONGEST_WRITING.toNanos());
        long taken = 0;
        for (long now = 0; now - taken < limit && now < LONGEST_WRITING.toNanos(); now = deadline.waited()) {
            try {
                return asking.get(LOOK_NANOS, TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                long bytes = connection.getStatistics().getOutBytes();
                if (bytes - written >= PROGRESS) {
                    written = bytes;
                    taken = now;
                }
            } catch (ExecutionException e) {
                return false;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return false;
    }

    /**
     * Waits until the server has answered a ping behind all that is queued; returns false if the connection ends before. Not by the client's
     * flush, which ends the connection where three pings are unanswered.
     */
    private boolean isAnswered() {
        while (true) {
            try {
                connection.RTT();
                return true;
            } catch (IOException e) {
                if (!(e.getCause() instanceof TimeoutException)) {
                    return false;
                }
            }
        }
    }

    /** Waits until the server has everything written so far; returns whether it said so. */
    boolean areAnswered(Duration limit) throws InterruptedException, TimeoutException {
        long answers = connection.getStatistics().getFlushCounter();
        connection.flush(limit);
        // The client also returns after too many unanswered pings, and gives the connection up soon afterwards.
        return connection.getStatistics().getFlushCounter() > answers;
    }
}
