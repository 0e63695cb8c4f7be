package io.brokermeter.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@Tag("slow")
class NetworkProcessTest {

    @Test
    void aProcessOfItsOwnDoesWhatAProxyDoes() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                NetworkProcess network = NetworkProcess.start()) {
            NetworkPath path = network.proxy("127.0.0.1", server.getLocalPort(), NetworkRule.parse("rtt=20ms"));
            assertThat(network.pid()).isNotEqualTo(ProcessHandle.current().pid());
            long begun = System.nanoTime();
            try (Socket client = new Socket(path.address().getAddress(), path.address().getPort()); Socket served = server.accept()) {
                client.getOutputStream().write(5);
                assertThat(served.getInputStream().read()).isEqualTo(5);
                assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(30_000_000);
                assertThat(path.connections()).isEqualTo(1);
                path.blackHole(true);
                path.rule(NetworkRule.NONE);
                client.getOutputStream().write(6);
                path.heal();
                assertThat(served.getInputStream().read()).isEqualTo(6);
                path.reset();
                assertThatThrownBy(() -> client.getInputStream().read()).isInstanceOf(SocketException.class);
                path.cut();
            }
            assertThat(network.cpu()).isPositive();
            assertThatThrownBy(() -> network.proxy("127.0.0.1", 1, NetworkRule.parse("loss=1%")))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("loss needs a link");
            assertThatThrownBy(() -> network.proxy("no host", 1, NetworkRule.NONE)).isInstanceOf(IOException.class)
                .hasMessageContaining("no host");
            path.close();
            assertThatThrownBy(() -> new Socket(path.address().getAddress(), path.address().getPort()).close())
                .isInstanceOf(IOException.class);
            ProcessHandle.of(network.pid()).orElseThrow().destroyForcibly();
            assertThatThrownBy(() -> network.proxy("127.0.0.1", 1, NetworkRule.NONE)).isInstanceOf(IOException.class)
                .hasMessageContaining("has ended");
        }
    }

    /**
     * The receive buffer has 65,536 bytes. The kernel allocates twice this memory, and advertises the part of it that it estimates to be
     * available for data. The assertions also hold on a busy machine: a late process or test cannot put more bytes in flight, and the loop
     * runs until one stretch reaches the permitted throughput.
     */
    @Test
    @EnabledOnOs(OS.LINUX)
    void noMoreIsInFlightThanAReceiverWithASmallBufferAdvertises() throws Exception {
        long roundTrip = 40_000_000;
        int buffer = 65_536;
        try (ServerSocket server = new ServerSocket(); NetworkProcess network = NetworkProcess.start()) {
            server.setReceiveBufferSize(buffer);
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            assertThat(network.keepsWindows()).isTrue();
            NetworkPath path = network.proxy("127.0.0.1", server.getLocalPort(), NetworkRule.parse("rtt=40ms"));
            try (Socket client = new Socket(path.address().getAddress(), path.address().getPort()); Socket served = server.accept()) {
                Thread.ofVirtual().start(() -> writeUntilItEnds(client));
                InputStream in = served.getInputStream();
                byte[] bytes = new byte[1 << 20];
                in.readNBytes(1);
                long begun = System.nanoTime();
                long all = 0;
                double best = 0;
                while (best < 0.8 * buffer) {
                    long from = System.nanoTime();
                    long stretch = 0;
                    while (System.nanoTime() - from < 5 * roundTrip) {
                        stretch += in.read(bytes);
                    }
                    best = Math.max(best, (double) stretch * roundTrip / (System.nanoTime() - from));
                    all += stretch;
                    // One window was in flight at the first byte, and another one can follow in each round trip.
                    double rounds = 1 + (double) (System.nanoTime() - begun) / roundTrip;
                    assertThat((double) all).isLessThanOrEqualTo(2.0 * buffer * rounds);
                }
            }
        }
    }

    /** The receiver's kernel enlarges an automatic receive buffer, so that the window does not limit the throughput for long. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aReceiverWhoseBufferGrowsGetsMore() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                NetworkProcess network = NetworkProcess.start()) {
            NetworkPath path = network.proxy("127.0.0.1", server.getLocalPort(), NetworkRule.parse("rtt=40ms"));
            try (Socket client = new Socket(path.address().getAddress(), path.address().getPort()); Socket served = server.accept()) {
                Thread.ofVirtual().start(() -> writeUntilItEnds(client));
                InputStream in = served.getInputStream();
                byte[] bytes = new byte[1 << 20];
                long inOneRoundTrip = 0;
                while (inOneRoundTrip < 1 << 20) {
                    long from = System.nanoTime();
                    inOneRoundTrip = 0;
                    while (System.nanoTime() - from < 40_000_000) {
                        inOneRoundTrip += in.read(bytes);
                    }
                }
            }
        }
    }

    /** The window that a receiver advertised during one delay must not limit the next one. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aSecondDelayOfAConnectionIsAsLongAsTheFirst() throws Exception {
        long oneWay = 3_000_000_000L;
        NetworkRule delay = NetworkRule.rtt(Duration.ofNanos(2 * oneWay));
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                NetworkProcess network = NetworkProcess.start()) {
            NetworkPath path = network.proxy("127.0.0.1", server.getLocalPort(), NetworkRule.NONE);
            try (Socket client = new Socket(path.address().getAddress(), path.address().getPort()); Socket served = server.accept()) {
                path.rule(delay);
                long first = System.nanoTime();
                path.rule(NetworkRule.NONE);
                passed(8 << 20, client, served);
                while (System.nanoTime() - first < oneWay) {
                    Thread.sleep(10);
                }
                long took = Long.MAX_VALUE;
                // Repeated, since a stall of the machine makes a single measurement too long; a delay that lasts twice its time makes each
                // one too long.
                for (int again = 0; again < 10 && took > oneWay * 19 / 10; again++) {
                    path.rule(delay);
                    long begun = System.nanoTime();
                    passed(1, client, served);
                    took = System.nanoTime() - begun;
                    assertThat(took).isGreaterThanOrEqualTo(oneWay);
                    path.rule(NetworkRule.NONE);
                }
                assertThat(took).isLessThanOrEqualTo(oneWay * 19 / 10);
            }
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void afterADelayAConnectionWhoseReceiverTakesNothingHoldsUpNoOtherAndNoCommand() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                NetworkProcess network = NetworkProcess.start()) {
            NetworkPath path = network.proxy("127.0.0.1", server.getLocalPort(), NetworkRule.NONE);
            try (Socket client = new Socket(path.address().getAddress(), path.address().getPort()); Socket served = server.accept();
                    Socket other = new Socket(path.address().getAddress(), path.address().getPort());
                    Socket otherServed = server.accept()) {
                path.rule(NetworkRule.rtt(Duration.ofMillis(20)));
                passed(1, client, served);
                path.rule(NetworkRule.NONE);
                Thread blocked = Thread.ofPlatform().daemon().start(() -> writeUntilItEnds(client));
                // The thread has filled all buffers on the way once it stays blocked in a write.
                for (int same = 0; same < 20; Thread.sleep(20)) {
                    same = blocked.getState() == Thread.State.RUNNABLE && served.getInputStream().available() > 0 ? same + 1 : 0;
                }
                otherServed.setSoTimeout(60_000);
                passed(1, other, otherServed);
                path.cut();
                assertThat(path.connections()).isZero();
            }
        }
    }

    /** Sends bytes from one end to the other, and waits until all of them are received. */
    private static void passed(int bytes, Socket from, Socket to) throws Exception {
        CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> {
            try {
                from.getOutputStream().write(new byte[bytes]);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        assertThat(to.getInputStream().readNBytes(bytes)).hasSize(bytes);
        sending.get();
    }

    private static void signal(String name, NetworkProcess network) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(network.pid())).start().waitFor()).isZero();
    }

    /** A stopped process answers no request. Neither the query of its CPU time nor its end waits for an answer. */
    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void oneThatStandsStillIsEndedThoughSomebodyWaitsForItsAnswer() throws Exception {
        try (NetworkProcess network = NetworkProcess.start()) {
            stop(network);
            CompletableFuture<String> answer = new CompletableFuture<>();
            Thread asks = Thread.ofPlatform().daemon().start(() -> {
                try {
                    answer.complete(network.proxy("127.0.0.1", 1, NetworkRule.NONE).toString());
                } catch (IOException e) {
                    answer.complete(String.valueOf(e.getMessage()));
                }
            });
            while (asks.getState() == Thread.State.NEW || asks.getState() == Thread.State.RUNNABLE && !answer.isDone()) {
                Thread.sleep(10);
            }
            assertThat(answer).isNotDone();
            assertThat(network.cpu()).isNotNull();
            network.close();
            // On a busy machine the process may still be alive when close has returned.
            for (long end = System.nanoTime() + 60_000_000_000L; network.isAlive() && System.nanoTime() < end;) {
                Thread.sleep(10);
            }
            assertThat(network.isAlive()).isFalse();
            assertThat(answer.get()).isEqualTo("The process that hands over what passes the network has ended.");
        }
    }

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void oneThatDoesNotAnswerInTimeIsEndedAndSaid() throws Exception {
        try (NetworkProcess network = NetworkProcess.start()) {
            stop(network);
            assertThatThrownBy(() -> network.ask(Duration.ofMillis(100), "ready")).isInstanceOf(IOException.class)
                .hasMessage("The process that hands over what passes the network did not answer within 0.1 s, and was ended.");
            assertThatThrownBy(() -> network.ask("ready")).isInstanceOf(IOException.class).hasMessageContaining("has ended");
            assertThatThrownBy(() -> network.ask("ready")).isInstanceOf(IOException.class).hasMessageContaining("has ended");
        }
    }

    /**
     * Stops the process, and waits until it is stopped: each of its threads stops when it is next scheduled, so that the process may still
     * answer after the signal was sent.
     */
    private static void stop(NetworkProcess network) throws Exception {
        signal("STOP", network);
        String state;
        do {
            Process ps = new ProcessBuilder("ps", "-o", "state=", "-p", Long.toString(network.pid())).start();
            state = new String(ps.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
        } while (!state.startsWith("T"));
    }

    private static void writeUntilItEnds(Socket client) {
        try {
            while (true) {
                client.getOutputStream().write(new byte[65_536]);
            }
        } catch (IOException e) {
            // the connection is closed
        }
    }
}
