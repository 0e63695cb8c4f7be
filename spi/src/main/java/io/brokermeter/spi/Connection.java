package io.brokermeter.spi;

import java.util.OptionalLong;

/**
 * A connection to a broker. Methods may be called by one thread at a time, and block for a network round trip at most.
 * Each ends within the connect timeout even when the broker stops answering, by throwing. Closing all producers and consumers
 * of a connection one after another, and then the connection, takes this limit once, not one for each: a driver that found the
 * broker silent while it closed one of them does not wait for the others.
 *
 * <p>The end of a connection is reported once by {@link ConnectionListener#lost}, also when nothing is sent on it; a connection that
 * {@link #close()} ended is not lost.
 */
public interface Connection extends AutoCloseable {

    /**
     * Makes sure that the destination exists. A protocol whose broker creates destinations on first use may do nothing.
     *
     * @return true when this call created it, so that whoever declared it can delete it again
     */
    boolean declare(Destination destination) throws Exception;

    /**
     * Deletes the destination with all it holds; nothing happens when there is none. A driver whose protocol has no way to
     * delete does nothing, and its documentation says so.
     */
    void delete(Destination destination) throws Exception;

    /**
     * How many messages the broker has in a queue, where the protocol can report it; empty otherwise, and for a topic unless the
     * broker counts one. What waits for a consumer counts. What a consumer holds and has not acknowledged counts where the
     * broker counts both as one, so only after consumers were closed does every driver mean the same: what is left. What the
     * broker keeps back for later need not count, and what it has just confirmed may count a moment later. A queue that is not there has
     * a depth of 0 or none.
     */
    default OptionalLong depth(Destination destination) throws Exception {
        return OptionalLong.empty();
    }

    /**
     * Creates a producer; it reports each token to its listener exactly once. The broker rounds {@link ProducerSettings#delayMillis()}
     * to steps of its own at most, and never down: what a driver hands over is exact to the millisecond.
     *
     * @param listener hears of its sends; a producer that takes the place of one whose connection was lost has the listener of that one
     */
    Producer producer(Destination destination, ProducerSettings settings, SendListener listener) throws Exception;

    /**
     * Creates a consumer. Deliveries may begin before this method returns; {@code listener} must be ready for them.
     */
    Consumer consumer(Destination destination, ConsumerSettings settings, DeliveryListener listener) throws Exception;

    /** Removes a durable subscription that has no consumer any more. */
    default void unsubscribe(Destination destination, String subscription) throws Exception {
        throw new UnsupportedOperationException("This protocol has no durable subscriptions.");
    }

    /** What the broker says it is, for example {@code ActiveMQ Artemis 2.55.0}; empty when it does not say. */
    default String broker() {
        return "";
    }

    /**
     * Name and version of the client code that carries this connection, for example {@code artemis-jakarta-client 2.56.0} or
     * {@code brokermeter AMQP 1.0 path (proton-j 0.34.1)}: the path that really runs, where a driver has several. Empty for
     * what {@link Driver#client()} says.
     */
    default String client() {
        return "";
    }

    /** Closes the connection with everything made from it. Returns after the last callback. Never blocks for ever. */
    @Override
    void close();
}
