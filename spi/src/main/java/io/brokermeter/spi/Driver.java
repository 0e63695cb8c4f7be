package io.brokermeter.spi;

import java.util.List;
import java.util.Optional;
import java.util.Set;

import io.brokermeter.spi.parameter.Parameter;
import io.brokermeter.spi.parameter.StoreParameter;

/**
 * The implementation of one protocol, and the entry point of this package. Found by {@link java.util.ServiceLoader}; the constructor
 * must be cheap, since every driver is constructed on every start.
 */
public interface Driver {

    /** Returns the name of the protocol, in upper case: {@code CORE}, {@code AMQP}. */
    String protocol();

    /** Returns the URL schemes that select this driver when no protocol is given. */
    Set<String> schemes();

    /** Returns the capabilities of this protocol at best; the plan refuses all others before anything connects. */
    Set<Capability> capabilities();

    /**
     * Returns the capabilities of this protocol with these settings, which were checked: a protocol version or a mode that they choose
     * may lack some of {@link #capabilities()}.
     */
    default Set<Capability> capabilities(ConnectionSettings settings) {
        return capabilities();
    }

    /**
     * Returns this driver's own parameters, which are given in the URL behind a {@code ?} or as properties of the connection. The
     * further parameters of its client library are described by {@link #clientParameters()}.
     */
    default List<Parameter> parameters() {
        return List.of();
    }

    /**
     * Returns one sentence that says which parameters of the client library are accepted too, and where they are described; empty
     * when there are none.
     */
    default String clientParameters() {
        return "";
    }

    /** Returns the names of the parameters of the client library, where these are a fixed set; otherwise none. */
    default Set<String> clientParameterNames() {
        return Set.of();
    }

    /**
     * Returns the parameters, this driver's own and those of its client library, that name files with certificates or keys. Where clients
     * run on other machines, only these files are copied there; a parameter that names another file, or a class, is refused.
     */
    default List<StoreParameter> stores() {
        return List.of();
    }

    /** Returns whether the protocol accepts a password without a user name; if not, such a password is refused before anything connects. */
    default boolean takesPasswordAlone(ConnectionSettings settings) {
        return false;
    }

    /** Returns the name and version of the client library, for example {@code artemis-jakarta-client 2.56.0}. */
    String client();

    /**
     * Checks the settings without any network traffic.
     *
     * @throws IllegalArgumentException with one sentence for the user that names the offending part: a URL that cannot be parsed or
     *     holds a parameter that the client does not know, or a user, password or client id that the protocol cannot carry to the
     *     broker, which would otherwise be ignored silently
     */
    void check(ConnectionSettings settings);

    /**
     * Checks, without any network traffic, whether a destination can be used with settings that {@link #check(
     * ConnectionSettings)} has passed.
     *
     * @throws IllegalArgumentException with one sentence for the user: the protocol does not have this kind of destination, or does
     *     not allow this name
     */
    default void check(ConnectionSettings settings, Destination destination) {}

    /**
     * Checks, without any network traffic, whether a producer with these settings can send to a destination that {@link #check(
     * ConnectionSettings, Destination)} has passed.
     *
     * @throws IllegalArgumentException with one sentence for the user: nothing can be sent to this destination, or the protocol cannot
     *     carry such a header
     */
    default void check(ConnectionSettings settings, Destination destination, ProducerSettings producer) {}

    /**
     * Checks, without any network traffic, whether a consumer with these settings can receive from a destination that {@link #check(
     * ConnectionSettings, Destination)} has passed.
     *
     * @throws IllegalArgumentException with one sentence for the user, for example on a prefetch with which a batch would never be full
     */
    default void check(ConnectionSettings settings, Destination destination, ConsumerSettings consumer) {}

    /**
     * Returns whether messages that are sent to a destination while it has no consumer wait there for one that comes later, without a
     * durable subscription.
     *
     * @param settings settings that were checked
     */
    default boolean keeps(ConnectionSettings settings, Destination destination) {
        return !destination.isTopic();
    }

    /**
     * Returns the URL that results from {@code settings} after this driver's rewriting and defaults, without secrets: the URL in the
     * first line of the output.
     */
    default String effectiveUrl(ConnectionSettings settings) {
        return settings.url();
    }

    /** Returns whether connections take sockets and files of this machine. */
    default boolean connectsBySockets() {
        return true;
    }

    /**
     * Returns whether connections go out from {@link ConnectionSettings#source}.
     *
     * @param settings settings that were checked
     */
    default boolean takesSource(ConnectionSettings settings) {
        return false;
    }

    /**
     * Returns the memory that each connection takes.
     *
     * @param settings settings that were checked
     */
    default ConnectionMemory memory(ConnectionSettings settings) {
        return ConnectionMemory.USUAL;
    }

    /**
     * Returns the redirection of clients to other addresses than the broker advertises; empty where the broker advertises none, or where
     * the driver cannot change them.
     */
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
