package io.brokermeter.driver.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.ServerUrl;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Detection of servers that are not Kafka brokers before Kafka's client connects to them. */
@Tag("slow")
@Timeout(value = 480, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FirstAnswerTest {

    /** The limit for servers that answer: longer than any stall of the machine. */
    private static final Duration LONG = Duration.ofSeconds(25);
    private static final Duration SHORT = Duration.ofSeconds(2);

    private interface Answer {
        void to(byte[] question, OutputStream out) throws IOException;
    }

    /** A server that answers the first request of each connection and keeps the connection open. */
    private static final class Server implements AutoCloseable {
        private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

        Server(Answer answer) throws IOException {
            Thread.ofPlatform().daemon().start(() -> {
                while (!listener.isClosed()) {
                    try {
                        Socket socket = listener.accept();
                        var in = new DataInputStream(socket.getInputStream());
                        byte[] question = new byte[in.readInt()];
                        in.readFully(question);
                        answer.to(question, socket.getOutputStream());
                    } catch (IOException e) {
                        // the next connection may succeed
                    }
                }
            });
        }

        ServerUrl.Server address() {
            return new ServerUrl.Server("127.0.0.1", listener.getLocalPort());
        }

        @Override
        public void close() throws IOException {
            listener.close();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"485454502f312e3120343030|is no Kafka broker: its answer begins with 'HTTP/1.1'.",
        "15030300020228|asks for TLS: set security.protocol=SSL",
        "7fffffff62726d74|is no Kafka broker: its answer begins with the bytes 7f ff ff ff",
        "0000001000000001|is no Kafka broker"})
    void saysWhatAnswersInsteadOfABroker(String answer, String words) throws Exception {
        try (Server server = new Server((question, out) -> out.write(HexFormat.of().parseHex(answer)))) {
            assertThat(FirstAnswer.of(server.address(), LONG).refusal().orElseThrow()).startsWith(server.address().toString())
                .contains(words);
        }
    }

    @Test
    void takesTheAnswerToItsQuestionAndSilenceForABroker() throws Exception {
        try (Server broker = new Server((question, out) -> out.write(ByteBuffer.allocate(16).putInt(12).put(question, 4, 4).array()));
                Server mute = new Server((question, out) -> {})) {
            assertThat(FirstAnswer.of(broker.address(), LONG)).isEqualTo(new FirstAnswer(true, Optional.empty()));
            assertThat(FirstAnswer.of(mute.address(), SHORT)).isEqualTo(new FirstAnswer(false, Optional.empty()));
        }
    }

    /** Kafka's client would interpret the letters of HTTP as a length and allocate 1.2 GB, which may end its thread. */
    @Test
    void aWebServerIsNamedBeforeTheClientBelievesItsLengths() throws Exception {
        try (Server server =
            new Server((question, out) -> out.write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII)))) {
            var settings = new ConnectionSettings("kafka://" + server.address(), null, null, null, Duration.ofSeconds(20));
            var thrown = catchThrowable(() -> new KafkaDriver().connect(settings, cause -> {}));
            // A server that a stall of the machine makes silent for 2 s is left to the client.
            for (int again = 0; again < 4 && !String.valueOf(thrown).contains("is no Kafka broker"); again++) {
                thrown = catchThrowable(() -> new KafkaDriver().connect(settings, cause -> {}));
            }
            assertThat(thrown).isInstanceOf(DriverException.class)
                .hasMessageContaining("is no Kafka broker").hasMessageNotContaining("did not answer");
        }
    }

    /** Guards against a limit of two seconds for each server instead of the connect timeout for all. */
    @Test
    void gaugesManySilentServersWithinTheConnectTimeout() throws Exception {
        var servers = new ArrayList<Server>();
        try {
            for (int i = 0; i < 75; i++) {
                servers.add(new Server((question, out) -> {}));
            }
            String url = "kafka://" + servers.stream().map(server -> server.address().toString()).collect(Collectors.joining(","));
            var settings = new ConnectionSettings(url, null, null, null, Duration.ofSeconds(1));
            long begin = System.nanoTime();
            assertThatThrownBy(() -> new KafkaDriver().connect(settings, cause -> {})).isInstanceOf(DriverException.class)
                .hasMessageContaining("did not answer within 1.0 s");
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(100));
        } finally {
            for (Server server : servers) {
                server.close();
            }
        }
    }
}
