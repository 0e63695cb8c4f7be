package io.brokermeter.brokers.kind;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.brokers.process.NativeCommand;
import io.brokermeter.brokers.process.Probe;
import io.brokermeter.spi.parameter.Secret;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Replies by which a Redis server counts as ready. */
class RedisKindTest {

    private static final String LOADING = "-LOADING Redis is loading the dataset in memory\r\n";

    @ParameterizedTest
    @CsvSource({"meter, pass word, $5.meter.$9.pass word.", "müller, ß, $7.müller.$2.ß."})
    void isReadyWhenItAnswersWhoHasLoggedIn(String user, String password, String words) throws Exception {
        BrokerOptions options = BrokerOptions.defaults().withLogin(user, Secret.of(password));
        String request = "*3.$4.AUTH." + words + "*1.$4.PING.";
        assertThat(isReady(options, request, "+OK\r\n+PONG\r\n")).isTrue();
        assertThat(isReady(options, request, "+OK\r\n" + LOADING)).isFalse();
        assertThat(isReady(options, request, "-WRONGPASS invalid\r\n-NOAUTH Authentication required.\r\n")).isFalse();
    }

    @Test
    void isReadyWhenItAnswers() throws Exception {
        assertThat(isReady(BrokerOptions.defaults(), "*1.$4.PING.", "+PONG\r\n")).isTrue();
        assertThat(isReady(BrokerOptions.defaults(), "*1.$4.PING.", LOADING)).isFalse();
    }

    /**
     * Returns whether a server that sends a reply counts as ready.
     *
     * @param request the expected request, with a dot for each line end
     */
    private static boolean isReady(BrokerOptions options, String request, String answer) throws Exception {
        while (true) {
            try {
                return isReadyInTime(options, request, answer);
            } catch (SocketTimeoutException e) {
                // A probe waits for one second only, which a busy machine may exceed; whoever starts a broker repeats it as well.
                continue;
            }
        }
    }

    private static boolean isReadyInTime(BrokerOptions options, String request, String answer) throws Exception {
        Map<String, String> urls = new HashMap<>();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Probe probe = new RedisKind().prepare(new NativeCommand(Path.of("redis-server"), Path.of("unused"), options),
                BrokerName.parse("redis"), server.getLocalPort(), urls);
            byte[] expected = request.replace(".", "\r\n").getBytes(StandardCharsets.UTF_8);
            Thread answering = Thread.ofPlatform().start(() -> {
                try (Socket client = server.accept()) {
                    byte[] received = client.getInputStream().readNBytes(expected.length);
                    client.getOutputStream().write((new String(received, StandardCharsets.UTF_8)
                        .equals(new String(expected, StandardCharsets.UTF_8)) ? answer : "-ERR unexpected\r\n")
                        .getBytes(StandardCharsets.UTF_8));
                    client.shutdownOutput();
                    client.getInputStream().transferTo(OutputStream.nullOutputStream());
                } catch (IOException e) {
                    // the probe closed the connection
                }
            });
            boolean ready = probe.succeeds();
            answering.join();
            return ready;
        }
    }
}
