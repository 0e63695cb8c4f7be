package io.brokermeter.driver.amqp091.model;

import java.util.Map;

/**
 * Requests about queues and exchanges, each answered before its method returns, within the connect timeout. A refusal is a
 * {@link ReplyException} and does not keep the next request from being made. Used by one thread at a time.
 */
public interface Requests {

    /** Messages ready in a queue, which must be there. */
    long queue(String name) throws Exception;

    /** Checks that the exchange is there. */
    void exchange(String name) throws Exception;

    /**
     * Creates a queue, or checks that it is as described.
     *
     * @return its name, which the broker chooses for an empty one
     */
    String declareQueue(String name, boolean durable, boolean exclusive, boolean autoDelete,
            Map<String, Object> arguments) throws Exception;

    /** Creates a durable exchange, or checks that it is as described. */
    void declareExchange(String name, String type) throws Exception;

    void bind(String queue, String exchange, String key, Map<String, Object> arguments) throws Exception;

    void deleteQueue(String name) throws Exception;

    void deleteExchange(String name) throws Exception;
}
