package io.brokermeter.cluster;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * How a process takes part in a cluster.
 *
 * @param name its own name
 * @param labels what its user says about it
 * @param version the version of the tool; only processes of one version work together
 * @param bind the address to listen on; null for all addresses with a credential, and loopback without
 * @param port the port to listen on, 0 for any free one (good for a coordinator, to which nobody needs to connect)
 * @param agents whom a coordinator calls: {@code host}, {@code host:port}, {@code address} or {@code [address]:port}; empty for an agent
 * @param dns whether each name in {@code agents} stands for all of its addresses, which are looked up again and again
 * @param credential what shows that a process belongs to the cluster; null permits loopback only
 */
public record ClusterSettings(Role role, String name, Map<String, String> labels, String version, @Nullable InetAddress bind, int port,
        List<String> agents, boolean dns, @Nullable Credential credential) {

    /** Where agents listen if nothing else is said. */
    public static final int PORT = 7800;

    public ClusterSettings {
        labels = Map.copyOf(labels);
        agents = List.copyOf(agents);
    }

    /** An agent that listens on a port. */
    public static ClusterSettings agent(String name, Map<String, String> labels, String version, @Nullable InetAddress bind, int port,
            @Nullable Credential credential) {
        return new ClusterSettings(Role.AGENT, name, labels, version, bind, port, List.of(), false, credential);
    }

    /** A coordinator that calls agents, on any free port. */
    public static ClusterSettings coordinator(String name, String version, List<String> agents, boolean dns,
            @Nullable Credential credential) {
        return new ClusterSettings(Role.COORDINATOR, name, Map.of(), version, null, 0, agents, dns, credential);
    }
}
