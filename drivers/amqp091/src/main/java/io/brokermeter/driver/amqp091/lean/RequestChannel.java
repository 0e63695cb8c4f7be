package io.brokermeter.driver.amqp091.lean;

/** A channel for requests about queues and exchanges. */
final class RequestChannel extends Channel {

    RequestChannel(LeanConnection connection, int number) {
        super(connection, number);
    }

    @Override
    String describe() {
        return "requests";
    }
}
