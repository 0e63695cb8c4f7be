package io.brokermeter.spi;

import java.util.Map;

import io.brokermeter.spi.parameter.ServerUrl;

/**
 * Redirects the clients of a broker that sends them on to addresses which it advertises itself, so that a proxy can be put in front of
 * each of these addresses: clients would bypass a proxy in front of the servers of the URL alone. Any thread may call any method.
 */
public interface Directions {

    /**
     * Refuses settings with which clients cannot be redirected, without any network traffic.
     *
     * @param settings settings that {@link Driver#check(ConnectionSettings)} passed
     * @throws IllegalArgumentException with one sentence for the user
     */
    default void check(ConnectionSettings settings) {}

    /**
     * Asks the broker for the addresses that it advertises now. Connects, and blocks for the connect timeout of the settings at most.
     *
     * @return the server to which clients with these settings connect, by each address as the broker advertises it, {@code host:port};
     *     in most cases both are equal
     * @throws Exception with the cause that a user can act on, as {@link Driver#connect} does
     */
    Map<String, ServerUrl.Server> ask(ConnectionSettings settings) throws Exception;

    /**
     * Returns the settings with which clients are redirected.
     *
     * @param instead the servers to which clients connect instead, by addresses as the broker advertises them
     */
    ConnectionSettings leading(ConnectionSettings settings, Map<String, ServerUrl.Server> instead);
}
