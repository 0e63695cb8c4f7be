package io.brokermeter.brokers.observe;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The processes of this machine that serve a broker.
 *
 * @param pids ids of the processes; empty when they are not known
 * @param trouble reason why they are not known, for use after "because"; null when they are
 */
public record LocalProcesses(List<Long> pids, @Nullable String trouble) {

    /** Finds the processes that listen on a port. Reads the names of all open files of all processes. */
    public static LocalProcesses listeningOn(int port) {
        return of(List.of(new Servers.Server("localhost", port)), "nothing on this machine listens on port " + port);
    }

    /** Finds the processes that listen at the addresses of broker URLs. Resolves host names, which may take a while. */
    public static LocalProcesses ofUrls(List<String> urls) {
        return of(urls.stream().flatMap(url -> Servers.of(url).stream()).distinct().toList(), "none of its URLs leads to this machine");
    }

    private static LocalProcesses of(List<Servers.Server> servers, String otherwise) {
        List<PortOwners.Found> found = PortOwners.of(servers);
        List<Long> pids = PortOwners.Found.pids(found);
        String trouble = PortOwners.Found.trouble(found);
        return new LocalProcesses(pids, !pids.isEmpty() ? null : trouble == null ? otherwise : trouble);
    }
}
