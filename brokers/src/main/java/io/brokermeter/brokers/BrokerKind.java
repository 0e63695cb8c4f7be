package io.brokermeter.brokers;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** A kind of broker that can be started. A new one is a class that implements this and a place in {@link #ALL}. */
interface BrokerKind {

    /** Every kind, the default first. */
    List<BrokerKind> ALL = List.of(
        new ArtemisKind(),
        new ActiveMqKind(),
        new RocketMqKind(),
        new KafkaKind(),
        new RabbitMqKind(),
        new QpidKind(),
        new MosquittoKind(),
        new NatsKind(),
        new RedisKind(),
        new BeanstalkdKind());

    /** The name before the colon of {@code --broker}. */
    String name();

    /** The protocols that it serves, as values of {@code --protocol}, the one to take by default first; in that order. */
    Set<String> protocols();

    /** The values of {@code --broker-topology} that it knows, the default, {@code single}, first; in that order. */
    default Set<String> topologies() {
        return Set.of(BrokerOptions.SINGLE);
    }

    /**
     * Checks what can be checked before anything is fetched or started. An override calls this one first.
     *
     * @throws IllegalArgumentException with one sentence for the user that names the option
     */
    default void check(BrokerOptions options) {
        if (!topologies().contains(options.topology())) {
            throw new IllegalArgumentException("Broker " + name() + " has no topology '" + options.topology() + "'; it has "
                + String.join(", ", topologies()) + ".");
        }
    }

    /** See {@link Broker#start(BrokerName, BrokerOptions)}. The options were checked. */
    Broker start(BrokerName name, BrokerOptions options) throws BrokerException;

    /** See {@link Broker#requireVersion}. The name has a version. */
    default void requireVersion(BrokerName name) throws BrokerException {
        List<String> descriptions = descriptions(name.version().orElseThrow());
        if (!descriptions.isEmpty() && !isFetched(name)) {
            new MavenArtifacts(name.toString(), sentence -> { }).requireAny(descriptions);
        }
    }

    /**
     * POMs that are there for a version that is there.
     *
     * @return coordinates, one of which is enough; none when the version needs nothing fetched
     * @throws IllegalArgumentException with one sentence for the user, when the version is none
     */
    default List<String> descriptions(String version) {
        return List.of();
    }

    /** See {@link Broker#isFetched}. */
    default boolean isFetched(BrokerName name) {
        return false;
    }

    /** @throws IllegalArgumentException with one sentence for the user, when there is no such broker */
    static BrokerKind of(String name) {
        return ALL.stream().filter(kind -> kind.name().equals(name)).findFirst().orElseThrow(() ->
            new IllegalArgumentException("Broker '" + name + "' is unknown; there are "
                + ALL.stream().map(BrokerKind::name).collect(Collectors.joining(", ")) + "."));
    }
}
