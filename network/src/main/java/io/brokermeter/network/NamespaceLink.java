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
 * A link of two devices: one in a network namespace of its own, where clients are, one in the network of this machine, where servers
 * are. Whatever a client there connects to, its packets come by here, 127.0.0.1 included. TCP is from end to end. Devices and namespace
 * go with the process.
 *
 * <p>Clients have an address for each rule, by which the link knows the rule of a packet. The rule of the first one holds for every server; each other
 * one has a name of its own for a server, an alias, which becomes the server's address on the way.
 *
 * <p>When the first rule is none, what it holds for passes over a pair of devices of the kernel's own (veth), where it has
 * them, in place of this process, which would add the time of two wake-ups to each round trip; these packets are not counted.
 */
final class NamespaceLink {

    private static final String NEAR = "bm0";
    /** The end of the kernel's pair in the namespace. */
    private static final String NEAR_FREE = "bm1";
    /** Packets that a device keeps until they are read. */
    private static final String QUEUE = "10000";
    private static final Path IPV6 = Path.of("/proc/self/net/if_inet6");
    /** How often it is looked for devices that came later. */
    private static final long LOOK_MILLIS = 500;
    private static final int FIRST_CLIENT = 2;
    /** Behind those of all clients. */
    private static final int GATEWAY = 254;
    private static final int MOST_RULES = 200;
    private static final int BUFFER = 4_096;
    private static final long READY_SECONDS = 20;

    /**
     * A rule with a name for one server.
     *
     * @param server its address, IPv4
     */
    record Alias(NetworkRule rule, int server) {}

    private final int net;
    private final List<Alias> aliases;
    private final Consumer<String> ended;
    private final List<PacketQueue> out = new ArrayList<>();
    private final List<PacketQueue> back = new ArrayList<>();
    /** Whether the kernel's pair is there; written before the namespace is ready. */
    private boolean free;
    private final String farFree = "bmv" + ProcessHandle.current().pid();
    private final String thread;

    /**
     * Makes it.
     *
     * @param first holds for every server that is not reached by an alias
     * @param ended called with a sentence when a device of it is gone, by the thread that reads there; nothing passes that way any more
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
     * The thread whose namespace it is: as long as it lives, that does.
     *
     * @param pair whether the kernel is to hand over what the first rule holds for, where it can
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

    /** Packets from or to the loopback network may pass this device: without that the kernel takes them for strays. */
    private static void routeLoopback(String device) throws IOException {
        Files.writeString(Path.of("/proc/sys/net/ipv4/conf", device, "route_localnet"), "1");
    }

    /** It carries IPv4 alone, and the kernel would give it an address of its own. */
    private static void withoutIpv6(String device) throws IOException {
        Path switched = Path.of("/proc/sys/net/ipv6/conf", device, "disable_ipv6");
        if (Files.exists(switched)) {
            Files.writeString(switched, "1");
        }
    }

    /**
     * Gives the namespace of this thread a device of its own, which stays down, for each other one of this machine that has an address
     * of IPv6. Java reads these of the process, not of the thread, so a client in the namespace that asks for the machine's devices, as
     * RocketMQ's does, asks for them there, too, and fails where one is missing.
     *
     * @param known those that are there, to which new ones are added
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

    /** One that cannot be made concerns few clients; without this thread the namespace would go. */
    private static void standOrLater(Set<String> known) {
        try {
            stand(known);
        } catch (IOException | RuntimeException e) {
            // the clients that need it say so
        }
    }

    /** The command {@code ip}, whose refusal is the exception's sentence. */
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

    /** Where what needs not pass this process goes. */
    private String gateway() {
        return FreeSubnet.address(net, GATEWAY);
    }

    private String client(int rule) {
        return FreeSubnet.address(net, FIRST_CLIENT + rule);
    }

    /** The name of an alias, from 1. */
    private int alias(int number) {
        return (198 << 24) | (19 << 16) | (net << 8) | number;
    }

    static String text(int address) {
        return (address >>> 24) + "." + (address >>> 16 & 0xFF) + "." + (address >>> 8 & 0xFF) + "." + (address & 0xFF);
    }

    static int address(String text) throws IOException {
        return ByteBuffer.wrap(InetAddress.getByName(text).getAddress()).getInt();
    }

    /** Where the namespace is: {@code PID/task/TID} below {@code /proc}. */
    String namespace() {
        return thread;
    }

    /** The addresses of the aliases, in their order. */
    List<String> names() {
        List<String> all = new ArrayList<>();
        for (int i = 1; i <= aliases.size(); i++) {
            all.add(text(alias(i)));
        }
        return all;
    }

    /** Packets that passed, that were lost by rule, and that no queue had room for. */
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
