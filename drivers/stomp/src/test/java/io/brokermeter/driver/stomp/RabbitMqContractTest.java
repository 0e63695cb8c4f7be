package io.brokermeter.driver.stomp;

class RabbitMqContractTest extends StompContract {

    RabbitMqContractTest() {
        super(broker("rabbitmq"));
    }
}
