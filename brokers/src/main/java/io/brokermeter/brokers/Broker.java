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
     * @throws BrokerException when the broker does not start within the limit of the options; nothing is left behind
     * @throws IllegalArgumentException with one sentence for the user, when the broker, the version, the topology or an option does not
     *     exist
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
     * Returns whether a start of this broker fetches nothing and uses no network, since it was started before on this machine or is a
     * program of the system.
     *
     * @throws IllegalArgumentException with one sentence for the user, when there is no such broker
     */
    static boolean isFetched(BrokerName name) {
        return BrokerKind.of(name.name()).isFetched(name);
    }

    /** Returns the names of the brokers that can be started, the default first. */
    static List<String> names() {
        return BrokerKind.all().stream().map(BrokerKind::name).toList();
    }

    /**
     * Returns the names of the protocols that a broker of this name serves, the default first.
     *
     * @throws IllegalArgumentException with one sentence for the user, when there is no such broker
     */
    static Set<String> protocols(BrokerName name) {
        return BrokerKind.of(name.name()).protocols();
    }

    /**
     * Returns those of the {@link #protocols(BrokerName)} that a topology of the broker serves.
     *
     * @param topology a topology as in {@link BrokerOptions#topology()}
     * @throws IllegalArgumentException with one sentence for the user, when there is no such broker
     */
    static Set<String> protocols(BrokerName name, String topology) {
        return BrokerKind.of(name.name()).protocols(topology);
    }

    /**
     * Returns the indexes in {@link #nodes()} of the processes that a target names: all for {@code broker}, or one for {@code node 2}, for
     * its role, or for the first words of its role if they are unambiguous ({@code slave} for {@code slave broker-a}).
     *
     * @param topology a topology as in {@link BrokerOptions#topology()}
     * @param target target in lower case
     * @throws IllegalArgumentException with one sentence for the user, when no process or more than one has that name
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
     * Returns the target, as in {@link #nodesNamed}, of the process that bears the load of a topology at the beginning. This is the first
     * process, named by the first word of its role if no other role begins with it.
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
     * Checks everything that can be checked before anything is fetched or started.
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
     * Checks that a broker of this name has a disk limit that can be reached without filling the disk.
     *
     * @throws IllegalArgumentException with one sentence for the user, when it has no such limit
     */
    static void requireDiskLimit(BrokerName name, BrokerOptions options) {
        BrokerKind.of(name.name()).requireDiskLimit(options);
    }

    /**
     * Checks that the requested version exists: on this machine, or else where it would be fetched from. Starts nothing and fetches at most
     * a description of some kilobytes; blocks until that is done.
     *
     * @throws IllegalArgumentException with one sentence for the user, when there is no such version
     * @throws BrokerException when that cannot be determined
     */
    static void requireVersion(BrokerName name) throws BrokerException {
        if (name.version().isPresent()) {
            BrokerKind.of(name.name()).requireVersion(name);
        }
    }

    /** Returns the name of the broker, with the version that runs. */
    BrokerName name();

    /** Returns the full name for people, without the version: {@code Apache Artemis}. */
    String title();

    /**
     * Returns the URLs at which the broker serves, by the name of the protocol, in the form that clients expect, the default protocol
     * first. A topology of several brokers has URLs that name all of them.
     */
    Map<String, String> urls();

    /** Returns the URL of the default protocol. */
    default String url() {
        return urls().values().iterator().next();
    }

    /** Returns the processes of the broker, the one that serves first; the others of a topology follow. */
    List<? extends BrokerNode> nodes();

    /** Returns the first of the processes. */
    default BrokerNode node() {
        return nodes().getFirst();
    }

    /** Returns the main port of the first process. */
    default int port() {
        return node().port();
    }

    /** Returns the id of the first process. */
    default long pid() {
        return node().pid();
    }

    /** Returns whether all processes are alive. */
    default boolean isAlive() {
        return nodes().stream().allMatch(BrokerNode::isAlive);
    }

    /** Kills all processes at once. The directory stays until {@link #close()}. */
    default void kill() {
        nodes().forEach(BrokerNode::kill);
    }

    /**
     * Starts processes again that are gone, on the same ports and in the same directories, and returns when they are ready. Processes that
     * were started together are started at the same time, others one after the other in their original order. A process whose role another
     * one has taken over stands by.
     *
     * @throws BrokerException when a process is not ready within the limit of the options; those before it run, and the contents of its
     *     directory are kept in a place that the message names
     */
    void startAgain(List<? extends BrokerNode> gone) throws BrokerException;

    /** Ends the processes and deletes the directory, unless it existed before or is to be kept. Returns when both are gone; idempotent. */
    @Override
    public void close();
}
