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
 * The end of a link where clients are. A thread that has entered it, and every thread that it starts, connects through the
 * link; all others of the process go on as before.
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

    /** Why this process cannot make a link, as a part of a sentence; null when it can. */
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

    /** Whether a link could be made but for the rights of this process. */
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

    /** The address of a server that a link can lead to, which is one of this machine; null when that is not so. */
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

    /** Why a link cannot lead to a server that has no {@link #local} address, in words that stand behind a "because". */
    public static String whyNotLocal(String host) {
        try {
            boolean v4 = Arrays.stream(InetAddress.getAllByName(host)).anyMatch(one -> one.getAddress().length == 4);
            return v4 ? host + " is not this machine, and a link leads to brokers of this machine alone"
                : host + " has an IPv6 address alone, and a link needs an IPv4 address";
        } catch (IOException e) {
            return "the address of " + host + " is not known";
        }
    }

    /** What clients there call the servers of the aliases, in their order. */
    public List<String> aliases() {
        return aliases;
    }

    /** Packets that passed, that were lost by rule, and that no queue had room for; all -1, for not known, when the link is gone. */
    public long[] packets() {
        try {
            return Arrays.stream(network.ask("packets")).skip(1).mapToLong(Long::parseLong).toArray();
        } catch (IOException e) {
            return new long[] {-1, -1, -1};
        }
    }

    /**
     * How many connections of this process to some ports are not in the namespace, though they should be: those of threads that were
     * there before.
     */
    public static int strays(Set<Integer> ports) {
        // The table is that of the process, which is where its first thread is: never in the namespace.
        Set<Long> found = new HashSet<>();
        for (String table : List.of("/proc/self/net/tcp", "/proc/self/net/tcp6")) {
            try {
                found.addAll(ProcText.connectionsTo(ports, ProcText.read(Path.of(table))));
            } catch (IOException | RuntimeException e) {
                // There is no such protocol here.
            }
        }
        found.retainAll(ProcText.sockets(ProcessHandle.current().pid()));
        return found.size();
    }

    /** By what another process of the same user and rights finds it with {@link #enter(String)}, as long as it is there. */
    public String path() {
        return file.toString();
    }

    /** Brings the calling thread there, until the answer is closed by it. */
    public Stay enter() throws IOException {
        return enter(path());
    }

    /**
     * The same of a process that did not make it.
     *
     * @param path {@link #path} of the one to enter
     * @throws IOException when it is none, is gone, or may not be entered by this process
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

    /** A thread's stay in a namespace. */
    public interface Stay extends AutoCloseable {

        @Override
        void close();
    }
}
