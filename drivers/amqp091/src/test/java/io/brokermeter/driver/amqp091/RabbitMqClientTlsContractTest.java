package io.brokermeter.driver.amqp091;

import io.brokermeter.contract.tls.TlsContract;

/** With RabbitMQ's client, which a parameter asks for. */
class RabbitMqClientTlsContractTest extends TlsContract {

    RabbitMqClientTlsContractTest() {
        super(Amqp091Broker.rabbitMq("client"));
    }
}
