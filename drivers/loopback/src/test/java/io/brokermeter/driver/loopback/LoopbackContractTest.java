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
import io.brokermeter.spi.parameter.Parameter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
        // each default is a valid value
        for (Parameter parameter : driver.parameters()) {
            driver.check(at("loopback://contract", Map.of(parameter.name(), parameter.defaultValue())));
        }
        assertThatThrownBy(() -> driver.check(at("loopback://contract", Map.of("random-delay", "often"))))
            .hasMessageContaining("random-delay").hasMessageContaining("not 'often'");
        assertThatThrownBy(() -> driver.check(at("loopback://contract?delay=1ms", Map.of("delay", "2ms"))))
            .hasMessageContaining("delay").hasMessageContaining("given twice");
        assertThatThrownBy(() -> driver.check(at("loopback://contract", Map.of("no-such-knob", "1"))))
            .hasMessageContaining("no-such-knob");
    }

    /** Guards against invalid values that are ignored or replaced by 0 or by the default. */
    @ParameterizedTest
    @CsvSource({"service=exp", "redelivered=yes", "restores=1", "die-keeps=TRUE", "lose-every=-5", "service-rate=-5", "service-rate=NaN",
        "die-loses=5000000000", "reorder-depth=0", "consumer-window=-1", "delay=1.2.3s", "delay"})
    void refusesWordsFlagsAndNumbersThatItDoesNotKnow(String parameter) {
        assertThatThrownBy(() -> new LoopbackDriver().check(at("loopback://contract?" + parameter)))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageStartingWith("Parameter " + parameter.split("=", 2)[0] + " of protocol LOOPBACK must be ").message().endsWith("'.");
    }

    private static ConnectionSettings at(String url, Map<String, String> properties) {
        return new ConnectionSettings(url, null, null, null, Duration.ofSeconds(5), properties);
    }

    private static ConnectionSettings at(String url) {
        return new ConnectionSettings(url, null, null, null, Duration.ofSeconds(5));
    }
}
