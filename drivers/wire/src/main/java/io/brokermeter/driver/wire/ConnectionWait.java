package io.brokermeter.driver.wire;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import io.brokermeter.spi.AwakeDeadline;
import io.brokermeter.spi.failure.DriverException;

/** Waits for what the broker answers on a connection. A stall of this process uses up little of a limit. */
final class ConnectionWait {

    /** The interval in nanoseconds at which conditions are checked that nobody signals, such as written bytes. */
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(5);

    private final WireConnection connection;

    ConnectionWait(WireConnection connection) {
        this.connection = connection;
    }

    /** Waits as {@link WireConnection#await} specifies. */
    void forAnswer(BooleanSupplier done, long limitNanos, String late) throws IOException, InterruptedException {
        connection.lock.lockInterruptibly();
        try {
            AwakeDeadline deadline = new AwakeDeadline(limitNanos);
            while (!done.getAsBoolean()) {
                connection.check();
                long left = deadline.left();
                if (left <= 0) {
                    connection.foundMute();
                    throw new DriverException(late + " within " + TimeUnit.NANOSECONDS.toMillis(limitNanos) + " ms.", null);
                }
                connection.changed.awaitNanos(Math.min(left, 10 * LOOK));
            }
        } finally {
            connection.lock.unlock();
        }
    }

    /** Waits as {@link WireConnection#awaitClosing} specifies. */
    boolean whileClosing(BooleanSupplier done) {
        if (connection.out.pending() > 0) {
            connection.help();
        }
        connection.lock.lock();
        try {
            AwakeDeadline deadline = new AwakeDeadline(connection.leftToCloseNanos());
            while (!done.getAsBoolean()) {
                if (!connection.isAlive() || connection.isReader()) {
                    return false;
                }
                long left = deadline.left();
                if (left <= 0) {
                    connection.foundMute();
                    return false;
                }
                connection.changed.awaitNanos(Math.min(left, LOOK));
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            connection.lock.unlock();
        }
    }
}
