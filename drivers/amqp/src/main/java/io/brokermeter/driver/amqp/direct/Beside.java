package io.brokermeter.driver.amqp.direct;

import java.util.function.Consumer;

import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import org.jspecify.annotations.Nullable;

/** The connection over qpid-jms beside one of ours, which is made when it is first needed. */
final class Beside {

    private static final String WHAT = "transactions, durable or shared subscriptions, or delays that a broker may ignore";

    private final ConnectionSettings settings;
    private final ConnectionListener listener;
    private final Consumer<Throwable> lost;
    private volatile @Nullable Connection made;

    /** @param lost is called with the cause of its loss, in the place of the listener */
    Beside(ConnectionSettings settings, ConnectionListener listener, Consumer<Throwable> lost) {
        this.settings = settings;
        this.listener = listener;
        this.lost = lost;
    }

    /** An own URL never reconnects, so the loss is the only event of its life. */
    Connection connection() throws Exception {
        Connection known = made;
        if (known == null) {
            known = DirectPath.connectOverLibrary(settings, lost::accept, listener, WHAT);
            made = known;
        }
        return known;
    }

    /** What carried producers and consumers so far: our path, qpid-jms, or both. */
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
