package io.brokermeter.driver.amqp.direct;

import java.util.function.Consumer;

import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.parameter.Transport;
import org.jspecify.annotations.Nullable;

/** The qpid-jms connection beside a direct connection; created when it is first needed. */
final class LibraryConnection {

    private static final String WHAT = "transactions, durable or shared subscriptions, or delays that a broker may ignore";

    private final ConnectionSettings settings;
    private final ConnectionListener listener;
    private final Consumer<Throwable> lost;
    private volatile @Nullable Connection made;

    /** @param lost called with the cause if the connection is lost, instead of the listener */
    LibraryConnection(ConnectionSettings settings, ConnectionListener listener, Consumer<Throwable> lost) {
        this.settings = settings;
        this.listener = listener;
        this.lost = lost;
    }

    /**
     * Returns the connection, and creates it at the first call. URLs of the own path never reconnect, so loss is the connection's only
     * event.
     */
    Connection connection() throws Exception {
        Connection known = made;
        if (known == null) {
            Transport.refuseSource(settings, "Transactions, durable or shared subscriptions, and delays that a broker may ignore,",
                "qpid-jms");
            known = DirectPath.connectOverLibrary(settings, lost::accept, listener, WHAT);
            made = known;
        }
        return known;
    }

    /** Returns the clients that producers and consumers have used so far: the own path, qpid-jms, or both. */
    String client(boolean direct) {
        Connection known = made;
        return known == null ? DirectPath.CLIENT : direct ? DirectPath.CLIENT + "; " + known.client() + " for " + WHAT : known.client();
    }

    void close() {
        Connection known = made;
        if (known != null) {
            known.close();
        }
    }
}
