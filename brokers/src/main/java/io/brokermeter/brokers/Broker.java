package io.brokermeter.brokers;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

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
     * @throws IllegalArgumentException with one sentence for the user, when the broker, the version, the topology
     *                                  or an option does not exist
     */
    static Broker start(BrokerName name, BrokerOptions options) throws BrokerException {
        BrokerKind kind = BrokerKind.of(name.name());
        kind.check(options);
        try {
            if (options.port() != 0) {
                FreePort.orAsked(options.port());
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("Port " + options.port() + " cannot be listened on, since another program has it or this"
                + " user may not; choose another one, or 0 for any that is free.", e);
        }
        return kind.start(name, options);
    }

    /**
     * Whether a start of this broker fetches nothing and asks no network, since it was started before on this machine or is a program of the system.
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
     * Those of {@link #protocols(BrokerName)} that a topology of it serves.
     *
     * @param topology as {@link BrokerOptions#topology()}
     * @throws IllegalArgumentException with one sentence for the user, when there is no such broker
     */
    static Set<String> protocols(BrokerName name, String topology) {
        return BrokerKind.of(name.name()).protocols(topology);
    }

    /**
     * The processes of a broker that have a name, as {@link #nodes()} numbers them from 0: all for {@code broker}, one for {@code node 2}, for its
     * role, or for the beginning of its role where that is one's alone ({@code slave} for {@code slave broker-a}).
     *
     * @param topology as {@link BrokerOptions#topology()}
     * @param target without capital letters
     * @throws IllegalArgumentException with one sentence for the user, when none has it or several have
     */
    static List<Integer> nodesNamed(BrokerName name, String topology, String target) {
        List<String> roles = BrokerKind.of(name.name()).roles(topology);
        if (target.equals(BrokerNode.BROKER)) {
            return IntStream.range(0, roles.size()).boxed().toList();
        }
        String whole = "Broker " + name.name() + (topology.equals(BrokerOptions.SINGLE) ? "" : " as " + topology);
        String has = ": it has " + String.join(", ", roles) + (roles.size() == 1 ? " alone." : ", or node 1 to node " + roles.size() + ".");
        if (roles.contains(target)) {
            return List.of(roles.indexOf(target));
        }
        if (target.matches("node [0-9]{1,4}")) {
            int number = Integer.parseInt(target.substring(5));
            if (number < 1 || number > roles.size()) {
                throw new IllegalArgumentException(whole + " has no '" + target + "'" + has);
            }
            return List.of(number - 1);
        }
        List<Integer> found = IntStream.range(0, roles.size()).filter(i -> roles.get(i).startsWith(target + " ")).boxed().toList();
        if (found.size() != 1) {
            throw new IllegalArgumentException(whole + (found.isEmpty() ? " has no '" : " has several '") + target + "'" + has);
        }
        return found;
    }

    /**
     * What of a topology bears the load at the beginning, as {@link #nodesNamed} takes it: its first process, by the first word of its role where no
     * other role begins so.
     *
     * @throws IllegalArgumentException with one sentence for the user, when there is no such broker
     */
    static String leader(BrokerName name, String topology) {
        if (topology.equals(BrokerOptions.SINGLE)) {
            return BrokerNode.BROKER;
        }
        List<String> roles = BrokerKind.of(name.name()).roles(topology);
        String word = roles.getFirst().split(" ")[0];
        return roles.stream().filter(role -> role.startsWith(word)).count() == 1 ? word : "node 1";
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
     * Checks that a broker of this name has a limit of its disk that can be reached without filling the disk.
     *
     * @throws IllegalArgumentException with one sentence for the user, when it has none
     */
    static void requireDiskLimit(BrokerName name, BrokerOptions options) {
        BrokerKind.of(name.name()).requireDiskLimit(options);
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
     * Starts processes of it again that are gone, on the same ports and in the same directories, and returns when they are ready: those that
     * were started together at once, the others one after the other in their first order. Where another one serves in place of one of them
     * now, that one stands by.
     *
     * @throws BrokerException when one is not ready within the limit of the options; those before it run, and what it had in its own
     *     directory is kept, in a place that the message names
     */
    void startAgain(List<? extends BrokerNode> gone) throws BrokerException;

    /**
     * Ends its processes and deletes its directory, unless that existed before or is to be kept. Returns when both are
     * gone; idempotent.
     */
    @Override
    void close();
}
