package io.brokermeter.brokers;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.brokermeter.hosts.FreePort;

/** A running throwaway broker, of one process or of several. All methods may be called from any thread. */
public interface Broker extends AutoCloseable {

    /** Starts a broker with default options. See {@link #start(BrokerName, BrokerOptions)}. */
    static Broker start(BrokerName name) throws BrokerException {
        return start(name, BrokerOptions.defaults());
    }

    /**
     * Starts a broker and returns when it accepts connections and serves them.
     *
     * @throws BrokerException          when it does not start within the limit of the options; nothing is left behind
     * @throws IllegalArgumentException with one sentence for the user, when there is no such broker, version, topology
     *                                  or option
     */
    static Broker start(BrokerName name, BrokerOptions options) throws BrokerException {
        BrokerKind kind = BrokerKind.of(name.name());
        kind.check(options);
        try {
            FreePort.orAsked(options.port());
        } catch (IOException e) {
            throw new IllegalArgumentException("Port " + options.port() + " cannot be listened on, since another program has it or this"
                + " user may not; choose another one, or 0 for any that is free.", e);
        }
        return kind.start(name, options);
    }

    /**
     * Whether this broker was started before on this machine, so that a start fetches nothing and asks no network.
     * False also for kinds that keep no such record.
     *
     * @throws IllegalArgumentException with one sentence for the user, when there is no such broker
     */
    static boolean isFetched(BrokerName name) {
        return BrokerKind.of(name.name()).isFetched(name);
    }

    /** The names of the brokers that can be started, the default first. */
    static List<String> names() {
        return BrokerKind.all().stream().map(BrokerKind::name).toList();
    }

    /**
     * The protocols that a broker of this name serves, as names of protocols, the one to take by default first.
     *
     * @throws IllegalArgumentException with one sentence for the user, when there is no such broker
     */
    static Set<String> protocols(BrokerName name) {
        return BrokerKind.of(name.name()).protocols();
    }

    /**
     * Checks what can be checked before anything is fetched or started.
     *
     * @throws IllegalArgumentException with one sentence for the user, when there is no such broker, topology or option
     */
    static void check(BrokerName name, BrokerOptions options) {
        BrokerKind kind = BrokerKind.of(name.name());
        try {
            if (!options.heap().equals(BrokerOptions.defaults().heap())) {
                BrokerOptions.requireHeap(options.heap());
            }
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("The heap " + options.heap() + " of broker " + name + " " + e.getMessage(), e);
        }
        kind.check(options);
    }

    /**
     * Asks whether there is the version that is named: on this machine, or else where it would be fetched from. Starts and
     * fetches nothing but a description of some kilobytes; blocks as long as that takes.
     *
     * @throws IllegalArgumentException with one sentence for the user, when there is no such version
     * @throws BrokerException when that cannot be found out
     */
    static void requireVersion(BrokerName name) throws BrokerException {
        if (name.version().isPresent()) {
            BrokerKind.of(name.name()).requireVersion(name);
        }
    }

    /** Which broker it is, with the version that really runs. */
    BrokerName name();

    /** Its full name for people, without the version: {@code Apache Artemis}. */
    String title();

    /**
     * Where it serves each protocol: the URLs by the name of the protocol, each as clients take it, the default
     * protocol first. A topology of several brokers has URLs that name them all.
     */
    Map<String, String> urls();

    /** The URL of the default protocol. */
    default String url() {
        return urls().values().iterator().next();
    }

    /** Its processes, the one that serves first; a topology's others follow. */
    List<? extends BrokerNode> nodes();

    /** The first of its processes. */
    default BrokerNode node() {
        return nodes().getFirst();
    }

    /** The main port of the first process. */
    default int port() {
        return node().port();
    }

    /** The id of the first process. */
    default long pid() {
        return node().pid();
    }

    /** Whether all its processes live. */
    default boolean isAlive() {
        return nodes().stream().allMatch(BrokerNode::isAlive);
    }

    /** Kills all its processes at once. The directory stays until {@link #close()}. */
    default void kill() {
        nodes().forEach(BrokerNode::kill);
    }

    /**
     * Ends its processes and deletes its directory, unless that existed before or is to be kept. Returns when both are
     * gone; idempotent.
     */
    @Override
    void close();
}
