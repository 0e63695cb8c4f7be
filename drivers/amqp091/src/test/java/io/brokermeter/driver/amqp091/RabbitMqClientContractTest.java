package io.brokermeter.driver.amqp091;

import io.brokermeter.contract.ClientRows;

class RabbitMqClientContractTest extends RabbitMqContract implements ClientRows {

    RabbitMqClientContractTest() {
        super("client");
    }
}
