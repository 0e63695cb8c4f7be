package io.brokermeter.driver.amqp091.lean;

/** A channel for requests about queues and exchanges. */
final class RequestChannel extends Channel {

    private volatile String subject = "a request";

    RequestChannel(LeanConnection connection, int number) {
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
