package io.brokermeter.driver.nats;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.brokermeter.driver.tls.Tls;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.failure.DriverException;
import io.nats.client.Connection;
import io.nats.client.ErrorListener;
import io.nats.client.Nats;
import io.nats.client.Options;
import org.jspecify.annotations.Nullable;

/** Reports the loss of a connection, with the client's last message about it, and notices about what a user may not do. */
final class LossListener implements io.nats.client.ConnectionListener, ErrorListener {

    /** Number of permission errors that are reported; each names a subject, and there may be many. */
    private static final int MOST_TOLD = 10;

    private final ConnectionListener listener;
    private final @Nullable Tls tls;
    private final Set<String> told = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Throwable last;
    private volatile @Nullable NatsConnection connection;
    private volatile boolean refused;
    private boolean connects;
    private boolean gone;
    private @Nullable Thread connecting;
    private volatile boolean interrupted;

    /** @param tls TLS for the socket, which can find this listener among the client's options; null for plain TCP */
    LossListener(ConnectionListener listener, @Nullable Tls tls) {
        this.listener = listener;
        this.tls = tls;
    }

    @Nullable Tls tls() {
        return tls;
    }

    boolean refusedLogin() {
        return refused;
    }

    /** Connects. By itself the client would wait for the server's answer until its limit, even if the server has closed the connection. */
    Connection connect(Options options) throws IOException, InterruptedException {
        synchronized (this) {
            connecting = Thread.currentThread();
        }
        try {
            return Nats.connect(options);
        } catch (InterruptedException e) {
            if (interrupted) {
                throw new IOException("nothing more is read from the server", e);
            }
            throw e;
        } finally {
            synchronized (this) {
                connecting = null;
                if (interrupted) {
                    Thread.interrupted();
                }
            }
        }
    }

    /** Notes that nothing more will be read from the server, which ends {@link #connect}. */
    synchronized void ended() {
        Thread waiting = connecting;
        if (waiting != null) {
            interrupted = true;
            waiting.interrupt();
        }
    }

    /** Sets the connection to which the loss is reported, and reports a loss that has happened already. */
    synchronized void connected(NatsConnection made) {
        connection = made;
        if (gone) {
            tell(made);
        }
    }

    /**
     * Follows the events, which the client reports in their order, but later than they happened. An address of the server that did not
     * answer has its end reported as well, before the connection to another one: that is no loss.
     */
    @Override
    @SuppressWarnings("deprecation") // the one method that every listener must implement
    public synchronized void connectionEvent(Connection source, Events event) {
        if (event == Events.CONNECTED) {
            connects = true;
            last = null;
        } else if (connects && (event == Events.DISCONNECTED || event == Events.CLOSED)) {
            gone = true;
            NatsConnection made = connection;
            if (made != null) {
                tell(made);
            }
        }
    }

    private void tell(NatsConnection made) {
        Throwable cause = last;
        made.lost(made.explained(cause == null || cause.getMessage() == null
            ? new IOException("The connection to the NATS server is closed.", cause) : cause), listener);
    }

    @Override
    public void exceptionOccurred(Connection source, Exception exception) {
        last = exception;
    }

    @Override
    public void errorOccurred(Connection source, String error) {
        if (Permissions.isViolation(error)) {
            // not the cause of a later loss
            if (told.size() < MOST_TOLD && told.add(error)) {
                listener.notice("The NATS server says: " + error + ".");
            }
            return;
        }
        if (error.contains("uthorization")) {
            refused = true;
        }
        last = new DriverException("The NATS server says: " + error + ".", null);
    }

    @Override
    public void socketWriteTimeout(Connection source) {
        last = new DriverException("The NATS server took no bytes for too long.", null);
    }
}
