package io.brokermeter.driver.stomp;

import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.failure.DriverException;
import org.jspecify.annotations.Nullable;

/** Durable and shared subscriptions by their names, which may need connections of their own. */
final class NamedSubscriptions {

    /** The client id of subscriptions that are shared by all connections without a client id. */
    private static final String EVERYBODY = "brokermeter";

    private final StompConnection connection;
    private final ConnectionSettings settings;
    private final ConnectionListener loss;
    private volatile @Nullable StompConnection everybody;

    /** @param loss notified of the loss of a connection that is opened for shared subscriptions */
    NamedSubscriptions(StompConnection connection, ConnectionSettings settings, ConnectionListener loss) {
        this.connection = connection;
        this.settings = settings;
        this.loss = loss;
    }

    /** Adds the headers of a named subscription to a frame. */
    void name(Frame frame, String subscription, boolean durable) {
        connection.dialect.subscription(subscription, settings.clientId(), durable).forEach(frame::with);
    }

    /**
     * Removes a subscription unless another consumer uses it. A refusal costs the connection that asked, so this opens a connection of its
     * own.
     */
    void removeUnused(Destination destination, String subscription) {
        try (StompConnection made = StompConnection.connect(settings, connection.stomp, cause -> {})) {
            made.unsubscribe(destination, subscription);
        } catch (Exception e) {
            // others use it, or the broker is gone: it is not ours to remove
        }
    }

    /** Returns the connection for shared subscriptions without a client id; opens it at the first call. */
    StompConnection everybody() throws DriverException {
        StompConnection made = everybody;
        if (made == null) {
            made = StompConnection.connect(settings.withClientId(EVERYBODY), connection.stomp, loss);
            everybody = made;
        }
        return made;
    }

    /** Removes a subscription from the broker. */
    void unsubscribe(Destination destination, String subscription) throws Exception {
        Dialect dialect = connection.dialect;
        if (dialect.subscriptionsBelongToClient() && settings.clientId() == null && dialect.hasSharedSubscriptions()) {
            everybody().unsubscribe(destination, subscription);
            return;
        }
        String failed = "The broker did not remove the subscription " + subscription;
        Frame frame = connection.frame("UNSUBSCRIBE").with("id", "u");
        if (dialect.subscriptionsBelongToClient()) {
            frame.with("destination", dialect.address(destination, connection.stomp.prefix(destination.isTopic())));
        } else {
            // A subscription must be in use on this connection for its queue to be deleted; it holds a message for a moment.
            Frame subscribe = connection.frame("SUBSCRIBE", destination, true).with("id", "u").with("ack", "client")
                .with("prefetch-count", "1");
            name(subscribe, subscription, true);
            connection.receipts.ask(subscribe, failed);
        }
        name(frame, subscription, true);
        connection.receipts.ask(frame, failed);
    }

    void close() {
        StompConnection made = everybody;
        if (made != null) {
            made.close();
        }
    }
}
