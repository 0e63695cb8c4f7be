package io.brokermeter.driver.amqp091;

import io.brokermeter.contract.tls.TlsContract;

/** The TLS contract with RabbitMQ's client, as selected by a parameter. */
class RabbitMqClientTlsContractTest extends TlsContract {

    RabbitMqClientTlsContractTest() {
        super(Amqp091Broker.rabbitMq("client"));
    }
}
