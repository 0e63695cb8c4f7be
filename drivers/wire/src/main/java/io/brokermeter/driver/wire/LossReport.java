package io.brokermeter.driver.wire;

import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Failure;

/** Reports the loss of a connection to its listener once, and words the reason for the user. Any thread. */
final class LossReport {

    private final ConnectionListener listener;
    private final AtomicBoolean made = new AtomicBoolean();

    LossReport(ConnectionListener listener) {
        this.listener = listener;
    }

    /** Reports the loss, unless that was done before. */
    void make(Throwable reason) {
        if (made.compareAndSet(false, true)) {
            listener.lost(reason);
        }
    }

    /** Returns a sentence for the user as an exception, made from what ended the reading of a connection. */
    static Throwable reason(Throwable end) {
        return switch (end) {
            case DriverException said -> said;
            case ClosedChannelException closed -> new DriverException("The connection was closed.", closed);
            case EOFException gone -> new DriverException("The broker closed the connection.", gone);
            case IOException broken -> new DriverException(
                "The connection to the broker broke: " + Failure.words(broken) + ".", broken);
            default -> new DriverException("The connection was given up: " + Failure.words(end) + ".", end);
        };
    }
}
