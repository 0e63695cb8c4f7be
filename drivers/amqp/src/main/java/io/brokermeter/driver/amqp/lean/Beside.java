package io.brokermeter.driver.amqp.lean;

import java.util.function.Consumer;

import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;
import org.jspecify.annotations.Nullable;

/** The connection over qpid-jms beside one of ours, which is made when it is first needed. */
final class Beside {

    private static final String WHAT = "transactions, durable or shared subscriptions, or delays that a broker may ignore";

    private final JmsConnector jms;
    private final ConnectionSettings settings;
    private final ConnectionListener listener;
    private final Consumer<Throwable> lost;
    private volatile @Nullable Connection made;

    /** @param lost hears of its loss, in the place of the listener */
    Beside(JmsConnector jms, ConnectionSettings settings, ConnectionListener listener, Consumer<Throwable> lost) {
        this.jms = jms;
        this.settings = settings;
        this.listener = listener;
        this.lost = lost;
    }

    Connection connection() throws Exception {
        Connection known = made;
        if (known != null) {
            return known;
        }
        Connection connected = jms.connect(settings, new ConnectionListener() {

            @Override
            public void lost(Throwable cause) {
                lost.accept(cause);
            }

            @Override
            public void interrupted(String cause) {
                listener.interrupted(cause);
            }

            @Override
            public void resumed() {
                listener.resumed();
            }

            @Override
            public void notice(String sentence) {
                listener.notice(sentence);
            }
        });
        made = connected;
        listener.notice(LeanAmqp.forced(WHAT, connected));
        return connected;
    }

    /** What carried producers and consumers so far: our path, qpid-jms, or both. */
    String client(boolean direct) {
        Connection known = made;
        if (known == null) {
            return LeanAmqp.client();
        }
        return direct ? LeanAmqp.client() + "; " + known.client() + " for " + WHAT : known.client();
    }

    void close() {
        Connection known = made;
        if (known != null) {
            known.close();
        }
    }
}
