package io.brokermeter.network;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

import io.brokermeter.proc.ProcText;
import org.jspecify.annotations.Nullable;

/**
 * The network namespace at the clients' end of a link. A thread that has entered it, and every thread that it starts, connects through
 * the link; the other threads of the process are not affected.
 */
public final class Namespace {

    private static final int CAP_NET_ADMIN = 12;
    private static final int CAP_SYS_ADMIN = 21;
    private static final Pattern PLACE = Pattern.compile("/proc/[0-9]+/task/[0-9]+/ns/net");

    private final NetworkProcess network;
    private final Path file;
    private final List<String> aliases;

    Namespace(NetworkProcess network, String thread, List<String> aliases) {
        this.network = network;
        this.file = Path.of("/proc", thread, "ns", "net");
        this.aliases = List.copyOf(aliases);
    }

    /** Returns why this process cannot create a link, as a part of a sentence; null when it can. */
    public static @Nullable String missing() {
        String missing = missingOnMachine();
        if (missing != null) {
            return missing;
        }
        try {
            String refused = OwnNetwork.refused();
            return hasRights() ? null
                : "it takes the rights of root to make network devices, or a user namespace with all that the run connects to in it"
                    + (refused.isEmpty() ? "" : " (" + refused + ")");
        } catch (IOException | NumberFormatException e) {
            return "the rights of this process are not known";
        }
    }

    /** Returns whether this process lacks nothing but rights to create a link. */
    public static boolean isRightsAlone() {
        try {
            return missingOnMachine() == null && !hasRights();
        } catch (IOException | NumberFormatException e) {
            return false;
        }
    }

    private static @Nullable String missingOnMachine() {
        if (!Linux.IS) {
            return "only Linux has network namespaces";
        }
        if (!Files.exists(Linux.TUN)) {
            return "there is no " + Linux.TUN;
        }
        String path = System.getenv("PATH");
        return path != null && Arrays.stream(path.split(":")).anyMatch(directory -> Files.isExecutable(Path.of(directory, "ip"))) ? null
            : "the program ip is not on the PATH";
    }

    private static boolean hasRights() throws IOException {
        long rights = ProcText.mask(ProcText.read(Path.of("/proc/self/status")), "CapEff");
        return (rights >> CAP_NET_ADMIN & rights >> CAP_SYS_ADMIN & 1) != 0;
    }

    /** Returns the IPv4 address of a server that a link can lead to, which must be this machine; null for any other server. */
    public static @Nullable String local(String host) {
        try {
            InetAddress address = Arrays.stream(InetAddress.getAllByName(host)).filter(one -> one.getAddress().length == 4).findFirst()
                .orElse(null);
            return address != null && (address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null)
                ? address.getHostAddress() : null;
        } catch (IOException e) {
            return null;
        }
    }

    /** Returns why a link cannot lead to a server without a {@link #local} address, in words that can follow "because". */
    public static String whyNotLocal(String host) {
        try {
            boolean v4 = Arrays.stream(InetAddress.getAllByName(host)).anyMatch(one -> one.getAddress().length == 4);
            return v4 ? host + " is not this machine, and a link leads to brokers of this machine alone"
                : host + " has an IPv6 address alone, and a link needs an IPv4 address";
        } catch (IOException e) {
            return "the address of " + host + " is not known";
        }
    }

    /** Returns the addresses by which clients in the namespace reach the servers of the aliases, in the order of the aliases. */
    public List<String> aliases() {
        return aliases;
    }

    /**
     * Returns three numbers of packets: passed, lost by the rule, and dropped because a queue was full or a device did not take them; all
     * are -1, for unknown, when the link is gone.
     */
    public long[] packets() {
        try {
            return Arrays.stream(network.ask("packets")).skip(1).mapToLong(Long::parseLong).toArray();
        } catch (IOException e) {
            return new long[] {-1, -1, -1};
        }
    }

    /**
     * Returns the number of connections of this process to some ports that are not in the namespace, though they should be: those of
     * threads that were started before the namespace was entered.
     */
    public static int strays(Set<Integer> ports) {
        // The table is that of the network of the process's first thread, which never enters the namespace.
        Set<Long> found = new HashSet<>();
        for (String table : List.of("/proc/self/net/tcp", "/proc/self/net/tcp6")) {
            try {
                found.addAll(ProcText.connectionsTo(ports, ProcText.read(Path.of(table))));
            } catch (IOException | RuntimeException e) {
                // This machine does not have the protocol.
            }
        }
        found.retainAll(ProcText.sockets(ProcessHandle.current().pid()));
        return found.size();
    }

    /** Returns the path with which another process of the same user and rights can {@link #enter(String)} the namespace while it exists. */
    public String path() {
        return file.toString();
    }

    /** Moves the calling thread into the namespace, until this thread closes the returned object. */
    public Stay enter() throws IOException {
        return enter(path());
    }

    /**
     * Moves the calling thread into a namespace, which may be that of another process, until this thread closes the returned object.
     *
     * @param path {@link #path} of the namespace
     * @throws IOException when the path is not that of a namespace, or the namespace is gone or may not be entered by this process
     */
    public static Stay enter(String path) throws IOException {
        if (!Linux.IS || !PLACE.matcher(path).matches()) {
            throw new IOException("'" + path + "' is no network namespace");
        }
        int before = Linux.open("/proc/thread-self/ns/net", false);
        try {
            int there = Linux.open(path, false);
            try {
                Linux.enterNetwork(there);
            } finally {
                Linux.close(there);
            }
            return () -> {
                try {
                    Linux.enterNetwork(before);
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                } finally {
                    Linux.close(before);
                }
            };
        } catch (IOException e) {
            Linux.close(before);
            throw e;
        }
    }

    /** The stay of a thread in a namespace; closing it moves the thread back to its former network. */
    public interface Stay extends AutoCloseable {

        @Override
        void close();
    }
}
