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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.brokermeter.proc.ProcText;
import io.brokermeter.proc.ProcText.Listener;
import org.jspecify.annotations.Nullable;

/** Which processes of this machine serve a port. Looking reads the names of all open files of all processes. */
final class PortOwners {

    /** Programs that stand in front of a broker and pass its bytes on. */
    private static final Set<String> FORWARDERS = Set.of("docker-proxy", "rootlessport", "slirp4netns", "pasta", "passt",
        "gvproxy", "ssh", "sshd", "kubectl", "socat");
    private static final long INIT = 1;

    private PortOwners() {}

    /**
     * What was found.
     *
     * @param local whether any of the servers is this machine
     * @param pids who serves them
     * @param trouble why the process of a local server is not known, to go behind "because"; null when it is
     */
    record Found(boolean local, List<Long> pids, @Nullable String trouble) {}

    /** Looks up host names, which may take its time. */
    static Found of(List<Servers.Server> servers) {
        boolean local = false;
        Set<Long> pids = new LinkedHashSet<>();
        String trouble = null;
        List<Listener> listeners = null;
        for (Servers.Server server : servers) {
            List<InetAddress> addresses = localAddresses(server.host());
            if (addresses.isEmpty()) {
                continue;
            }
            local = true;
            if (listeners == null) {
                listeners = listeners();
            }
            List<Listener> serving = listeners.stream()
                .filter(l -> addresses.stream().anyMatch(a -> l.serves(a, server.port()))).toList();
            if (serving.isEmpty()) {
                trouble = "nothing on this machine listens on port " + server.port();
                continue;
            }
            Set<Long> owners = owners(serving.stream().map(Listener::inode).collect(Collectors.toSet()));
            if (owners.isEmpty()) {
                trouble =
                    "the one that listens on port " + server.port() + " belongs to another user (uid " + serving.getFirst().uid() + ")";
                continue;
            }
            for (long pid : owners) {
                ObservedProcess process = ObservedProcess.of(pid);
                if (process != null && FORWARDERS.contains(process.name())) {
                    trouble = process.name() + " (pid " + pid + ") listens on port " + server.port() + " and passes everything on";
                } else if (process != null && pid != ProcessHandle.current().pid()) {
                    pids.add(pid);
                }
            }
        }
        return new Found(local, List.copyOf(pids), trouble);
    }

    /** The addresses of a host as far as they belong to this machine. */
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
            // whoever connects there says so
        }
        return local;
    }

    private static List<Listener> listeners() {
        List<Listener> listeners = new ArrayList<>();
        for (String file : new String[] {"/proc/net/tcp", "/proc/net/tcp6"}) {
            try {
                listeners.addAll(ProcText.listeners(ProcText.read(Path.of(file))));
            } catch (IOException | RuntimeException e) {
                // no such protocol here, or no Linux
            }
        }
        return listeners;
    }

    /** Who has one of these sockets open. A socket that init handed to a service belongs to the service. */
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
