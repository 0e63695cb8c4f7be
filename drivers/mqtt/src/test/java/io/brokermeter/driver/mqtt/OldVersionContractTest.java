package io.brokermeter.driver.mqtt;

/** With version 3.1.1 of the protocol, and the broker of {@link MqttArtemisContractTest}. */
class OldVersionContractTest extends MqttContract {

    OldVersionContractTest() {
        super(MqttArtemisContractTest.artemis("3.1.1"));
    }
}
