package io.brokermeter.brokers;

import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.brokermeter.brokers.kind.ActiveMqKind;
import io.brokermeter.brokers.kind.ArtemisKind;
import io.brokermeter.brokers.kind.BeanstalkdKind;
import io.brokermeter.brokers.kind.KafkaKind;
import io.brokermeter.brokers.kind.MosquittoKind;
import io.brokermeter.brokers.kind.NatsKind;
import io.brokermeter.brokers.kind.QpidKind;
import io.brokermeter.brokers.kind.RabbitMqKind;
import io.brokermeter.brokers.kind.RedisKind;
import io.brokermeter.brokers.kind.RocketMqKind;

/**
 * A kind of broker that can be started. A new kind is a class that extends this one or one of its subclasses, and a line in {@link #all}.
 */
public abstract class BrokerKind {

    /** A feature that some kinds have and others refuse. */
    public enum Feature { LOGIN, TLS, FORBIDDEN, TRAINING, ADDRESS, DISK_LIMIT }

    private final String name;
    private final String title;
    private final Set<String> protocols;
    private final Set<String> topologies = ordered(BrokerOptions.SINGLE);
    private final Set<String> journals = ordered();
    private final Set<Feature> features = EnumSet.noneOf(Feature.class);

    /**
     * Creates a kind.
     *
     * @param name name of the kind, before the colon in the name of a broker with a version
     * @param title full name, for people
     * @param protocols names of the protocols, the default first
     */
    public BrokerKind(String name, String title, String... protocols) {
        this.name = name;
        this.title = title;
        this.protocols = ordered(protocols);
    }

    /** Returns all kinds, the default first. */
    public static List<BrokerKind> all() {
        return List.of(new ArtemisKind(), new ActiveMqKind(), new RocketMqKind(), new KafkaKind(), new RabbitMqKind(),
            new QpidKind(), new MosquittoKind(), new NatsKind(), new RedisKind(), new BeanstalkdKind());
    }

    /**
     * Returns the kind of a name.
     *
     * @throws IllegalArgumentException with one sentence for the user, when there is no such broker
     */
    public static BrokerKind of(String name) {
        return all().stream().filter(kind -> kind.name.equals(name)).findFirst()
            .orElseThrow(() -> new IllegalArgumentException("Broker '" + name + "' is unknown; there are "
                + all().stream().map(BrokerKind::name).collect(Collectors.joining(", ")) + "."));
    }

    private static Set<String> ordered(String... words) {
        return new LinkedHashSet<>(List.of(words));
    }

    /** Adds topologies. */
    public final void topologies(String... more) {
        topologies.addAll(List.of(more));
    }

    /** Adds journal types. A kind without any has no choice. */
    public final void journals(String... more) {
        journals.addAll(List.of(more));
    }

    public final void features(Feature... more) {
        features.addAll(List.of(more));
    }

    public final String name() {
        return name;
    }

    public final String title() {
        return title;
    }

    /** Returns the roles of the processes of a topology, in the order of {@link Broker#nodes()}. */
    public List<String> roles(String topology) {
        return List.of(BrokerNode.BROKER);
    }

    /** Returns the names of the protocols in their order, the default first. */
    public final Set<String> protocols() {
        return Collections.unmodifiableSet(protocols);
    }

    /** Returns the names of the protocols that a topology serves. */
    public Set<String> protocols(String topology) {
        return protocols();
    }

    /**
     * Checks everything that can be checked before anything is fetched or started. An override must call this method.
     *
     * @throws IllegalArgumentException with one sentence for the user that names the option
     */
    public void check(BrokerOptions options) {
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

    /** Returns whether a journal type is meaningless for a broker that stores nothing. */
    public boolean needsStore(String journal) {
        return true;
    }

    /**
     * Refuses options unless a condition is met.
     *
     * @param held whether the condition is met
     * @param lack text after "has" in the message
     */
    public final void require(boolean held, String lack) {
        if (!held) {
            throw new IllegalArgumentException("Broker " + name + " has " + lack + ".");
        }
    }

    /** Checks the disk limit, see {@link Broker#requireDiskLimit}. An override must call this method. */
    public void requireDiskLimit(BrokerOptions options) {
        require(features.contains(Feature.DISK_LIMIT),
            "no limit of its disk that could be reached without filling the disk of this machine;"
                + " there are " + all().stream().filter(kind -> kind.features.contains(Feature.DISK_LIMIT)).map(kind -> kind.name)
                    .collect(Collectors.joining(", ")));
    }

    /** Starts a broker whose options were checked, see {@link Broker#start(BrokerName, BrokerOptions)}. */
    public abstract Broker start(BrokerName asked, BrokerOptions options) throws BrokerException;

    /** Checks the version, see {@link Broker#requireVersion}. The name has a version. */
    public abstract void requireVersion(BrokerName asked) throws BrokerException;

    /** Returns whether a start fetches nothing, see {@link Broker#isFetched}. */
    public abstract boolean isFetched(BrokerName asked);
}
