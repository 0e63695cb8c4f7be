package io.brokermeter.driver.wire;

import java.util.concurrent.ScheduledFuture;

/** Closes a connection from our side, in bounded time. */
final class ConnectionClose {

    private final WireConnection connection;
    private final Wire wire;

    ConnectionClose(WireConnection connection, Wire wire) {
        this.connection = connection;
        this.wire = wire;
    }

    void endpoints() {
        for (WireEndpoint each : connection.locked(connection::endpoints)) {
            try {
                if (each instanceof AutoCloseable closeable) {
                    closeable.close();
                }
            } catch (Exception e) {
                // the next endpoints must be closed as well
            }
        }
    }

    /** Says goodbye and ends the connection; does nothing when called again. Returns after the last callback. */
    void end() {
        if (!connection.beginClosing()) {
            return;
        }
        if (connection.awaitWritten()) {
            ScheduledFuture<?> guard = Timer.after(connection.closeLimitNanos(), wire::close);
            connection.saidGoodbye(wire);
            guard.cancel(false);
            connection.awaitClosing(connection::isReleased);
        }
        connection.shut();
        connection.join(connection.closeLimitNanos());
    }
}
