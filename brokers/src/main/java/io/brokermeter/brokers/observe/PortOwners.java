package io.brokermeter.brokers.observe;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import io.brokermeter.proc.ProcText;
import io.brokermeter.proc.ProcText.Listener;
import org.jspecify.annotations.Nullable;

/** Finds the processes of this machine that serve a port. This reads the names of all open files of all processes. */
final class PortOwners {

    /** Programs that listen in front of a broker and forward its bytes. */
    private static final Set<String> FORWARDERS = Set.of("docker-proxy", "rootlessport", "slirp4netns", "pasta", "passt",
        "gvproxy", "ssh", "sshd", "kubectl", "socat");
    private static final long INIT = 1;

    private PortOwners() {}

    /**
     * The findings about a server on this machine.
     *
     * @param addresses those addresses of its host that belong to this machine
     * @param listens whether a process listens there
     * @param pids ids of the processes that serve it; also empty if only this JVM does
     * @param trouble reason why the process is not known, for use after "because"; null when it is
     */
    record Found(Servers.Server server, List<InetAddress> addresses, boolean listens, List<Long> pids, @Nullable String trouble) {

        static List<Long> pids(List<Found> all) {
            return all.stream().flatMap(found -> found.pids.stream()).distinct().toList();
        }

        /** Returns the trouble of the last server that has any; null when none has. */
        static @Nullable String trouble(List<Found> all) {
            return all.stream().map(Found::trouble).filter(Objects::nonNull).reduce((_, later) -> later).orElse(null);
        }
    }

    /** Returns the findings about those servers that are on this machine. Resolves host names, which may take a while. */
    static List<Found> of(List<Servers.Server> servers) {
        Map<Servers.Server, List<InetAddress>> local = new LinkedHashMap<>();
        for (Servers.Server server : servers) {
            List<InetAddress> addresses = localAddresses(server.host());
            if (!addresses.isEmpty()) {
                local.put(server, addresses);
            }
        }
        return of(local);
    }

    /**
     * Returns the current findings about servers. Reads only two files as long as no process listens for any of them.
     *
     * @param local the addresses of each server on this machine
     */
    static List<Found> of(Map<Servers.Server, List<InetAddress>> local) {
        List<Found> all = new ArrayList<>();
        List<Listener> listeners = local.isEmpty() ? List.of() : listeners();
        for (Map.Entry<Servers.Server, List<InetAddress>> each : local.entrySet()) {
            Servers.Server server = each.getKey();
            List<InetAddress> addresses = each.getValue();
            List<Listener> serving = listeners.stream()
                .filter(l -> addresses.stream().anyMatch(a -> l.serves(a, server.port()))).toList();
            if (serving.isEmpty()) {
                all.add(new Found(server, addresses, false, List.of(), "nothing on this machine listens on port " + server.port()));
                continue;
            }
            Set<Long> pids = new LinkedHashSet<>();
            String trouble = null;
            Set<Long> owners = owners(serving.stream().map(Listener::inode).collect(Collectors.toSet()));
            if (owners.isEmpty()) {
                trouble =
                    "the one that listens on port " + server.port() + " belongs to another user (uid " + serving.getFirst().uid() + ")";
            }
            for (long pid : owners) {
                ObservedProcess process = ObservedProcess.of(pid);
                if (process != null && FORWARDERS.contains(process.name())) {
                    trouble = process.name() + " (pid " + pid + ") listens on port " + server.port() + " and passes everything on";
                } else if (process != null && pid != ProcessHandle.current().pid()) {
                    pids.add(pid);
                }
            }
            all.add(new Found(server, addresses, true, List.copyOf(pids), trouble));
        }
        return all;
    }

    /** Returns those addresses of a host that belong to this machine. */
    private static List<InetAddress> localAddresses(String host) {
        List<InetAddress> local = new ArrayList<>();
        try {
            for (InetAddress address : InetAddress.getAllByName(host)) {
                if (address.isLoopbackAddress() || address.isAnyLocalAddress()
                    || NetworkInterface.getByInetAddress(address) != null) {
                    local.add(address);
                }
            }
        } catch (UnknownHostException | SocketException e) {
            // the client that connects there reports the failure
        }
        return local;
    }

    private static List<Listener> listeners() {
        List<Listener> listeners = new ArrayList<>();
        for (String file : new String[] {"/proc/net/tcp", "/proc/net/tcp6"}) {
            try {
                listeners.addAll(ProcText.listeners(ProcText.read(Path.of(file))));
            } catch (IOException | RuntimeException e) {
                // the protocol is not supported, or the system is not Linux
            }
        }
        return listeners;
    }

    /** Returns the processes that have one of these sockets open. A socket that init passed to a service belongs to the service. */
    private static Set<Long> owners(Set<Long> inodes) {
        Set<Long> owners = new HashSet<>();
        String[] names = new File("/proc").list((_, name) -> Character.isDigit(name.charAt(0)));
        for (String name : names == null ? new String[0] : names) {
            long pid = Long.parseLong(name);
            if (!Collections.disjoint(inodes, ProcText.sockets(pid))) {
                owners.add(pid);
            }
        }
        if (owners.size() > 1) {
            owners.remove(INIT);
        }
        return owners;
    }
}
