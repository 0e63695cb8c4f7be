package io.brokermeter.driver.openwire;

import java.time.Duration;

import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.Limits;
import io.brokermeter.contract.brokers.ThrowawayBroker;

/** A broker of its own, since what it refuses for want of memory it refuses for all queues, and only what has no store can be full. */
class FullBrokerTest extends BrokerTest implements Limits {

    FullBrokerTest() {
        super(new ThrowawayBroker(new OpenWireDriver(), "activemq", "openwire://HOST:PORT").timeout(Duration.ofSeconds(20))
            .with(options -> options.withPersistent(false).withProperty("systemUsage.sendFailIfNoSpace", "true")
                .withProperty("systemUsage.memoryUsage.limit", "1000000"))
            .full());
    }
}
