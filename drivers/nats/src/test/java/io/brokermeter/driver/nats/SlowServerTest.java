package io.brokermeter.driver.nats;

import static io.brokermeter.contract.TestMessages.payload;
import static io.brokermeter.contract.TestMessages.plain;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Sends;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The end of a connection to a server that takes bytes slowly, as on a busy machine. */
@Tag("slow")
class SlowServerTest {

    private static final int MESSAGES = 100;
    private static final int LENGTH = 500_000;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(120);

    private final AtomicInteger received = new AtomicInteger();

    private static String line(InputStream in) throws IOException {
        var line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("the client is gone");
            }
            line.append((char) next);
        }
        return line.toString().trim();
    }

    private void serve(Socket socket) {
        try (socket) {
            var out = socket.getOutputStream();
            out.write(("INFO {\"server_id\":\"X\",\"version\":\"2.10.0\",\"proto\":1,\"host\":\"127.0.0.1\",\"port\":1,\"headers\":true,"
                + "\"max_payload\":1048576}\r\n").getBytes(StandardCharsets.US_ASCII));
            var in = new BufferedInputStream(socket.getInputStream());
            while (true) {
                var line = line(in);
                if (line.startsWith("PUB")) {
                    in.skipNBytes(Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)) + 2);
                    received.incrementAndGet();
                    LockSupport.parkNanos(PAUSE_NANOS);
                } else if (line.startsWith("PING")) {
                    out.write("PONG\r\n".getBytes(StandardCharsets.US_ASCII));
                }
            }
        } catch (IOException e) {
            // the connection is closed
        }
    }

    /** The close takes more than twice as long as it waits for a silent server. */
    @Test
    void aCloseWaitsAsLongAsTheServerTakesBytes() throws Exception {
        try (var server = new ServerSocket()) {
            server.setReceiveBufferSize(65_536);
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Thread.ofVirtual().start(() -> {
                try {
                    while (true) {
                        var socket = server.accept();
                        Thread.ofVirtual().start(() -> serve(socket));
                    }
                } catch (IOException e) {
                    // the test is over
                }
            });
            var log = new ConnectionLog();
            var connection = new NatsDriver().connect(new ConnectionSettings("nats://127.0.0.1:" + server.getLocalPort() + "?mode=core",
                null, null, null, Duration.ofSeconds(60)), log);
            var producer = connection.producer(Destination.parse("queue://a"), plain(), new Sends());
            var large = payload("m".repeat(LENGTH));
            for (int i = 0; i < MESSAGES; i++) {
                producer.send(large, i);
            }
            connection.close();
            assertThat(received).hasValue(MESSAGES);
            assertThat(log.notices()).isEmpty();
            assertThat(log.losses()).isEmpty();
        }
    }
}
