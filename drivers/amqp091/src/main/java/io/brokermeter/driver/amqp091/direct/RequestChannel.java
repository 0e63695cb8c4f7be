package io.brokermeter.driver.amqp091.direct;

/** A channel for requests about queues and exchanges. */
final class RequestChannel extends Channel {

    private volatile String subject = "a request";

    RequestChannel(Amqp091Connection connection, int number) {
        super(connection, number);
    }

    /** What the next request is about. */
    void about(String what) {
        subject = what;
    }

    @Override
    String describe() {
        return subject;
    }
}
