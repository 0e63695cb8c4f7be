package io.brokermeter.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProxyTest {

    private static final int SHORT_MILLIS = 150;
    private static final long MILLI = 1_000_000;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private ServerSocket server;

    @BeforeEach
    void listen() throws IOException {
        server = keep(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable one : opened.reversed()) {
            one.close();
        }
    }

    private <T extends AutoCloseable> T keep(T one) {
        opened.add(one);
        return one;
    }

    private Proxy proxy(String rule) throws IOException {
        return keep(Proxy.open("127.0.0.1", server.getLocalPort(), NetworkRule.parse(rule)));
    }

    private Socket client(Proxy proxy) throws IOException {
        Socket client = keep(new Socket(InetAddress.getLoopbackAddress(), proxy.port()));
        client.setTcpNoDelay(true);
        return client;
    }

    private Socket accept() throws IOException {
        Socket socket = keep(server.accept());
        socket.setTcpNoDelay(true);
        return socket;
    }

    @ParameterizedTest
    @ValueSource(strings = {"rtt=10ms", "rtt=10ms jitter=4ms"})
    void nothingArrivesBeforeItsTimeAndTheOrderStays(String text) throws Exception {
        NetworkRule rule = NetworkRule.parse(text);
        long least = (rule.rtt().toNanos() - rule.jitter().toNanos()) / 2;
        Proxy proxy = proxy(text);
        Socket client = client(proxy);
        Socket served = accept();
        DataOutputStream out = new DataOutputStream(client.getOutputStream());
        DataInputStream in = new DataInputStream(served.getInputStream());
        int chunks = 200;
        CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
            try {
                for (int i = 0; i < chunks; i++) {
                    byte[] chunk = new byte[16];
                    ByteBuffer.wrap(chunk).putLong(i).putLong(System.nanoTime());
                    out.write(chunk);
                    Thread.sleep(1);
                }
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        List<Long> late = new ArrayList<>();
        for (int i = 0; i < chunks; i++) {
            assertThat(in.readLong()).isEqualTo(i);
            long sent = in.readLong();
            late.add(System.nanoTime() - sent - least);
        }
        sending.get();
        // The delay counts from the arrival of bytes, which the proxy estimates when it is woken; the estimate may be wrong by this much.
        assertThat(late).allSatisfy(nanos -> assertThat(nanos).isGreaterThan(-250_000));
    }

    @Test
    void aRoundTripTakesTheWholeAndTheFirstOneAnotherForTheHandshake() throws Exception {
        Proxy proxy = proxy("rtt=40ms");
        long begun = System.nanoTime();
        Socket client = client(proxy);
        CompletableFuture<Void> echo = Echo.on(server);
        for (int i = 1; i <= 3; i++) {
            client.getOutputStream().write(i);
            assertThat(client.getInputStream().read()).isEqualTo(i);
            assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo((i + 1) * 40 * MILLI);
        }
        client.shutdownOutput();
        assertThat(client.getInputStream().read()).isNegative();
        echo.get();
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "rtt=2ms jitter=2ms", "rtt=1ms bandwidth=800Mbit"})
    void everyByteArrivesOnceInItsOrderOnManyConnections(String rule) throws Exception {
        Proxy proxy = proxy(rule);
        int connections = 10;
        int bytes = 1_000_000;
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int c = 0; c < connections; c++) {
            all.add(Echo.on(server));
        }
        for (int c = 0; c < connections; c++) {
            Socket client = client(proxy);
            byte[] sent = new byte[bytes];
            new Random(c).nextBytes(sent);
            Random random = new Random(-c);
            all.add(CompletableFuture.runAsync(() -> {
                try {
                    for (int at = 0; at < bytes;) {
                        int n = Math.min(bytes - at, 1 + random.nextInt(100_000));
                        client.getOutputStream().write(sent, at, n);
                        at += n;
                    }
                    client.shutdownOutput();
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            }, task -> Thread.ofPlatform().daemon().start(task)));
            all.add(CompletableFuture.runAsync(() -> {
                try {
                    assertThat(Arrays.equals(client.getInputStream().readAllBytes(), sent)).isTrue();
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            }, task -> Thread.ofPlatform().daemon().start(task)));
        }
        for (CompletableFuture<?> one : all) {
            one.get(150, TimeUnit.SECONDS);
        }
        await(() -> proxy.connections() == 0);
    }

    @Test
    void noWindowOfTimeCarriesMoreThanTheBandwidth() throws Exception {
        Proxy proxy = proxy("bandwidth=16Mbit");
        Socket client = client(proxy);
        Socket served = accept();
        byte[] data = new byte[400_000];
        // Before anything is sent: if this thread stalls later, the bytes that it reads then have passed the bottleneck meanwhile.
        long begun = System.nanoTime();
        CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> write(client, data));
        InputStream in = served.getInputStream();
        byte[] buffer = new byte[65_536];
        long bytes = 0;
        while (bytes < data.length) {
            bytes += in.read(buffer);
            assertThat(bytes).as("after %d us", (System.nanoTime() - begun) / 1_000)
                .isLessThanOrEqualTo((System.nanoTime() - begun) * 2 / 1_000 + buffer.length);
        }
        sending.get();
        assertThat(System.nanoTime() - begun).isGreaterThan((data.length - buffer.length) / 2 * 1_000L);
    }

    @Test
    void twoConnectionsTogetherHaveTheBandwidthAndEachAFairPartOfIt() throws Exception {
        Proxy proxy = proxy("bandwidth=16Mbit");
        List<InputStream> ins = new ArrayList<>();
        List<Socket> clients = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            clients.add(client(proxy));
            ins.add(accept().getInputStream());
        }
        // Both connections have all their data to send when the black hole ends, and the buffers of the kernel have room for it.
        proxy.blackHole(true);
        byte[] data = new byte[200_000];
        clients.forEach(client -> write(client, data));
        long begun = System.nanoTime();
        proxy.blackHole(false);
        long[] read = new long[2];
        while (Math.max(read[0], read[1]) < 150_000) {
            for (int i = 0; i < 2; i++) {
                read[i] += ins.get(i).readNBytes(ins.get(i).available()).length;
            }
            Thread.sleep(1);
            assertThat(read[0] + read[1]).isLessThanOrEqualTo((System.nanoTime() - begun) * 2 / 1_000);
        }
        // If this thread stalled between reading from the two, more data of the first one has arrived meanwhile.
        read[0] += ins.getFirst().readNBytes(ins.getFirst().available()).length;
        assertThat(Math.min(read[0], read[1])).isGreaterThan(100_000);
    }

    private static void write(Socket socket, byte[] data) {
        try {
            socket.getOutputStream().write(data);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "rtt=1ms"})
    void aServerThatReadsNothingStopsTheClientAndLosesNothing(String rule) throws Exception {
        Proxy proxy = proxy(rule);
        Socket client = client(proxy);
        Socket served = accept();
        long all = 64L << 20;
        AtomicLong written = new AtomicLong();
        CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
            try {
                OutputStream out = client.getOutputStream();
                byte[] data = new byte[1 << 16];
                while (written.get() < all) {
                    out.write(data);
                    written.addAndGet(data.length);
                }
                client.shutdownOutput();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        for (long before = -1, same = 0; same < 10; Thread.sleep(20)) {
            same = written.get() == before && before > 0 ? same + 1 : 0;
            before = written.get();
        }
        assertThat(written.get()).isLessThan(all / 2);
        assertThat(sending).isNotDone();
        long read = 0;
        byte[] buffer = new byte[1 << 16];
        for (int n = served.getInputStream().read(buffer); n >= 0; n = served.getInputStream().read(buffer)) {
            read += n;
        }
        assertThat(read).isEqualTo(all);
        sending.get();
    }

    @Test
    void aCutEndsConnectionsAndHealLetsNewOnesIn() throws Exception {
        Proxy proxy = proxy("none");
        Socket client = client(proxy);
        Socket served = accept();
        client.getOutputStream().write(1);
        assertThat(served.getInputStream().read()).isEqualTo(1);
        proxy.cut();
        assertThat(client.getInputStream().read()).isNegative();
        assertThat(served.getInputStream().read()).isNegative();
        assertThat(proxy.connections()).isZero();
        assertThatThrownBy(() -> {
            Socket refused = client(proxy);
            if (refused.getInputStream().read() < 0) {
                throw new SocketException("end");
            }
        }).isInstanceOf(SocketException.class);
        proxy.heal();
        Socket again = client(proxy);
        Socket servedAgain = accept();
        servedAgain.getOutputStream().write(7);
        assertThat(again.getInputStream().read()).isEqualTo(7);
    }

    @Test
    void aResetBreaksWhatIsOpenAndNothingElse() throws Exception {
        Proxy proxy = proxy("rtt=1ms");
        Socket client = client(proxy);
        Socket served = accept();
        proxy.reset();
        assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
        assertThatThrownBy(() -> served.getInputStream().read()).isInstanceOf(SocketException.class);
        Socket again = client(proxy);
        again.getOutputStream().write(3);
        assertThat(accept().getInputStream().read()).isEqualTo(3);
    }

    @Test
    void aBlackHoleKeepsEverythingUntilItEnds() throws Exception {
        Proxy proxy = proxy("rtt=1ms");
        Socket client = client(proxy);
        Socket served = accept();
        client.getOutputStream().write(1);
        assertThat(served.getInputStream().read()).isEqualTo(1);
        proxy.blackHole(true);
        client.getOutputStream().write(2);
        Socket hanging = client(proxy);
        hanging.getOutputStream().write(9);
        served.setSoTimeout(SHORT_MILLIS);
        assertThatThrownBy(() -> served.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
        served.setSoTimeout(0);
        proxy.blackHole(false);
        assertThat(served.getInputStream().read()).isEqualTo(2);
        assertThat(accept().getInputStream().read()).isEqualTo(9);
        proxy.blackHole(true);
        client.getOutputStream().write(4);
        proxy.heal();
        assertThat(served.getInputStream().read()).isEqualTo(4);
    }

    @Test
    void anotherRuleHoldsForWhatIsReadThen() throws Exception {
        Proxy proxy = proxy("none");
        Socket client = client(proxy);
        Socket served = accept();
        proxy.rule(NetworkRule.parse("60ms"));
        long begun = System.nanoTime();
        client.getOutputStream().write(1);
        assertThat(served.getInputStream().read()).isEqualTo(1);
        assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(30 * MILLI);
        assertThat(proxy.rule().rtt()).isEqualTo(Duration.ofMillis(60));
    }

    @Test
    void whereNobodyListensTheClientLearnsIt() throws Exception {
        // Bound and not listening, so that no other process listens at this port either.
        Socket bound = keep(new Socket());
        bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Proxy proxy = keep(Proxy.open("127.0.0.1", bound.getLocalPort(), NetworkRule.parse("none")));
        assertThatThrownBy(() -> {
            if (client(proxy).getInputStream().read() < 0) {
                throw new SocketException("end");
            }
        }).isInstanceOf(SocketException.class);
    }

    @Test
    void aProxyCannotLosePackets() throws Exception {
        assertThatThrownBy(() -> proxy("loss=1%")).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("loss needs a link");
        Proxy proxy = proxy("none");
        assertThatThrownBy(() -> proxy.rule(NetworkRule.parse("loss=1%"))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void closingEndsConnectionsAndThePortAndMayBeRepeated() throws Exception {
        Proxy proxy = proxy("none");
        Socket client = client(proxy);
        accept();
        int port = proxy.port();
        proxy.close();
        proxy.close();
        assertThat(client.getInputStream().read()).isNegative();
        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close()).isInstanceOf(IOException.class);
        assertThatCode(proxy::cut).doesNotThrowAnyException();
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        for (long end = System.nanoTime() + 60_000 * MILLI; !condition.getAsBoolean(); Thread.sleep(5)) {
            assertThat(System.nanoTime()).isLessThan(end);
        }
    }
}
