package io.brokermeter.driver.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.driver.wire.Wire;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.Secret;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class NatsReaderTest {

    private static final String FINE = "INFO {\"max\":99999999999999}\r\nPING\r\nMSG a.b 1 5\r\nMSG 9\r\n"
        + "MSG a 7 $JS.ACK.s.c.1.22.333.4444.55555 0\r\n\r\nHMSG a 7 12 15\r\nNATS/1.0\r\n\r\n999\r\n-ERR '2000000000'\r\n+OK\r\nPONG\r\n"
        + "HMSG a 3 29 29\r\nNATS/1.0 503 No one there\r\n\r\n\r\nHMSG b 4 re.ply 37 39\r\nNATS/1.0\r\nx: y\r\nbrokermeter: 0aff\r\n\r\nhi\r\n";
    private static final List<String> SEEN =
        List.of("INFO {\"max\":99999999999999}", "PING ", "1 [MSG 9]", "7 $JS.ACK.s.c.1.22.333.4444.55555 []",
            "7 [999]", "ERROR '2000000000'", "OK ", "PONG ", "3 503 No one there []", "4 re.ply 0aff [hi]");

    /** Returns what is read of a text that arrives in pieces of the given length. */
    private static List<String> read(String text, int piece) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        var wire = new Wire() {

            private int at;

            @Override
            public int read(ByteBuffer into) {
                int count = Math.min(Math.min(piece, into.remaining()), bytes.length - at);
                into.put(bytes, at, count);
                at += count;
                return count == 0 ? -1 : count;
            }

            @Override
            public void write(ByteBuffer from) {}

            @Override
            public void end() {}

            @Override
            public void close() {}
        };
        var reader = new NatsReader();
        List<String> seen = new ArrayList<>();
        while (true) {
            try {
                reader.await(wire);
            } catch (EOFException e) {
                return seen;
            }
            if (reader.kind() != NatsReader.Kind.MESSAGE) {
                seen.add(reader.kind() + " " + reader.text());
                continue;
            }
            ByteBuffer envelope = reader.envelope();
            String reply = reader.text(reader.replyFrom(), reader.replyTo());
            seen.add(reader.subscription() + (reply.isEmpty() ? "" : " " + reply)
                + (envelope == null ? "" : " " + HexFormat.of().formatHex(envelope.array(), 0, envelope.limit()))
                + (reader.status() == 0 ? "" : " " + reader.status() + " " + reader.statusText())
                + " [" + StandardCharsets.US_ASCII.decode(reader.body()) + "]");
        }
    }

    @Test
    void followsTheLinesWhereverTheyAreCut() throws IOException {
        for (int piece = 1; piece < FINE.length() + 1; piece++) {
            int length = piece;
            assertThat(read(FINE, length)).as("pieces of %d", piece).isEqualTo(SEEN);
            for (String bad : new String[] {"MSG a 1 2000000000\r\n", "MSG a 1 r 134217729\r\n",
                "HMSG a 1 12 99999999999999999999999\r\n"}) {
                assertThatThrownBy(() -> read(FINE + bad, length)).as("pieces of %d", piece).isInstanceOf(IOException.class)
                    .hasMessageContaining("announced");
            }
        }
    }

    @Test
    void mistakesNoBodyForALine() throws IOException {
        var random = new Random(5);
        for (int round = 0; round < 200; round++) {
            int size = random.nextInt(300);
            String body = "MSG a 1 2000000000\r\n".repeat(20).substring(0, size);
            String text = ("MSG a 1 " + size + "\r\n" + body + "\r\n").repeat(5) + "PING\r\n";
            int piece = 1 + random.nextInt(50);
            assertThat(read(text, piece)).hasSize(6).endsWith("1 [" + body + "]", "PING ");
        }
    }

    @ParameterizedTest
    @ValueSource(
        strings = {"MSG a\r\n", "MSG a b 1\r\n", "MSG a 1 b 1 2\r\n", "HMSG a 1 9 4\r\n", "MSG a 1 -1\r\n", "\r\n", "HTTP/1.1 400\r\n",
            "220 smtp\r\n"})
    void refusesWhatIsNoLine(String line) {
        assertThatThrownBy(() -> read(line, 100)).isInstanceOf(IOException.class).hasMessageContaining("the NATS server");
    }

    @Test
    void refusesALineWithoutAnEnd() {
        assertThatThrownBy(() -> read("INFO " + "x".repeat(2_000_000), 65_536)).isInstanceOf(IOException.class)
            .hasMessageContaining("line");
    }

    /** The reaction of a server to a text that it has received from a client. */
    private interface Answer {

        void to(Socket socket, String text) throws IOException;
    }

    private static void write(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Sends the greeting to every client and answers it, until the server is closed. */
    private static void serve(ServerSocket server, Answer answer) {
        Thread.ofVirtual().start(() -> {
            while (true) {
                try {
                    var socket = server.accept();
                    Thread.ofVirtual().start(() -> {
                        try (socket) {
                            write(socket, "INFO {\"server_id\":\"X\",\"version\":\"2.10.0\",\"proto\":1,\"host\":\"127.0.0.1\",\"port\":1,"
                                + "\"headers\":true,\"max_payload\":1048576}\r\n");
                            var in = socket.getInputStream();
                            var said = new byte[4096];
                            for (int read = in.read(said); read >= 0; read = in.read(said)) {
                                answer.to(socket, new String(said, 0, read, StandardCharsets.US_ASCII));
                            }
                        } catch (IOException e) {
                            // the test is over
                        }
                    });
                } catch (IOException e) {
                    return;
                }
            }
        });
    }

    /** A server that closes the connection with unread bytes, as after a refused login, sends a reset instead of the end of the stream. */
    @Test
    void aServerThatResetsTheConnectionIsWaitedForNoLonger() throws Exception {
        try (var server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            serve(server, (socket, text) -> {
                socket.setSoLinger(true, 0);
                socket.close();
            });
            assertThatThrownBy(() -> new NatsDriver().connect(new ConnectionSettings("nats://127.0.0.1:" + server.getLocalPort(), null,
                null, null, Duration.ofSeconds(240)), new ConnectionLog())).isInstanceOf(DriverException.class)
                .hasMessageContaining("does not take the connection");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"2000000000", "9999999999"})
    void losesAConnectionOverWhichNobodyCouldHoldWhatIsAnnounced(String length) throws Exception {
        try (var server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            serve(server, (socket, text) -> {
                if (text.contains("SUB")) {
                    write(socket, "MSG a 1 " + length + "\r\nfew");
                } else if (text.contains("PING")) {
                    write(socket, "PONG\r\n");
                }
            });
            var log = new ConnectionLog();
            try (var connection = connect(server, log)) {
                assertThatThrownBy(() -> connection.consumer(Destination.parse("queue://a"), ConsumerSettings.DEFAULT, new Deliveries()));
                Await.until(() -> !log.losses().isEmpty(), () -> "it went unheard");
                assertThat(log.losses().getFirst().getMessage()).contains("announced").contains(length);
            }
        }
    }

    @Test
    void aConnectionThatIsLostAtAnyMomentOfASubscriptionIsNoSubscription() throws Exception {
        var delay = new AtomicLong();
        try (var server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            serve(server, (socket, text) -> {
                // only the PING that follows CONNECT is answered, a later one is not
                if (text.contains("CONNECT")) {
                    write(socket, "PONG\r\n");
                    LockSupport.parkNanos(delay.get());
                    write(socket, "MSG a 1 2000000000\r\nfew");
                }
            });
            for (int round = 0; round < 100; round++) {
                delay.set(round * 10_000L);
                var log = new ConnectionLog();
                try (var connection = connect(server, log)) {
                    assertThatThrownBy(
                        () -> connection.consumer(Destination.parse("queue://a"), ConsumerSettings.DEFAULT, new Deliveries()))
                        .as("round %d", round).isInstanceOf(Exception.class);
                } catch (DriverException e) {
                    // the connection was lost before it was established
                    assertThat(e).hasMessageContaining("does not take the connection");
                }
            }
        }
    }

    private static Connection connect(ServerSocket server, ConnectionLog log) throws Exception {
        return new NatsDriver().connect(new ConnectionSettings("nats://127.0.0.1:" + server.getLocalPort() + "?mode=core", null, null,
            null, Duration.ofSeconds(60)), log);
    }

    @Test
    void refusesALoginOrAClientIdThatTheProtocolCannotCarry() {
        for (String bad : new String[] {"a\nb", "x".repeat(5000)}) {
            for (int at = 0; at < 3; at++) {
                var settings = new ConnectionSettings("nats://h", at == 0 ? bad : "u", at == 1 ? Secret.of(bad) : Secret.of("p"),
                    at == 2 ? bad : null, Duration.ofSeconds(1));
                assertThatThrownBy(() -> new NatsDriver().check(settings)).isInstanceOf(IllegalArgumentException.class).message()
                    .contains(new String[] {"user name", "password", "client id"}[at]).doesNotContain(bad).endsWith(".");
            }
        }
    }
}
