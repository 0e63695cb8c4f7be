package io.brokermeter.driver.mqtt;

import io.brokermeter.contract.tls.TlsContract;

class MqttTlsContractTest extends TlsContract {

    MqttTlsContractTest() {
        super(MqttContract.broker("mosquitto", "5"));
    }
}
