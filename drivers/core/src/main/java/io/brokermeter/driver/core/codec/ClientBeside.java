package io.brokermeter.driver.core.codec;

import java.util.function.Consumer;

import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.parameter.ServerUrl;
import io.brokermeter.spi.parameter.Transport;
import org.jspecify.annotations.Nullable;

/** The connection over Artemis' client beside one of this package; made when it is first needed. */
public final class ClientBeside {

    private static final String WHAT = "transactions, polling, messages given back or durable subscriptions of one consumer";

    private final Opening opening;
    private final ServerUrl.Server server;
    private final ConnectionListener listener;
    private final Consumer<Throwable> lost;
    private @Nullable Connection made;
    private volatile @Nullable String carrier;

    /** Opens a connection over Artemis' client. */
    @FunctionalInterface
    public interface Opening {

        /**
         * @param server the broker of the connection beside it
         * @param listener notified of the end of that connection
         */
        Connection open(ServerUrl.Server server, ConnectionListener listener) throws Exception;
    }

    /** @param lost called with the cause if the connection is lost, instead of the listener */
    ClientBeside(Opening opening, ServerUrl.Server server, ConnectionListener listener, Consumer<Throwable> lost) {
        this.opening = opening;
        this.server = server;
        this.listener = listener;
        this.lost = lost;
    }

    /** Returns the connection for a producer or consumer, made at the first call, of which the user is told. */
    synchronized Connection carrying() throws Exception {
        Connection known = made;
        if (known == null) {
            known = opening.open(server, lost::accept);
            made = known;
            carrier = known.client();
            Transport.tell("CORE goes", carrier, WHAT, listener);
        }
        return known;
    }

    /** Returns the clients that producers and consumers have used so far. */
    String client(boolean direct) {
        String known = carrier;
        return known == null ? CodecConnection.CLIENT : direct ? CodecConnection.CLIENT + "; " + known + " for " + WHAT : known;
    }

    synchronized void close() {
        if (made != null) {
            made.close();
        }
    }
}
