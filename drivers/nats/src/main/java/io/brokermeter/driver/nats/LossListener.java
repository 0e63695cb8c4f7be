package io.brokermeter.driver.nats;

import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import io.brokermeter.driver.tls.Tls;
import io.brokermeter.spi.ConnectionListener;
import io.nats.client.Connection;
import io.nats.client.Consumer;
import io.nats.client.ErrorListener;
import io.nats.client.Nats;
import io.nats.client.Options;
import org.jspecify.annotations.Nullable;

/** Tells the loss of a connection, with the last that the client said about it, and what the client dropped. */
final class LossListener implements io.nats.client.ConnectionListener, ErrorListener {

    /** Each names a subject, and there may be many of them. */
    private static final int MOST_TOLD = 10;

    private final ConnectionListener listener;
    private final @Nullable Tls tls;
    private final AtomicBoolean toldDrops = new AtomicBoolean();
    private final Set<String> told = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Throwable last;
    private volatile @Nullable NatsConnection connection;
    private volatile boolean refused;
    private boolean gone;
    private @Nullable Thread connecting;
    private volatile boolean interrupted;

    /** @param tls null for plain TCP; for the socket, which finds this listener among the client's options and nothing else of ours */
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

    /** Connects. The client itself waits for the server's answer until its limit, also when the server has closed the connection. */
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

    /** Nothing more will be read from the server. */
    synchronized void ended() {
        Thread waiting = connecting;
        if (waiting != null) {
            interrupted = true;
            waiting.interrupt();
        }
    }

    /** From now on there is somebody to tell. */
    synchronized void connected(NatsConnection made) {
        connection = made;
        if (gone) {
            tell(made);
        }
    }

    @Override
    @SuppressWarnings("deprecation") // the one method that every listener must have
    public synchronized void connectionEvent(Connection source, Events event) {
        if (event == Events.DISCONNECTED || event == Events.CLOSED) {
            gone = true;
            NatsConnection made = connection;
            if (made != null) {
                tell(made);
            }
        }
    }

    private void tell(NatsConnection made) {
        Throwable cause = last;
        made.lost(cause == null || cause.getMessage() == null
            ? new IOException("The connection to the NATS server is closed.", cause) : cause, listener);
    }

    @Override
    public void exceptionOccurred(Connection source, Exception exception) {
        last = exception;
    }

    @Override
    public void errorOccurred(Connection source, String error) {
        if (Permissions.isViolation(error)) {
            // no cause of a loss that may follow some day
            if (told.size() < MOST_TOLD && told.add(error)) {
                listener.notice("The NATS server says: " + error + ".");
            }
            return;
        }
        if (error.contains("uthorization")) {
            refused = true;
        }
        last = new IOException("The NATS server says: " + error);
    }

    @Override
    public void slowConsumerDetected(Connection source, Consumer consumer) {
        if (toldDrops.compareAndSet(false, true)) {
            listener.notice("The NATS client dropped messages, because they came faster than they were taken.");
        }
    }

    @Override
    public void socketWriteTimeout(Connection source) {
        last = new IOException("The NATS server took no bytes for too long.");
    }
}
