package io.brokermeter.driver.amqp091;

import io.brokermeter.contract.WholeContract;

class RabbitMqContractTest extends RabbitMqContract implements WholeContract {

    RabbitMqContractTest() {
        super("own");
    }
}
