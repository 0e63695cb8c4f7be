package io.brokermeter.driver.openwire;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;

import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.contract.subject.BrokerLimits;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.failure.DriverException;
import org.junit.jupiter.api.Test;

/** Uses a broker of its own, since a full memory affects all queues and only a broker without a store fills its memory. */
class FullBrokerTest extends BrokerTest implements BrokerLimits {

    FullBrokerTest() {
        super(new ThrowawayBroker(new OpenWireDriver(), "activemq", "openwire://HOST:PORT").timeout(Duration.ofSeconds(20))
            .with(options -> options.withPersistent(false).withProperty("systemUsage.sendFailIfNoSpace", "true")
                .withProperty("systemUsage.memoryUsage.limit", "1000000"))
            .full());
    }

    /** The broker keeps no delays, either. */
    @Test
    void refusesADelayThatTheBrokerDoesNotKeep() throws Exception {
        var connection = connect();
        assertThatThrownBy(() -> connection.producer(queue(), ProducerSettings.of(its -> {
            its.persistent = true;
            its.delayMillis = 1000;
            its.maxPending = 1;
        }), new Sends())).isInstanceOf(DriverException.class).message().contains("scheduler");
    }
}
