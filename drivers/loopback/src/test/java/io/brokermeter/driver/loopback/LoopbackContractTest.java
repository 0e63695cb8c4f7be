package io.brokermeter.driver.loopback;

import java.time.Duration;
import java.util.Optional;

import io.brokermeter.contract.BrokerUnderTest;
import io.brokermeter.contract.DriverContract;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Driver;

class LoopbackContractTest extends DriverContract {

    LoopbackContractTest() {
        super(new BrokerUnderTest() {

            @Override
            public Driver driver() {
                return new LoopbackDriver();
            }

            @Override
            public ConnectionSettings settings() {
                return at("loopback://contract");
            }

            @Override
            public Optional<ConnectionSettings> unknownSetting() {
                return Optional.of(at("loopback://contract?noSuchSetting=1"));
            }
        });
    }

    private static ConnectionSettings at(String url) {
        return new ConnectionSettings(url, null, null, null, Duration.ofSeconds(5));
    }
}
