package io.brokermeter.driver.openwire;

import java.time.Duration;

import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.contract.subject.BrokerLimits;

/** Uses a broker of its own, since a full memory affects all queues and only a broker without a store fills its memory. */
class FullBrokerTest extends BrokerTest implements BrokerLimits {

    FullBrokerTest() {
        super(new ThrowawayBroker(new OpenWireDriver(), "activemq", "openwire://HOST:PORT").timeout(Duration.ofSeconds(20))
            .with(options -> options.withPersistent(false).withProperty("systemUsage.sendFailIfNoSpace", "true")
                .withProperty("systemUsage.memoryUsage.limit", "1000000"))
            .full());
    }
}
