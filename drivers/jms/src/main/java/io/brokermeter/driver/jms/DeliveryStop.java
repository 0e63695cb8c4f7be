package io.brokermeter.driver.jms;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;

/** Stops the delivery to all consumers of a connection for a while. Thread-safe. */
final class DeliveryStop {

    private final Connection connection;
    private final Object stopping = new Object();
    /** Number of callers that have stopped the connection and not started it again; guarded by {@link #stopping}. */
    private int stops;

    DeliveryStop(Connection connection) {
        this.connection = connection;
    }

    /** An action that may throw a {@link JMSException}. */
    interface Action {
        void run() throws JMSException;
    }

    /**
     * Runs the action while no consumer of the connection delivers. Waits for deliveries in progress. Concurrent callers share one stop of
     * the connection.
     */
    void during(Action action) throws JMSException {
        synchronized (stopping) {
            if (stops == 0) {
                connection.stop();
            }
            stops++;
        }
        try {
            action.run();
        } finally {
            synchronized (stopping) {
                if (--stops == 0) {
                    connection.start();
                }
            }
        }
    }
}
