package io.brokermeter.driver.amqp091.model;

import java.util.Map;

/**
 * Requests about queues and exchanges. Each method returns when the request is answered, within the connect timeout. A refusal is a
 * {@link ReplyException}; further requests can be made after it. Used by one thread at a time.
 */
public interface Requests {

    /** Returns the number of messages ready in a queue, which must exist. */
    long queue(String name) throws Exception;

    /** Checks that the exchange exists. */
    void exchange(String name) throws Exception;

    /**
     * Creates a queue, or checks that an existing queue is as described.
     *
     * @return name of the queue, which the broker chooses if {@code name} is empty
     */
    String declareQueue(String name, boolean durable, boolean exclusive, boolean autoDelete,
            Map<String, Object> arguments) throws Exception;

    /** Creates a durable exchange, or checks that an existing exchange is as described. */
    void declareExchange(String name, String type) throws Exception;

    void bind(String queue, String exchange, String key, Map<String, Object> arguments) throws Exception;

    void deleteQueue(String name) throws Exception;

    void deleteExchange(String name) throws Exception;
}
