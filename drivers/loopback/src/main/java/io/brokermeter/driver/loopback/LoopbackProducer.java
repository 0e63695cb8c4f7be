package io.brokermeter.driver.loopback;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import org.jspecify.annotations.Nullable;

/** A producer. A transaction is a list of messages that are sent when it commits. */
final class LoopbackProducer implements Producer {

    private final LoopbackConnection connection;
    private final LoopbackBroker broker;
    private final LoopbackDestination destination;
    private final SendListener listener;
    private final boolean transacted;
    private final long delayNanos;
    private final MessageVariant[] variants;
    private final @Nullable SendWindow window;
    private final LoopbackMessage message = new LoopbackMessage();
    private final List<LoopbackMessage> transaction = new ArrayList<>();
    private long firstToken = -1;
    private long lastToken = -1;

    LoopbackProducer(
            LoopbackConnection connection, LoopbackBroker broker, LoopbackDestination destination, ProducerSettings settings,
            SendListener listener) {
        this.connection = connection;
        this.broker = broker;
        this.destination = destination;
        // A transaction has no window: it is sent to the broker as a whole.
        this.window = broker.knobs.producing().isNone() || settings.transacted() ? null : new SendWindow(listener, broker);
        this.listener = window == null ? listener : window;
        this.transacted = settings.transacted();
        this.delayNanos = TimeUnit.MILLISECONDS.toNanos(settings.delayMillis());
        this.variants = settings.variants().toArray(MessageVariant[]::new);
    }

    @Override
    public void send(Payload payload, long token) throws InterruptedException {
        if (broker.knobs.restores()) {
            broker.awaitLife();
        }
        if (broker.isDead()) {
            throw new IllegalStateException("the loopback broker is dead");
        }
        message.show(payload, variants[payload.variant()]);
        if (transacted) {
            if (transaction.isEmpty()) {
                firstToken = token;
            }
            transaction.add(message.copy());
            lastToken = token;
            return;
        }
        if (window != null) {
            window.take(token, message.size());
        }
        destination.send(message, connection, listener, token, delayNanos);
    }

    @Override
    public void commit() {
        if (broker.knobs.restores()) {
            broker.awaitLife();
        }
        endTransaction();
    }

    /** Sends the messages of the transaction to the broker, or reports them as failed and throws if the broker has left the connection. */
    private void endTransaction() {
        if (transaction.isEmpty()) {
            return;
        }
        boolean arrives = !connection.isGone() && arrive();
        transaction.clear();
        if (!arrives) {
            IllegalStateException cause = new IllegalStateException("the loopback broker is dead");
            for (long token = firstToken; token <= lastToken; token++) {
                listener.failed(token, cause);
            }
            throw cause;
        }
        listener.confirmedUpTo(lastToken);
    }

    /** Gives the broker all messages of the transaction, or none if it has died: a death waits for the lock. */
    private boolean arrive() {
        synchronized (destination) {
            if (connection.isBeyondReach()) {
                return false;
            }
            for (LoopbackMessage each : transaction) {
                destination.send(each, null, null, 0, delayNanos);
            }
            return true;
        }
    }

    @Override
    public void rollback() {
        if (!transacted) {
            throw new UnsupportedOperationException("This producer has no transactions.");
        }
        transaction.clear();
    }

    /** Commits an open transaction, as the other drivers do. */
    @Override
    public void close() {
        if (window != null) {
            window.close();
        }
        try {
            endTransaction();
        } catch (IllegalStateException e) {
            // each send of the transaction was reported with this cause
        }
    }
}
