package io.brokermeter.driver.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLSocket;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.FreePorts;
import io.brokermeter.contract.tls.CertificateAuthority;
import io.brokermeter.driver.tls.TlsNames;
import io.brokermeter.driver.tls.TlsOptions;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.ServerUrl.Server;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class DialerTest {

    /** A limit whose half exceeds a stall of the machine, since the first of two servers may use the other half. */
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofSeconds(4);

    private ServerSocket server;
    private Server listening;
    private Server deserted;

    @BeforeEach
    void listen() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        listening = new Server("127.0.0.1", server.getLocalPort());
        deserted = new Server("127.0.0.1", FreePorts.one());
    }

    @AfterEach
    void end() throws IOException {
        server.close();
    }

    @Test
    void connectsFromAnAddressOfItsOwn() throws Exception {
        var from = new CompletableFuture<String>();
        Thread.ofVirtual().start(() -> {
            try (var accepted = server.accept()) {
                from.complete(accepted.getInetAddress().getHostAddress());
            } catch (IOException e) {
                from.completeExceptionally(e);
            }
        });
        String source = Dialer.dial(List.of(listening), "127.0.0.77", LONG, null, TlsNames.OWN, "?", (_, server) -> "greeted");
        assertThat(source).isEqualTo("greeted");
        assertThat(from.get()).isEqualTo("127.0.0.77");
        assertThatThrownBy(() -> Dialer.dial(List.of(listening), "192.0.2.9", LONG, null, TlsNames.OWN, "?", (_, server) -> ""))
            .isInstanceOf(DriverException.class).hasMessageContaining("annot assign requested address");
    }

    private static String dial(List<Server> servers, Duration limit, @Nullable TlsOptions tls) throws DriverException {
        return Dialer.dial(servers, null, limit, tls, TlsNames.OWN, "does that port speak X?", (wire, connected) -> {
            wire.write(ByteBuffer.wrap(new byte[] {1}));
            var answer = ByteBuffer.allocate(1);
            if (wire.read(answer) < 0) {
                throw new EOFException();
            }
            if (answer.get(0) != 1) {
                throw new DriverException("The broker refused.", null);
            }
            return connected.toString();
        });
    }

    private void answer(int with) {
        Thread.ofVirtual().start(() -> {
            try (var socket = server.accept()) {
                socket.getInputStream().read();
                if (with >= 0) {
                    socket.getOutputStream().write(with);
                }
            } catch (IOException e) {
                // the test is over
            }
        });
    }

    @Test
    void takesTheFirstServerThatAnswers() throws Exception {
        answer(1);
        assertThat(dial(List.of(deserted, listening), LONG, null)).isEqualTo(listening.toString());
    }

    /** A host that is down or behind a firewall does not refuse a connection but leaves it unanswered. */
    @Test
    void leavesTimeForTheOtherServersWhenOneDoesNotAnswer() throws Exception {
        answer(1);
        try (var full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var waiting = new ArrayList<SocketChannel>();
            try {
                // until the system accepts no more connections for a server that does not accept any itself
                for (boolean connected = true; connected;) {
                    var channel = SocketChannel.open();
                    waiting.add(channel);
                    channel.configureBlocking(false);
                    channel.connect(full.getLocalSocketAddress());
                    connected = Await.holdsWithin(Duration.ofMillis(300), () -> finished(channel));
                    assumeTrue(waiting.size() < 100, "This system takes every connection.");
                }
                var silent = new Server("127.0.0.1", full.getLocalPort());
                assertThat(dial(List.of(silent, listening), LONG, null)).isEqualTo(listening.toString());
            } finally {
                for (var channel : waiting) {
                    channel.close();
                }
            }
        }
    }

    /** A server that stands still accepts connections all the same. */
    @Test
    void leavesTimeForTheOtherServersWhenOneAcceptsAndIsSilent() throws Exception {
        answer(1);
        try (var silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            var first = new Server("127.0.0.1", silent.getLocalPort());
            assertThat(dial(List.of(first, listening), Duration.ofSeconds(10), null)).isEqualTo(listening.toString());
        }
    }

    private static boolean finished(SocketChannel channel) {
        try {
            return channel.finishConnect();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void saysThatNobodyListens() {
        assertThatThrownBy(() -> dial(List.of(deserted), LONG, null)).isInstanceOf(DriverException.class)
            .hasMessage("Nobody listens on 127.0.0.1 port " + deserted.port() + ".");
    }

    @Test
    void ofSeveralServersTellsTheOneThatAnswered() {
        answer(2);
        assertThatThrownBy(() -> dial(List.of(deserted, listening, deserted), LONG, null)).hasMessage("The broker refused.");
    }

    @Test
    void endsWithinTheLimitThoughTheServerIsMute() {
        assertThatThrownBy(() -> dial(List.of(listening, deserted), SHORT, null)).hasMessage(
            "Something accepts connections on " + listening + " but did not answer within 2.0 s; does that port speak X?");
        assertThatThrownBy(() -> dial(List.of(listening), SHORT, TlsOptions.DEFAULT)).hasMessage("Something accepts connections on "
            + listening + " but did not answer the TLS handshake within 4.0 s; does that port speak TLS?");
    }

    @Test
    void saysThatTheServerLeftWithoutAWord() {
        answer(-1);
        assertThatThrownBy(() -> dial(List.of(listening), LONG, null)).hasMessage(
            "Something on " + listening + " closed the connection without an answer; does that port speak X?");
    }

    @Test
    void saysThatAPortSpeaksNoTls() {
        for (int with : new int[] {'x', -1}) {
            answer(with);
            answer(with);
            assertThatThrownBy(() -> dial(List.of(listening), LONG, TlsOptions.DEFAULT)).message()
                .contains(with == -1 ? "certificate of this side" : "TLS");
        }
    }

    /** Busy servers that want a certificate of the client end connections now behind and now within the handshake, without a word. */
    @Test
    void knowsAServerThatEndsTheSecondConnectionEarlier() throws Exception {
        var context = CertificateAuthority.of("somebody").server("localhost").context(null);
        Thread.ofVirtual().start(() -> {
            try (var first = server.accept()) {
                var tls = (SSLSocket) context.getSocketFactory().createSocket(first, null, first.getPort(), false);
                tls.setUseClientMode(false);
                tls.startHandshake();
                first.setSoLinger(true, 0);
            } catch (IOException e) {
                // the client says what is wrong
            }
            try (var second = server.accept()) {
                second.getInputStream().read();
                second.setSoLinger(true, 0);
            } catch (IOException e) {
                // the client says what is wrong
            }
        });
        var options = new TlsOptions(Optional.empty(), Optional.empty(), true, false, Optional.empty());
        assertThatThrownBy(() -> dial(List.of(listening), LONG, options)).isInstanceOf(DriverException.class)
            .hasMessageContaining("certificate of this side");
    }

    /** The beginning of a handshake carries the name in plain text. */
    /** By itself, the JDK sends no name without a dot. */
    @ParameterizedTest
    @ValueSource(strings = {"elsewhere.example", "onelabel"})
    void sendsTheNameOfTheServerThatItsOptionsGive(String name) throws Exception {
        var options = new TlsOptions(Optional.empty(), Optional.empty(), false, true, Optional.of(name));
        var hello = new CompletableFuture<String>();
        Thread.ofVirtual().start(() -> {
            for (int i = 0; i < 2; i++) {
                try (var socket = server.accept()) {
                    var head = socket.getInputStream().readNBytes(5);
                    var body = socket.getInputStream().readNBytes((head[3] & 0xff) << 8 | head[4] & 0xff);
                    hello.complete(new String(body, StandardCharsets.ISO_8859_1));
                } catch (IOException e) {
                    hello.completeExceptionally(e);
                }
            }
        });
        assertThatThrownBy(() -> dial(List.of(listening), LONG, options)).isInstanceOf(DriverException.class);
        assertThat(hello.get()).contains(name);
    }

    @Test
    void namesAHostThatNobodyKnows() {
        assertThatThrownBy(() -> dial(List.of(new Server("no-such-host.invalid", 1)), LONG, null))
            .isInstanceOf(DriverException.class).message().contains("no-such-host.invalid");
    }

    @Test
    void anInterruptEndsIt() {
        var thread = Thread.currentThread();
        Thread.ofVirtual().start(() -> {
            try (var socket = server.accept()) {
                socket.getInputStream().read();
                thread.interrupt();
                socket.getInputStream().read();
            } catch (IOException e) {
                // the test is over
            }
        });
        assertThatThrownBy(() -> dial(List.of(listening), LONG, null)).hasMessage("Connecting to " + listening + " was interrupted.");
        assertThat(Thread.interrupted()).isTrue();
    }
}
