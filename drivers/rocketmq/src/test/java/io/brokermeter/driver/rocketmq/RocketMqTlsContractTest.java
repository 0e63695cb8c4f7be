package io.brokermeter.driver.rocketmq;

import io.brokermeter.contract.tls.TlsContract;

class RocketMqTlsContractTest extends TlsContract {

    RocketMqTlsContractTest() {
        super(RocketMqBroker.SHARED);
    }
}
