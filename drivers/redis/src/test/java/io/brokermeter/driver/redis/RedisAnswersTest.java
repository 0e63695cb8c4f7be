package io.brokermeter.driver.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import com.sun.management.ThreadMXBean;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.Secret;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Malformed or excessive answers, and refusals of connections. */
class RedisAnswersTest {

    /** Answers each PING with PONG, and every other command with a text. */
    private static void serve(ServerSocket server, String answer) {
        Thread.ofVirtual().start(() -> {
            while (true) {
                try {
                    var socket = server.accept();
                    Thread.ofVirtual().start(() -> {
                        try (socket) {
                            var in = socket.getInputStream();
                            var out = socket.getOutputStream();
                            var command = new byte[4096];
                            int read = in.read(command);
                            while (read >= 0) {
                                boolean ping = new String(command, 0, read, StandardCharsets.US_ASCII).startsWith("PING");
                                out.write((ping ? "+PONG\r\n" : answer).getBytes(StandardCharsets.US_ASCII));
                                out.flush();
                                read = in.read(command);
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

    @ParameterizedTest
    @ValueSource(strings = {"$2000000000\r\nabc", "$9999999999999\r\nabc", "$-2\r\n", "*2000000000\r\n$1\r\na\r\n", "*-7\r\n",
        "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n", "!3\r\n"})
    void refusesAnswersThatNobodyCouldHold(String answer) throws Exception {
        try (var server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            serve(server, answer);
            var settings = new ConnectionSettings("redis://127.0.0.1:" + server.getLocalPort(), null, null, null, Duration.ofSeconds(60));
            assertThatThrownBy(() -> new RedisDriver().connect(settings, new ConnectionLog())).isInstanceOf(Exception.class).message()
                .containsAnyOf("not taken", "deep", "no answer of Redis").contains("127.0.0.1");
        }
    }

    /** Guards against these refusals being reported as "check user and password" or as the end of the connection. */
    @ParameterizedTest
    @CsvSource({"ERR max number of clients reached, (ERR max number of clients reached).",
        "DENIED Redis is running in protected mode because there is no password. In this mode, (DENIED Redis is running in protected mode "
            + "because there is no password)."})
    void saysWhyAServerTakesNoConnection(String words, String told) throws Exception {
        try (var server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> {
                try {
                    while (true) {
                        var socket = server.accept();
                        socket.getOutputStream().write(("-" + words + "\r\n").getBytes(StandardCharsets.US_ASCII));
                        socket.shutdownOutput();
                    }
                } catch (IOException e) {
                    // the test is over
                }
            });
            var settings = new ConnectionSettings("redis://127.0.0.1:" + server.getLocalPort(), "u", Secret.of("p"), null,
                Duration.ofSeconds(60));
            assertThatThrownBy(() -> new RedisDriver().connect(settings, new ConnectionLog())).isInstanceOf(DriverException.class)
                .hasMessageContaining("127.0.0.1:" + server.getLocalPort()).hasMessageEndingWith(told);
        }
    }

    /** The length is legal, but a value that may never arrive must not cause an allocation of that size. */
    @Test
    void makesRoomForWhatCameAndNotForWhatWasAnnounced() throws Exception {
        var threads = (ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
        try (var server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            serve(server, "$400000000\r\nabc");
            var settings = new ConnectionSettings("redis://127.0.0.1:" + server.getLocalPort(), null, null, null,
                Duration.ofMillis(500));
            long before = threads.getCurrentThreadAllocatedBytes();
            assertThatThrownBy(() -> new RedisDriver().connect(settings, new ConnectionLog())).isInstanceOf(Exception.class);
            assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(32 << 20);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", "a\nb", "gr\u00fcn", "a\u0000"})
    void refusesAClientIdThatTheProtocolCannotCarry(String id) {
        assertThatThrownBy(() -> new RedisDriver().check(new ConnectionSettings("redis://h", null, null, id, Duration.ofSeconds(1))))
            .isInstanceOf(IllegalArgumentException.class).message().contains("client id").endsWith(".");
    }

    @Test
    void refusesALoginThatTheProtocolCannotCarry() {
        assertThatThrownBy(() -> new RedisDriver().check(new ConnectionSettings("redis://h", "u", Secret.of("p".repeat(20_000)), null,
            Duration.ofSeconds(1)))).isInstanceOf(IllegalArgumentException.class).message().contains("password").doesNotContain("ppp");
    }
}
