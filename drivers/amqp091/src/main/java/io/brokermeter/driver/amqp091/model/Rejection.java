package io.brokermeter.driver.amqp091.model;

import java.util.Locale;
import java.util.Map;

/** How a broker is made to discard a message. */
public enum Rejection {

    /** By a rejection without a requeue, as the protocol says. */
    REJECT,
    /**
     * By an acknowledgement: the broker delivers again what is rejected, unless it counts deliveries and has counted enough
     * of them, as Qpid Broker-J.
     */
    ACKNOWLEDGE;

    /** What the broker with these properties needs. */
    public static Rejection of(Map<String, Object> server) {
        return String.valueOf(server.get("product")).toLowerCase(Locale.ROOT).contains("qpid") ? ACKNOWLEDGE : REJECT;
    }
}
