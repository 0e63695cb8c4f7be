package io.brokermeter.driver.redis;

import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.contract.subject.BrokerLimits;

/** Uses a server of its own, since a server without free memory refuses the messages of all streams. */
class FullServerTest extends BrokerTest implements BrokerLimits {

    FullServerTest() {
        super(new ThrowawayBroker(new RedisDriver(), "redis", "redis://HOST:PORT")
            .with(options -> options.withProperty("maxmemory", "4mb")).full());
    }
}
