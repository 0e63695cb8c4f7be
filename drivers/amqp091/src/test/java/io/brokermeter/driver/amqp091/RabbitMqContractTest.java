package io.brokermeter.driver.amqp091;

class RabbitMqContractTest extends RabbitMqContract {

    RabbitMqContractTest() {
        super("own");
    }
}
