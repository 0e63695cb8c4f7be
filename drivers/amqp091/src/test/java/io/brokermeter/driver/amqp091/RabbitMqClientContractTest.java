package io.brokermeter.driver.amqp091;

class RabbitMqClientContractTest extends RabbitMqContract {

    RabbitMqClientContractTest() {
        super("client");
    }
}
