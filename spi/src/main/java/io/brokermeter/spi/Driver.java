package io.brokermeter.spi;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One protocol. Found by {@link java.util.ServiceLoader}; the constructor must be cheap, since every driver is
 * constructed on every start.
 */
public interface Driver {

    /** The name of the protocol, in upper case: {@code CORE}, {@code AMQP}. */
    String protocol();

    /** The URL schemes that select this driver when no protocol is given. */
    Set<String> schemes();

    /** What this protocol can do at best; the plan refuses the rest before anything connects. */
    Set<Capability> capabilities();

    /**
     * What it can do with these settings, which were checked: a protocol version or a mode that they choose may lack some
     * of {@link #capabilities()}.
     */
    default Set<Capability> capabilities(ConnectionSettings settings) {
        return capabilities();
    }

    /**
     * The parameters of this driver's own, which go into the URL behind a {@code ?} or into the properties of the connection. What its
     * client library knows besides is described by {@link #clientParameters()}.
     */
    default List<Parameter> parameters() {
        return List.of();
    }

    /**
     * One sentence on which parameters of the client library are understood besides, and where they are described; empty
     * when there are none.
     */
    default String clientParameters() {
        return "";
    }

    /**
     * The parameters, its own and those of its client library, that name files with certificates or keys. Where clients are on other
     * machines, these files alone are brought there; a parameter that names another file, or a class, is refused.
     */
    default List<StoreParameter> stores() {
        return List.of();
    }

    /** Whether the protocol has a password without a user name; where it has not, one is refused before anything connects. */
    default boolean takesPasswordAlone(ConnectionSettings settings) {
        return false;
    }

    /** Name and version of the client library, for example {@code artemis-jakarta-client 2.56.0}. */
    String client();

    /**
     * Checks the settings without any network traffic.
     *
     * @throws IllegalArgumentException with one sentence for the user that names the offending part: a URL that cannot be parsed or
     *     holds a parameter that the client does not know, or a user, password or client id that the protocol cannot carry to the
     *     broker, which would otherwise be left out in silence
     */
    void check(ConnectionSettings settings);

    /**
     * Checks, without any network traffic, whether a destination can be used with settings that {@link #check(
     * ConnectionSettings)} has passed.
     *
     * @throws IllegalArgumentException with one sentence for the user: the protocol does not have this kind of destination, or not
     *     these names
     */
    default void check(ConnectionSettings settings, Destination destination) {}

    /**
     * Checks, without any network traffic, whether a producer like this can send to a destination that {@link #check(
     * ConnectionSettings, Destination)} has passed.
     *
     * @throws IllegalArgumentException with one sentence for the user: nothing can be sent there, or the protocol has no such header
     */
    default void check(ConnectionSettings settings, Destination destination, ProducerSettings producer) {}

    /**
     * The same for a consumer.
     *
     * @throws IllegalArgumentException with one sentence for the user, such as on a prefetch with which a batch would never be full
     */
    default void check(ConnectionSettings settings, Destination destination, ConsumerSettings consumer) {}

    /**
     * The URL that {@code settings} leads to after this driver's rewriting and defaults, without secrets: the one the
     * user should read in the first line of the output.
     */
    default String effectiveUrl(ConnectionSettings settings) {
        return settings.url();
    }

    /** How clients are led to other addresses than those that the broker names; empty where a broker names none, or where the driver cannot change them. */
    default Optional<Directions> directions() {
        return Optional.empty();
    }

    /**
     * Connects. Blocks until the broker has accepted the connection and the credentials.
     *
     * @throws Exception with the cause that a user can act on: no server on the port, unknown host, wrong password, TLS refused
     */
    Connection connect(ConnectionSettings settings, ConnectionListener listener) throws Exception;
}
