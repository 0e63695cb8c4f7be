package io.brokermeter.driver.loopback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

import io.brokermeter.contract.BrokerUnderTest;
import io.brokermeter.contract.DriverContract;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.Parameter;
import org.junit.jupiter.api.Test;

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

    @Test
    void itsKnobsAreParametersAndMayBeGivenAsProperties() {
        LoopbackDriver driver = new LoopbackDriver();
        assertThat(driver.parameters()).extracting(Parameter::name).contains("random-delay", "consumer-window-bytes", "die-at")
            .doesNotHaveDuplicates();
        // Each default is a value that it takes.
        for (Parameter parameter : driver.parameters()) {
            driver.check(at("loopback://contract", Map.of(parameter.name(), parameter.defaultValue())));
        }
        assertThatThrownBy(() -> driver.check(at("loopback://contract", Map.of("random-delay", "often"))))
            .hasMessageContaining("random-delay=often");
        assertThatThrownBy(() -> driver.check(at("loopback://contract?delay=1ms", Map.of("delay", "2ms"))))
            .hasMessageContaining("'delay'").hasMessageContaining("given twice");
        assertThatThrownBy(() -> driver.check(at("loopback://contract", Map.of("no-such-knob", "1"))))
            .hasMessageContaining("no-such-knob");
    }

    private static ConnectionSettings at(String url, Map<String, String> properties) {
        return new ConnectionSettings(url, null, null, null, Duration.ofSeconds(5), properties);
    }

    private static ConnectionSettings at(String url) {
        return new ConnectionSettings(url, null, null, null, Duration.ofSeconds(5));
    }
}
