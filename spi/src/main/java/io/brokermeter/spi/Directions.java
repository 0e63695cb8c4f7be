package io.brokermeter.spi;

import java.util.Map;

/**
 * What a driver knows of a broker that sends its clients on to addresses which it names itself, so that something can be put before each of them: a
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
     * Asks the broker which addresses it names now. Connects, and blocks for the connect timeout of the settings at most.
     *
     * @return where clients with these settings connect to, by each address as the broker names it, {@code host:port}; mostly the same
     * @throws Exception with the cause that a user can act on, as {@link Driver#connect} has it
     */
    Map<String, ServerUrl.Server> ask(ConnectionSettings settings) throws Exception;

    /**
     * The settings with which clients go elsewhere.
     *
     * @param instead where clients connect to instead, by addresses as the broker names them
     */
    ConnectionSettings leading(ConnectionSettings settings, Map<String, ServerUrl.Server> instead);
}
