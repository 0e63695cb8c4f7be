package io.brokermeter.driver.nats;

import java.time.Duration;
import java.util.Map;

import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Secret;

/** Core NATS, which keeps nothing. */
class NatsCoreContractTest extends NatsContractTest {

    @Override
    ConnectionSettings to(String url, Secret password) {
        return new ConnectionSettings(url, USER, password, null, Duration.ofSeconds(8), Map.of("mode", "core"));
    }

    @Override
    protected boolean queuesKeepMessages() {
        return false;
    }
}
