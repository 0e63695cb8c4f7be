package io.brokermeter.driver.amqp091.model;

import java.util.Locale;
import java.util.Map;

/** The ways to make a broker discard a message. */
public enum Rejection {

    /** A rejection without a requeue, as the protocol specifies. */
    REJECT,
    /**
     * An acknowledgement, for brokers that redeliver rejected messages, unless they count deliveries and the count is high enough, such as
     * Qpid Broker-J.
     */
    ACKNOWLEDGE;

    /** Returns the way that a broker with these properties needs. */
    public static Rejection of(Map<String, Object> server) {
        return String.valueOf(server.get("product")).toLowerCase(Locale.ROOT).contains("qpid") ? ACKNOWLEDGE : REJECT;
    }
}
