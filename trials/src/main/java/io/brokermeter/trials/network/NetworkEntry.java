package io.brokermeter.trials.network;

import java.util.List;
import java.util.Set;

import io.brokermeter.network.Namespace;
import org.jspecify.annotations.Nullable;

/**
 * The path between the clients of a run and their broker, as the process of the clients knows it.
 *
 * @param place the network from which clients connect, {@link Namespace#path}; empty for the network of the machine
 * @param ports ports of servers to which connections must lead through the link or, where there is no place, through proxies; empty where
 *     they are not known, or some may be reached directly
 */
public record NetworkEntry(String place, List<Integer> ports) {

    /** The direct path, without a network. */
    public static final NetworkEntry FREE = new NetworkEntry("", List.of());

    /** Copies the ports. */
    public NetworkEntry {
        ports = List.copyOf(ports);
    }

    /**
     * Returns a sentence about connections of this process that bypass the network; null when there are none. Reads all sockets of the
     * process, so it should be called after the measured part.
     */
    public @Nullable String trouble() {
        int strays = ports.isEmpty() ? 0 : Namespace.strays(Set.copyOf(ports));
        if (strays == 0) {
            return null;
        }
        return strays + (strays == 1 ? " connection of this run leads" : " connections of this run lead") + (place.isEmpty()
            ? " around the proxy, to an address that the broker named: neither the network nor a fault of connections is between them and the "
                + "broker."
            : " around the link, so the network is not between them and the broker: its figures are not those of a distance.");
    }
}
