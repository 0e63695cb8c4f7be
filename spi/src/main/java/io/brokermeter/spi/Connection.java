package io.brokermeter.spi;

import java.util.OptionalLong;

/**
 * A connection to a broker. Methods may be called by one thread at a time, and block for a network round trip at most.
 * Each method ends within the connect timeout, by throwing when the broker stops answering. Closing all producers and consumers
 * of a connection one after another, and then the connection, takes this limit once in all, not once for each of them: a driver
 * that found the broker silent while it closed one of them does not wait for the others.
 *
 * <p>The end of a connection is reported once by {@link ConnectionListener#lost}, also when nothing is sent on it; a connection that
 * {@link #close()} ended is not lost.
 */
public interface Connection extends AutoCloseable {

    /**
     * Makes sure that the destination exists. The driver of a broker that creates destinations on first use may do nothing.
     *
     * @return true when this call created the destination, so that the caller can delete it again
     */
    boolean declare(Destination destination) throws Exception;

    /**
     * Deletes the destination with all its messages; does nothing when it does not exist. A driver whose protocol cannot
     * delete destinations does nothing, and its documentation says so.
     */
    void delete(Destination destination) throws Exception;

    /**
     * Returns the number of messages that the broker has in a queue. The result is empty where the protocol cannot report it, and for
     * a topic unless the broker counts the messages of topics. Messages that wait for a consumer count. Messages that a consumer holds
     * unacknowledged count where the broker does not tell them from waiting ones, so the figures of all drivers have the same meaning,
     * the messages left, only after the consumers were closed. Messages that the broker keeps back for later delivery need not count,
     * and a message that it has just confirmed may count a moment later. For a queue that does not exist the depth is 0 or empty.
     */
    default OptionalLong depth(Destination destination) throws Exception {
        return OptionalLong.empty();
    }

    /**
     * Creates a producer, which reports each token to its listener exactly once. A driver hands {@link ProducerSettings#delayMillis()} to
     * the broker exact to the millisecond; only the broker may round it, to its own steps and never down.
     *
     * @param listener is notified of the outcome of each send; a producer that replaces one whose connection was lost has the same listener
     */
    Producer producer(Destination destination, ProducerSettings settings, SendListener listener) throws Exception;

    /**
     * Creates a consumer. Deliveries may begin before this method returns; {@code listener} must be ready for them.
     */
    Consumer consumer(Destination destination, ConsumerSettings settings, DeliveryListener listener) throws Exception;

    /** Deletes a durable subscription that has no consumers any more. */
    default void unsubscribe(Destination destination, String subscription) throws Exception {
        throw new UnsupportedOperationException("This protocol has no durable subscriptions.");
    }

    /** Returns the name and version that the broker reports, for example {@code ActiveMQ Artemis 2.55.0}; empty when it reports none. */
    default String broker() {
        return "";
    }

    /**
     * Returns the name and version of the client code that this connection uses, for example {@code artemis-jakarta-client 2.56.0} or
     * {@code brokermeter AMQP 1.0 path (proton-j 0.34.1)}, where a driver has several implementations. Empty when it is that of
     * {@link Driver#client()}.
     */
    default String client() {
        return "";
    }

    /** Closes the connection with all its producers and consumers. Returns after the last callback. Never blocks for ever. */
    @Override
    void close();
}
