package io.brokermeter.trials.agents;

import java.util.List;
import java.util.Set;

import io.brokermeter.network.Namespace;
import org.jspecify.annotations.Nullable;

/**
 * The way between the clients of a run and their broker, as the process that has the clients knows it.
 *
 * @param place where clients connect from, {@link Namespace#path}; empty for the network of the machine
 * @param ports of servers that no connection may lead to but through the link, or, where there is no place, through proxies; empty where
 *     nobody knows them, or some may be reached without
 */
public record Passage(String place, List<Integer> ports) {

    /** Nothing is on the way. */
    public static final Passage FREE = new Passage("", List.of());

    /** Copies what may change. */
    public Passage {
        ports = List.copyOf(ports);
    }

    /**
     * Which connections of this process lead around it, as a sentence; null when none does. Reads all of its sockets, so it belongs behind
     * what is measured.
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
