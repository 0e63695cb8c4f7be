package io.brokermeter.cluster;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The settings with which a process takes part in a cluster.
 *
 * @param name the name of the process
 * @param labels the labels that its user gave it
 * @param version the version of the tool; only processes of one version work together
 * @param bind the address to listen on; null for all addresses with a credential, and for loopback without
 * @param port the port to listen on, 0 for any free one (suitable for a coordinator, to which nobody needs to connect)
 * @param agents the agents that a coordinator calls: {@code host}, {@code host:port}, {@code address} or {@code [address]:port}; empty for
 *     an agent
 * @param dns whether each name in {@code agents} stands for all of its addresses, which are looked up repeatedly
 * @param credential the proof that a process belongs to the cluster; null permits loopback only
 */
public record ClusterSettings(Role role, String name, Map<String, String> labels, String version, @Nullable InetAddress bind, int port,
        List<String> agents, boolean dns, @Nullable Credential credential) {

    /** The port on which agents listen by default. */
    public static final int PORT = 7800;

    public ClusterSettings {
        labels = Map.copyOf(labels);
        agents = List.copyOf(agents);
    }

    /** Creates the settings of an agent that listens on a port. */
    public static ClusterSettings agent(String name, Map<String, String> labels, String version, @Nullable InetAddress bind, int port,
            @Nullable Credential credential) {
        return new ClusterSettings(Role.AGENT, name, labels, version, bind, port, List.of(), false, credential);
    }

    /** Creates the settings of a coordinator that calls agents, and listens on any free port. */
    public static ClusterSettings coordinator(String name, String version, List<String> agents, boolean dns,
            @Nullable Credential credential) {
        return new ClusterSettings(Role.COORDINATOR, name, Map.of(), version, null, 0, agents, dns, credential);
    }
}
