package io.brokermeter.driver.nats;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;

import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.ConnectionLog;
import io.nats.client.ConnectionListener.Events;
import org.junit.jupiter.api.Test;

/** Which of the client's events are the loss of a connection. */
class LossListenerTest extends BrokerTest {

    LossListenerTest() {
        super(new NatsBroker());
    }

    /** A host may have several addresses, of which the client tries one after the other; it reports events later than they happened. */
    @Test
    void theEndOfAnAttemptBeforeTheConnectionIsNoLoss() throws Exception {
        var log = new ConnectionLog();
        try (var client = NatsBroker.plain(new NatsBroker().broker().url())) {
            var losses = new LossListener(log, null);
            losses.exceptionOccurred(client, new IOException("Connection refused"));
            losses.connectionEvent(client, Events.DISCONNECTED);
            losses.connected((NatsConnection) connect());
            losses.connectionEvent(client, Events.DISCONNECTED);
            losses.connectionEvent(client, Events.CONNECTED);
            assertThat(log.losses()).isEmpty();
            losses.connectionEvent(client, Events.DISCONNECTED);
            assertThat(log.losses()).singleElement().extracting(Throwable::getMessage).asString().contains("closed");
        }
    }
}
