package io.brokermeter.spi;

import java.util.Map;

/**
 * What a driver knows of a broker that tells its clients at which addresses to go on, so that something may stand before each of them: a
 * proxy before the servers of the URL alone would be left behind. Any thread may call any method.
 */
public interface Directions {

    /**
     * Refuses settings with which clients cannot be sent elsewhere, without any network traffic.
     *
     * @param settings which {@link Driver#check(ConnectionSettings)} passed
     * @throws IllegalArgumentException with one sentence for the user
     */
    default void check(ConnectionSettings settings) {}

    /**
     * Asks which addresses the broker tells now. Connects, and blocks for the connect timeout of the settings at most.
     *
     * @return by each address as it is told, {@code host:port}: where clients with these settings go. That is mostly the same
     * @throws Exception with the cause that a user can act on, as {@link Driver#connect} has it
     */
    Map<String, ServerUrl.Server> ask(ConnectionSettings settings) throws Exception;

    /**
     * The settings with which clients go elsewhere.
     *
     * @param instead where to go, by addresses as they are told
     */
    ConnectionSettings leading(ConnectionSettings settings, Map<String, ServerUrl.Server> instead);
}
