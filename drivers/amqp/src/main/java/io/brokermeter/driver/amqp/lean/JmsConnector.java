package io.brokermeter.driver.amqp.lean;

import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionListener;
import io.brokermeter.spi.ConnectionSettings;

/** Connects over qpid-jms, for all that this package leaves to it. */
@FunctionalInterface
public interface JmsConnector {

    /** As {@link io.brokermeter.spi.Driver#connect}. */
    Connection connect(ConnectionSettings settings, ConnectionListener listener) throws Exception;
}
