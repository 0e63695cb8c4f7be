package io.brokermeter.network;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * A link between two network devices: one in a network namespace of its own, where clients are, one in the network of this machine,
 * where servers are. All packets of a client in the namespace pass this link, whatever the client connects to, 127.0.0.1 included. TCP
 * runs from end to end. Devices and namespace end with the process.
 *
 * <p>Clients have one address for each rule, by which the link finds the rule of a packet. The first rule holds for every server; each
 * other rule holds for an alias, an additional address of a server, which the link replaces by the server's address.
 *
 * <p>When the first rule is {@link NetworkRule#NONE}, its packets pass over a pair of devices of the kernel (veth), where the kernel has
 * them, and not through this process, which would add two wake-ups to each round trip; these packets are not counted.
 */
final class NamespaceLink {

    private static final String NEAR = "bm0";
    /** The name of the device at the namespace's end of the kernel's pair. */
    private static final String NEAR_FREE = "bm1";
    /** The number of packets that a device queues until they are read. */
    private static final String QUEUE = "10000";
    private static final Path IPV6 = Path.of("/proc/self/net/if_inet6");
    /** The interval between looks for new devices of this machine, in milliseconds. */
    private static final long LOOK_MILLIS = 500;
    private static final int FIRST_CLIENT = 2;
    /** The last number of the gateway's address, above those of all clients. */
    private static final int GATEWAY = 254;
    private static final int MOST_RULES = 200;
    private static final int BUFFER = 4_096;
    /** The longest wait for the namespace, in seconds: some ten programs are run for it, one after the other. */
    private static final long READY_SECONDS = 100;

    /**
     * A rule for one server, which clients reach by an address of its own.
     *
     * @param server IPv4 address of the server
     */
    record Alias(NetworkRule rule, int server) {}

    private final int net;
    private final List<Alias> aliases;
    private final Consumer<String> ended;
    private final List<PacketQueue> out = new ArrayList<>();
    private final List<PacketQueue> back = new ArrayList<>();
    /** Whether the kernel's pair of devices exists; written before the namespace is ready. */
    private boolean free;
    private final String farFree = "bmv" + ProcessHandle.current().pid();
    private final String thread;

    /**
     * Creates the namespace and the devices, and returns when clients can use them.
     *
     * @param first the rule for every server that is not reached by an alias
     * @param ended called with a sentence when a device cannot be read any more, by the thread that read it; nothing passes in this
     *     direction from then on
     * @throws IOException with one sentence, when this machine does not allow it
     */
    NamespaceLink(NetworkRule first, List<Alias> aliases, Consumer<String> ended) throws IOException {
        if (aliases.size() >= MOST_RULES) {
            throw new IOException("A link has at most " + MOST_RULES + " rules.");
        }
        this.aliases = List.copyOf(aliases);
        this.ended = ended;
        String far = "bm" + ProcessHandle.current().pid();
        int main = Linux.tun(far);
        this.net = FreeSubnet.claim(far);
        routeLoopback(far);
        withoutIpv6(far);
        ip("link", "set", far, "txqueuelen", QUEUE, "up");
        CompletableFuture<String> ready = new CompletableFuture<>();
        CompletableFuture<Integer> device = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("brokermeter-network-namespace").start(() -> live(first.isNone(), device, ready));
        try {
            this.thread = ready.get(READY_SECONDS, TimeUnit.SECONDS);
            int namespace = device.get();
            if (free) {
                ip("addr", "add", gateway() + "/32", "dev", farFree);
                routeLoopback(farFree);
                withoutIpv6(farFree);
                ip("link", "set", farFree, "up");
                ip("route", "add", client(0) + "/32", "dev", farFree);
            }
            for (int i = 0; i <= aliases.size(); i++) {
                NetworkRule rule = i == 0 ? first : aliases.get(i - 1).rule();
                out.add(new PacketQueue(rule, main, 2L * i, "brokermeter-network-out"));
                back.add(new PacketQueue(rule, namespace, 2L * i + 1, "brokermeter-network-back"));
            }
            Thread.ofPlatform().daemon().name("brokermeter-network-read").start(() -> pump(namespace, true));
            Thread.ofPlatform().daemon().name("brokermeter-network-read").start(() -> pump(main, false));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("It was interrupted.", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException known ? known : new IOException(e.getCause());
        } catch (TimeoutException e) {
            throw new IOException("The network namespace is not ready within " + READY_SECONDS + " s.", e);
        }
    }

    /**
     * Creates the namespace and its devices, and then keeps the namespace alive: it exists as long as the thread that runs this method.
     *
     * @param pair whether packets under the first rule are to pass over a pair of devices of the kernel, where it has them
     * @param device receives the descriptor of the device in the namespace
     * @param ready receives the place of the thread below {@code /proc} when all is set up
     */
    private void live(boolean pair, CompletableFuture<Integer> device, CompletableFuture<String> ready) {
        try {
            Linux.unshareNetwork();
            Set<String> known = new HashSet<>(List.of("lo", NEAR, NEAR_FREE));
            stand(known);
            device.complete(Linux.tun(NEAR));
            free = pair && refusal("link", "add", NEAR_FREE, "type", "veth", "peer", "name", farFree, "netns",
                Long.toString(ProcessHandle.current().pid())) == null;
            // The loopback device stays down, so that 127.0.0.1 leads through the link as well.
            for (int i = free ? 1 : 0; i <= aliases.size(); i++) {
                ip("addr", "add", client(i) + "/32", "dev", NEAR);
            }
            routeLoopback(NEAR);
            withoutIpv6(NEAR);
            ip("link", "set", NEAR, "txqueuelen", QUEUE, "up");
            if (free) {
                ip("addr", "add", client(0) + "/32", "dev", NEAR_FREE);
                routeLoopback(NEAR_FREE);
                withoutIpv6(NEAR_FREE);
                ip("link", "set", NEAR_FREE, "up");
                ip("route", "add", "default", "via", gateway(), "dev", NEAR_FREE, "onlink", "src", client(0));
                ip("route", "add", "127.0.0.0/8", "via", gateway(), "dev", NEAR_FREE, "onlink", "src", client(0));
            } else {
                ip("route", "add", "default", "dev", NEAR, "src", client(0));
                ip("route", "add", "127.0.0.0/8", "dev", NEAR, "src", client(0));
            }
            for (int i = 1; i <= aliases.size(); i++) {
                ip("route", "add", text(alias(i)) + "/32", "dev", NEAR, "src", client(i));
            }
            ready.complete(Files.readSymbolicLink(Path.of("/proc/thread-self")).toString());
            while (true) {
                Thread.sleep(LOOK_MILLIS);
                standOrLater(known);
            }
        } catch (IOException | RuntimeException | InterruptedException e) {
            ready.completeExceptionally(e);
        }
    }

    /** Lets packets from and to the loopback network pass a device; by default the kernel drops them as invalid. */
    private static void routeLoopback(String device) throws IOException {
        Files.writeString(Path.of("/proc/sys/net/ipv4/conf", device, "route_localnet"), "1");
    }

    /** Turns IPv6 off for a device, which carries IPv4 alone; otherwise the kernel would give it an IPv6 address. */
    private static void withoutIpv6(String device) throws IOException {
        Path switched = Path.of("/proc/sys/net/ipv6/conf", device, "disable_ipv6");
        if (Files.exists(switched)) {
            Files.writeString(switched, "1");
        }
    }

    /**
     * Creates a device in the namespace of this thread, which stays down, for each further device of this machine that has an IPv6
     * address. Java reads the list of IPv6 devices of the process, not of the thread, so a client in the namespace that enumerates the
     * devices, as RocketMQ's does, looks them up in the namespace and fails where one is missing.
     *
     * @param known names of the devices that exist in the namespace, to which new ones are added
     */
    private static void stand(Set<String> known) throws IOException {
        if (!Files.exists(IPV6)) {
            return;
        }
        for (String line : Files.readAllLines(IPV6)) {
            String name = line.substring(line.lastIndexOf(' ') + 1);
            if (known.add(name)) {
                Linux.tun(name);
            }
        }
    }

    /** Calls {@link #stand} and ignores a failure: a missing device affects few clients, but the namespace would end with this thread. */
    private static void standOrLater(Set<String> known) {
        try {
            stand(known);
        } catch (IOException | RuntimeException e) {
            // a client that needs the device reports it
        }
    }

    /** Runs the command {@code ip}; its error output is part of the exception's message. */
    static void ip(String... words) throws IOException {
        String refusal = refusal(words);
        if (refusal != null) {
            throw new IOException("ip " + String.join(" ", words) + ": " + refusal);
        }
    }

    private static @Nullable String refusal(String... words) throws IOException {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(words));
        return Program.refusal(command);
    }

    /** Returns the address of the gateway for packets that do not pass this process. */
    private String gateway() {
        return FreeSubnet.address(net, GATEWAY);
    }

    private String client(int rule) {
        return FreeSubnet.address(net, FIRST_CLIENT + rule);
    }

    /** Returns the address by which clients reach the server of an alias, 198.19.N.{@code number}; numbers begin with 1. */
    private int alias(int number) {
        return (198 << 24) | (19 << 16) | (net << 8) | number;
    }

    static String text(int address) {
        return (address >>> 24) + "." + (address >>> 16 & 0xFF) + "." + (address >>> 8 & 0xFF) + "." + (address & 0xFF);
    }

    static int address(String text) throws IOException {
        return ByteBuffer.wrap(InetAddress.getByName(text).getAddress()).getInt();
    }

    /** Returns the place of the namespace's thread below {@code /proc}: {@code PID/task/TID}. */
    String namespace() {
        return thread;
    }

    /** Returns the addresses of the aliases, in their order. */
    List<String> names() {
        List<String> all = new ArrayList<>();
        for (int i = 1; i <= aliases.size(); i++) {
            all.add(text(alias(i)));
        }
        return all;
    }

    /** Returns three numbers of packets: passed, lost by the rule, and dropped because a queue was full or a device did not take them. */
    long[] counts() {
        long[] counts = new long[3];
        for (List<PacketQueue> direction : List.of(out, back)) {
            for (PacketQueue queue : direction) {
                counts[0] += queue.passed();
                counts[1] += queue.lost();
                counts[2] += queue.dropped();
            }
        }
        return counts;
    }

    private void pump(int from, boolean isOut) {
        Linux.lowerTimerSlack();
        MemorySegment packet = Arena.global().allocate(BUFFER);
        List<PacketQueue> wires = isOut ? out : back;
        int clients = (198 << 24) | (18 << 16) | (net << 8);
        MemorySegment reasons = Linux.reasons();
        while (true) {
            int length;
            try {
                length = Linux.read(from, packet, BUFFER, reasons);
            } catch (IOException e) {
                ended.accept("The link's device " + (isOut ? "where clients are" : "where servers are") + " cannot be read any more: "
                    + e.getMessage() + ".");
                return;
            }
            if (!Packets.isIpv4(packet, length)) {
                continue;
            }
            int client = Packets.address(packet, isOut ? Packets.SOURCE : Packets.DESTINATION);
            int rule = (client & 0xFF) - FIRST_CLIENT;
            if ((client & ~0xFF) != clients || rule < 0 || rule >= wires.size()) {
                continue;
            }
            if (rule > 0) {
                Packets.replace(packet, length, isOut ? Packets.DESTINATION : Packets.SOURCE,
                    isOut ? aliases.get(rule - 1).server() : alias(rule));
            }
            wires.get(rule).bring(packet, length);
        }
    }
}
