package io.brokermeter.driver.rocketmq;

import io.brokermeter.contract.DriverContract;

class RocketMqContractTest extends DriverContract {

    RocketMqContractTest() {
        super(RocketMqBroker.SHARED);
    }
}
