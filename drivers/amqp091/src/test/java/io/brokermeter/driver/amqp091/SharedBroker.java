package io.brokermeter.driver.amqp091;

import io.brokermeter.brokers.Broker;
import io.brokermeter.spi.Secret;

/** The brokers of the contract, one of each kind, shared by all tests of this module. */
final class SharedBroker {

    static final String USER = "meter";
    static final Secret PASSWORD = Secret.of("correct horse");

    private SharedBroker() {}

    static Broker of(String kind) {
        return (kind.equals("qpid") ? Amqp091Broker.qpid("own") : Amqp091Broker.rabbitMq("own")).broker();
    }
}
