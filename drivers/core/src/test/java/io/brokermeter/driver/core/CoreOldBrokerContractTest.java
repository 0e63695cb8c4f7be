package io.brokermeter.driver.core;

import java.time.Duration;

import io.brokermeter.contract.BrokerRows;
import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.brokers.ThrowawayBroker;

/** A broker from before Artemis left ActiveMQ. */
class CoreOldBrokerContractTest extends BrokerTest implements BrokerRows {

    CoreOldBrokerContractTest() {
        super(new ThrowawayBroker(new CoreDriver(), "artemis:2.44.0", "tcp://HOST:PORT").login("correct horse").forbidding("forbidden")
            .timeout(Duration.ofSeconds(40)));
    }
}
