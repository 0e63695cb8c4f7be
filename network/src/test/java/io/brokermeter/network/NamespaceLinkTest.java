package io.brokermeter.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of a link of two devices; skipped where this process may not create one. */
@Tag("slow")
class NamespaceLinkTest {

    private static final long MILLI = 1_000_000;
    /**
     * The most by which a round trip may be too short, in nanoseconds: the arrival of each of its two packets is estimated to be earlier
     * by the lateness of threads, which is at most 250 us.
     */
    private static final long EARLY = 500_000;

    private NetworkProcess network;
    private ServerSocket server;

    @BeforeEach
    void start() throws IOException {
        assumeTrue(Namespace.missing() == null, Namespace.missing());
        network = NetworkProcess.start();
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void end() throws IOException {
        if (network != null) {
            network.close();
            server.close();
        }
    }

    /** Executes a task on a thread that is in the namespace, and returns its result. */
    private static <T> T in(Namespace namespace, Callable<T> what) throws Exception {
        FutureTask<T> task = new FutureTask<>(() -> {
            try (Namespace.Stay _ = namespace.enter()) {
                return what.call();
            }
        });
        Thread.ofPlatform().daemon().start(task);
        return task.get(150, TimeUnit.SECONDS);
    }

    private Socket connect(String host) throws IOException {
        Socket client = new Socket();
        client.setTcpNoDelay(true);
        client.connect(new InetSocketAddress(host, server.getLocalPort()), 60_000);
        return client;
    }

    /** The RocketMQ client lists all devices before it connects. */
    @Test
    void devicesCanBeListedInTheNamespace() throws Exception {
        Namespace namespace = network.link(NetworkRule.parse("rtt=1ms"), List.of());
        List<String> up = in(namespace, () -> {
            List<String> names = new ArrayList<>();
            for (NetworkInterface device : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                if (isUp(device) && !device.isLoopback()) {
                    names.add(device.getName());
                }
            }
            return names;
        });
        assertThat(up).hasSize(1);
    }

    /**
     * Returns whether a device is up. A device that another test creates or removes meanwhile may be listed just before it exists or after
     * its end, and counts as down.
     */
    private static boolean isUp(NetworkInterface device) {
        try {
            return device.isUp();
        } catch (SocketException e) {
            return false;
        }
    }

    @Test
    void devicesThatComeLaterCanBeListedInTheNamespace() throws Exception {
        Namespace namespace = network.link(NetworkRule.parse("rtt=1ms"), List.of());
        String name = "bmt" + ProcessHandle.current().pid();
        int device = Linux.tun(name);
        try {
            assertThat(Program.refusal(List.of("ip", "link", "set", name, "up"))).isNull();
            assumeTrue(Files.readString(Path.of("/proc/self/net/if_inet6")).contains(name), "devices have no addresses of IPv6 here");
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (!in(namespace, () -> Files.readString(Path.of("/proc/thread-self/net/dev"))).contains(name)
                && System.nanoTime() < deadline) {
                Thread.sleep(50);
            }
            assertThat(in(namespace, () -> NetworkInterface.getByName(name).isUp())).isFalse();
        } finally {
            Linux.close(device);
        }
    }

    /** Otherwise no packet would pass any more, and the reason would not be known. */
    @Test
    void aDeviceThatIsGoneEndsTheProcess() throws Exception {
        network.link(NetworkRule.parse("rtt=1ms"), List.of());
        assertThat(Program.refusal(List.of("ip", "link", "del", "bm" + network.pid()))).isNull();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!network.isLost() && System.nanoTime() < deadline) {
            Thread.sleep(10);
        }
        assertThat(network.isLost()).isTrue();
    }

    private long roundTrip(String host) throws IOException {
        CompletableFuture<Void> echo = Echo.on(server);
        long begun = System.nanoTime();
        try (Socket client = connect(host)) {
            long connected = System.nanoTime() - begun;
            long least = Long.MAX_VALUE;
            for (int i = 0; i < 20; i++) {
                long sent = System.nanoTime();
                client.getOutputStream().write(i);
                assertThat(client.getInputStream().read()).isEqualTo(i);
                least = Math.min(least, System.nanoTime() - sent);
            }
            client.shutdownOutput();
            echo.join();
            return Math.min(least, connected);
        }
    }

    @Test
    void connectingAndEveryRoundTripTakeTheWholeTime() throws Exception {
        Namespace namespace = network.link(NetworkRule.parse("rtt=20ms"), List.of());
        assertThat(in(namespace, () -> roundTrip("127.0.0.1"))).isGreaterThanOrEqualTo(20 * MILLI - EARLY);
        assertThat(namespace.packets()[0]).isGreaterThan(40);
        long passed = namespace.packets()[0];
        roundTrip("127.0.0.1");
        assertThat(namespace.packets()[0]).as("this thread is elsewhere").isLessThan(passed + 40);
    }

    @Test
    void anAliasHasARuleOfItsOwnAndTheServerSeesNothingOfIt() throws Exception {
        Namespace namespace = network.link(NetworkRule.NONE, List.of(new NetworkProcess.Alias(NetworkRule.parse("rtt=10ms"), "127.0.0.1"),
            new NetworkProcess.Alias(NetworkRule.parse("rtt=40ms"), "127.0.0.1")));
        assertThat(namespace.aliases()).hasSize(2);
        assertThat(in(namespace, () -> roundTrip("127.0.0.1"))).isPositive();
        assertThat(namespace.packets()[0]).as("what no rule holds for does not pass the process").isZero();
        assertThat(in(namespace, () -> roundTrip(namespace.aliases().get(0)))).isGreaterThanOrEqualTo(10 * MILLI - EARLY);
        assertThat(in(namespace, () -> roundTrip(namespace.aliases().get(1)))).isGreaterThanOrEqualTo(40 * MILLI - EARLY);
        assertThat(namespace.packets()[0]).isPositive();
        transfer(namespace, 1_000_000);
        Set<Integer> ports = Set.of(server.getLocalPort());
        try (Socket through = in(namespace, () -> connect("127.0.0.1")); Socket around = connect("127.0.0.1")) {
            assertThat(through.isConnected() && around.isConnected()).isTrue();
            assertThat(Namespace.strays(ports)).isEqualTo(1);
        }
    }

    @Test
    void aConnectionThatLeadsAroundItIsFound() throws Exception {
        Namespace namespace = network.link(NetworkRule.parse("rtt=1ms"), List.of());
        Set<Integer> ports = Set.of(server.getLocalPort());
        Socket through = in(namespace, () -> connect("127.0.0.1"));
        assertThat(Namespace.strays(ports)).isZero();
        Socket around = connect("127.0.0.1");
        assertThat(Namespace.strays(ports)).isEqualTo(1);
        through.close();
        around.close();
    }

    /** Sends bytes from the namespace, checks that they arrive unchanged, and returns the time that this took, in nanoseconds. */
    private long transfer(Namespace namespace, int bytes) throws Exception {
        byte[] sent = new byte[bytes];
        new Random(bytes).nextBytes(sent);
        CompletableFuture<byte[]> received = CompletableFuture.supplyAsync(() -> {
            try (Socket socket = server.accept(); InputStream in = socket.getInputStream()) {
                return in.readAllBytes();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }, task -> Thread.ofPlatform().daemon().start(task));
        long begun = System.nanoTime();
        in(namespace, () -> {
            try (Socket client = connect("127.0.0.1")) {
                client.getOutputStream().write(sent);
            }
            return true;
        });
        assertThat(Arrays.equals(received.get(150, TimeUnit.SECONDS), sent)).isTrue();
        return System.nanoTime() - begun;
    }

    @Test
    void lostPacketsComeAgainAndAreCounted() throws Exception {
        Namespace namespace = network.link(NetworkRule.parse("rtt=2ms jitter=1ms loss=5%"), List.of());
        transfer(namespace, 1_000_000);
        long[] packets = namespace.packets();
        assertThat(packets[1]).as("lost of %d", packets[0]).isGreaterThan(5);
        assertThat(packets[2]).as("dropped").isZero();
    }

    @Test
    void aLineCarriesNoMoreThanItsBandwidth() throws Exception {
        Namespace namespace = network.link(NetworkRule.parse("rtt=2ms bandwidth=40Mbit"), List.of());
        assertThat(transfer(namespace, 1_000_000)).isGreaterThan(200 * MILLI);
    }

    @Test
    void aReceiversBufferLimitsWhatIsInFlight() throws Exception {
        server.close();
        server = new ServerSocket();
        server.setReceiveBufferSize(65_536);
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Namespace namespace = network.link(NetworkRule.parse("rtt=20ms"), List.of());
        // A round trip carries at most the receive buffer of 65,536 bytes, which the kernel doubles for its own use.
        assertThat(transfer(namespace, 2_000_000)).isGreaterThan(20 * MILLI * (2_000_000 / 131_072));
    }

    @ParameterizedTest
    @CsvSource({"rtt=1ms,bm", "none,bmv"})
    void nothingIsLeftOfItAfterAKill(String rule, String prefix) throws Exception {
        Namespace namespace = network.link(NetworkRule.parse(rule), List.of());
        String device = prefix + network.pid();
        assertThat(NetworkInterface.getByName(device)).isNotNull();
        assertThatThrownBy(() -> network.link(NetworkRule.NONE, List.of())).isInstanceOf(IOException.class);
        ProcessHandle.of(network.pid()).orElseThrow().destroyForcibly();
        // The kernel removes the device from its list first, and the settings of the device a moment later.
        Path settings = Path.of("/proc/sys/net/ipv4/conf", device);
        for (long end = System.nanoTime() + 60_000 * MILLI; NetworkInterface.getByName(device) != null || Files.exists(settings);
            Thread.sleep(10)) {
            assertThat(System.nanoTime()).isLessThan(end);
        }
        assertThat(namespace.packets()).as("not known any more, which is not none").containsOnly(-1);
        assertThatThrownBy(() -> in(namespace, () -> true)).hasCauseInstanceOf(IOException.class);
    }

    /** Guards against two processes that find the same network free and both use it, so that the kernel refuses the routes of one. */
    @Test
    void noTwoLinksThatBeginAtOnceHaveTheSameNetwork() throws Exception {
        try (ExecutorService both = Executors.newFixedThreadPool(2)) {
            for (int round = 0; round < 20; round++) {
                try (Device one = new Device("bmt"); Device other = new Device("bmu")) {
                    CyclicBarrier begin = new CyclicBarrier(2);
                    List<Future<Integer>> nets = new ArrayList<>();
                    for (Device device : List.of(one, other)) {
                        var first = new AtomicBoolean(true);
                        nets.add(both.submit(() -> {
                            begin.await();
                            return FreeSubnet.claim(device.name,
                                () -> first.getAndSet(false) ? 254 : ThreadLocalRandom.current().nextInt(250));
                        }));
                    }
                    List<Integer> found = List.of(nets.get(0).get(120, TimeUnit.SECONDS), nets.get(1).get(120, TimeUnit.SECONDS));
                    assertThat(found).as("in round " + round).doesNotHaveDuplicates();
                }
            }
        }
    }

    /** The device of a link whose process has ended remains, with its address in the network, until the kernel has removed it. */
    @Test
    void noLinkBeginsInTheNetworkOfOneThatHasNotGoneYet() throws Exception {
        try (Device own = new Device("bmt"); Device left = new Device("bmu")) {
            NamespaceLink.ip("addr", "add", FreeSubnet.address(254, 254) + "/32", "dev", left.name);
            var tried = new ArrayList<Integer>();
            int net = FreeSubnet.claim(own.name, () -> {
                tried.add(tried.isEmpty() ? 254 : ThreadLocalRandom.current().nextInt(250));
                return tried.getLast();
            });
            assertThat(net).isNotEqualTo(254).isEqualTo(tried.getLast());
        }
    }

    /** A device of this machine that exists until it is closed. */
    private static final class Device implements AutoCloseable {

        final String name;

        Device(String prefix) throws IOException {
            name = prefix + ProcessHandle.current().pid();
            NamespaceLink.ip("tuntap", "add", "dev", name, "mode", "tun");
        }

        @Override
        public void close() throws IOException {
            NamespaceLink.ip("tuntap", "del", "dev", name, "mode", "tun");
        }
    }

    @Test
    void onlyServersOfThisMachineCanBeBehindIt() {
        assertThat(Namespace.local("localhost")).isEqualTo("127.0.0.1");
        assertThat(Namespace.local("192.0.2.1")).isNull();
        assertThat(Namespace.local("::1")).isNull();
    }
}
