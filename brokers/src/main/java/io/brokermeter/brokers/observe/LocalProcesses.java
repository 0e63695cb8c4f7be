package io.brokermeter.brokers.observe;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The processes of this machine that serve a broker.
 *
 * @param pids who serves it, empty when that is not known
 * @param trouble why not, to go behind "because"; null when they are known
 */
public record LocalProcesses(List<Long> pids, @Nullable String trouble) {

    /** Those that listen on a port. Reads the names of all open files of all processes. */
    public static LocalProcesses listeningOn(int port) {
        return of(List.of(new Servers.Server("localhost", port)), "nothing on this machine listens on port " + port);
    }

    /** Those that listen where broker URLs lead. Looks up host names, which may take its time. */
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
