package io.brokermeter.brokers;

import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** A kind of broker that can be started. A new one is a class that extends this or one of its subclasses, and a line in {@link #all}. */
abstract class BrokerKind {

    /** What some kinds can do and others refuse. */
    enum Feature { LOGIN, TLS, FORBIDDEN, TRAINING, ADDRESS, DISK_LIMIT }

    private final String name;
    private final String title;
    private final Set<String> protocols;
    private final Set<String> topologies = ordered(BrokerOptions.SINGLE);
    private final Set<String> journals = ordered();
    private final Set<Feature> features = EnumSet.noneOf(Feature.class);

    /**
     * @param name what stands before the colon of a broker and its version
     * @param title its full name for people
     * @param protocols names of protocols, the default first
     */
    BrokerKind(String name, String title, String... protocols) {
        this.name = name;
        this.title = title;
        this.protocols = ordered(protocols);
    }

    /** Every kind, the default first. */
    static List<BrokerKind> all() {
        return List.of(new ArtemisKind(), new ActiveMqKind(), new RocketMqKind(), new KafkaKind(), new RabbitMqKind(),
            new QpidKind(), new MosquittoKind(), new NatsKind(), new RedisKind(), new BeanstalkdKind());
    }

    /** @throws IllegalArgumentException with one sentence for the user, when there is no such broker */
    static BrokerKind of(String name) {
        return all().stream().filter(kind -> kind.name.equals(name)).findFirst()
            .orElseThrow(() -> new IllegalArgumentException("Broker '" + name + "' is unknown; there are "
                + all().stream().map(BrokerKind::name).collect(Collectors.joining(", ")) + "."));
    }

    private static Set<String> ordered(String... words) {
        return new LinkedHashSet<>(List.of(words));
    }

    /** Adds topologies. */
    final void topologies(String... more) {
        topologies.addAll(List.of(more));
    }

    /** Adds journals; a kind without one has no choice. */
    final void journals(String... more) {
        journals.addAll(List.of(more));
    }

    final void features(Feature... more) {
        features.addAll(List.of(more));
    }

    final String name() {
        return name;
    }

    final String title() {
        return title;
    }

    /** The roles of the processes of a topology, in the order of {@link Broker#nodes()}. */
    List<String> roles(String topology) {
        return List.of(BrokerNode.BROKER);
    }

    /** In their order, the default first. */
    final Set<String> protocols() {
        return Collections.unmodifiableSet(protocols);
    }

    /** Those of them that a topology serves. */
    Set<String> protocols(String topology) {
        return protocols();
    }

    /**
     * Checks what can be checked before anything is fetched or started. An override calls this one.
     *
     * @throws IllegalArgumentException with one sentence for the user that names the option
     */
    void check(BrokerOptions options) {
        require(topologies.contains(options.topology()),
            "no topology '" + options.topology() + "'; it has " + String.join(", ", topologies));
        options.journal().ifPresent(journal -> {
            String what = "no journal '" + journal + "'";
            require(!journals.isEmpty(), what + ", since it has only one");
            require(journals.contains(journal), what + "; it has " + String.join(", ", journals));
            require(options.persistent() || !needsStore(journal), what + " when it is not persistent");
        });
        require(features.contains(Feature.LOGIN) || options.login().isEmpty(), "no users when it is started here");
        require(features.contains(Feature.TLS) || options.tls().isEmpty(), "no TLS port when it is started here");
        require(features.contains(Feature.FORBIDDEN) || options.forbidden().isEmpty(),
            "no way to forbid the creation of destinations below " + options.forbidden());
        boolean alone = options.topology().equals(BrokerOptions.SINGLE);
        require(options.address().isEmpty() || features.contains(Feature.ADDRESS) && alone,
            "no address but loopback " + (alone ? "when it is started here" : "as " + options.topology()));
        require(features.contains(Feature.TRAINING) || options.training().isEmpty(), "no AOT cache");
    }

    /** Whether a type of journal means nothing to a broker that stores nothing. */
    boolean needsStore(String journal) {
        return true;
    }

    /**
     * Refuses options.
     *
     * @param lack what the broker "has", unless {@code held}
     */
    final void require(boolean held, String lack) {
        if (!held) {
            throw new IllegalArgumentException("Broker " + name + " has " + lack + ".");
        }
    }

    /** See {@link Broker#requireDiskLimit}. An override calls this one. */
    void requireDiskLimit(BrokerOptions options) {
        require(features.contains(Feature.DISK_LIMIT),
            "no limit of its disk that could be reached without filling the disk of this machine;"
                + " there are " + all().stream().filter(kind -> kind.features.contains(Feature.DISK_LIMIT)).map(kind -> kind.name)
                    .collect(Collectors.joining(", ")));
    }

    /** See {@link Broker#start(BrokerName, BrokerOptions)}. The options were checked. */
    abstract Broker start(BrokerName asked, BrokerOptions options) throws BrokerException;

    /** See {@link Broker#requireVersion}. The name has a version. */
    abstract void requireVersion(BrokerName asked) throws BrokerException;

    /** See {@link Broker#isFetched}. */
    abstract boolean isFetched(BrokerName asked);
}
