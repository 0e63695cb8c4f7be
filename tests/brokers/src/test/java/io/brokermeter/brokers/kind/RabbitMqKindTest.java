package io.brokermeter.brokers.kind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.brokers.PrivateDataTest;
import io.brokermeter.brokers.process.BrokerProcessTest;
import io.brokermeter.spi.failure.Refusal;
import io.brokermeter.spi.parameter.Secret;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests with the RabbitMQ that is installed on this machine. */
class RabbitMqKindTest {

    private static final BrokerName RABBITMQ = BrokerName.parse("rabbitmq");
    private static final BrokerOptions OPTIONS = BrokerOptions.defaults().withStartLimit(Duration.ofSeconds(120));

    @Test
    void servesOneUserInItsProtocolsAndLeavesNothingBehind() throws Exception {
        Path directory = BrokerOptions.newDirectory();
        Broker broker = Broker.start(RABBITMQ, OPTIONS.withDirectory(directory).withProperty("channel_max", "77")
            .withLogin("meter", Secret.of("p\"as#s word")));
        String port = Integer.toString(broker.port());
        try (broker) {
            assertThat(broker.name().toString()).matches("rabbitmq:\\d+\\.\\d+\\.\\d+");
            assertThat(broker.urls().keySet()).containsExactlyElementsOf(Broker.protocols(RABBITMQ));
            assertThat(broker.url()).isEqualTo("amqp://127.0.0.1:" + broker.port());
            assertThat(commandLine(broker.pid())).contains("beam");
            assertThat(stomp(broker, "")).startsWith("ERROR");
            assertThat(stomp(broker, "login:guest\npasscode:guest\n")).startsWith("ERROR");
            assertThat(stomp(broker, "login:meter\npasscode:p\"as#s word\n")).startsWith("CONNECTED");
            assertThat(mqtt(broker, 2, "")[3]).isNotZero();
            assertThat(mqtt(broker, 0xc2, "\0\5meter\0\13p\"as#s word")).containsExactly(0x20, 2, 0, 0);
            assertThat(directory.resolve("rabbitmq.conf")).content().contains("channel_max = 77");
            PrivateDataTest.assertPrivate(directory);
            assertThat(processesWith(port)).hasSizeGreaterThan(1);

            broker.node().fill(true);
            awaitLog(directory, "disk resource limit alarm set");
            assertThat(log(directory)).doesNotContain("disk resource limit alarm cleared");
            broker.node().fill(false);
            awaitLog(directory, "disk resource limit alarm cleared");
        }
        assertThat(broker.isAlive()).isFalse();
        assertThat(directory).doesNotExist();
        // Processes that the node has started are killed with it and end shortly after, including the port mapper.
        BrokerProcessTest.await(() -> processesWith(port).isEmpty());
    }

    @Test
    void showsWhatTheServerHasAgainstAProperty() {
        assertThatThrownBy(() -> Broker.start(RABBITMQ, OPTIONS.withProperty("no.such.thing", "1")))
            .isInstanceOf(BrokerException.class).hasMessageContaining("no.such.thing");
    }

    @Test
    void refusesAnotherVersionAndWhatItDoesNotHave() {
        assertThatThrownBy(() -> Broker.start(BrokerName.parse("rabbitmq:0.1"))).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("rabbitmq:0.1");
        for (BrokerOptions options : List.of(OPTIONS.withPersistent(false), OPTIONS.withJournal("nio"),
            OPTIONS.withTopology("pair"), OPTIONS.withTls(Path.of("keys.p12"), Secret.of("unseen")))) {
            assertThatThrownBy(() -> Broker.check(RABBITMQ, options)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Broker rabbitmq");
        }
    }

    /** The MQTT plugin is not enabled in this topology, and RabbitMQ does not start with properties of a disabled plugin. */
    @ParameterizedTest
    @CsvSource({"mqtt.exchange, do not speak MQTT", "mqtt.listeners.tcp.1, the ports"})
    void threeNodesTakeNoPropertyOfMqttAndOneDoes(String property, String why) {
        BrokerOptions options = OPTIONS.withProperty(property, "1");
        assertThatThrownBy(() -> Broker.check(RABBITMQ, options.withTopology("3-nodes"))).isInstanceOf(Refusal.class)
            .hasMessageContaining(why).hasMessageEndingWith(property + ".");
        assertThatCode(() -> Broker.check(RABBITMQ, options)).doesNotThrowAnyException();
    }

    private static void awaitLog(Path directory, String part) throws Exception {
        for (int i = 0; i < 6000 && !log(directory).contains(part); i++) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
        assertThat(log(directory)).contains(part);
    }

    private static String log(Path directory) throws IOException {
        return Files.readString(directory.resolve("broker.log"));
    }

    private static String stomp(Broker broker, String headers) throws IOException {
        try (Socket socket = connect(broker, "STOMP")) {
            socket.getOutputStream().write(("CONNECT\naccept-version:1.2\nhost:/\n" + headers + "\n\0")
                .getBytes(StandardCharsets.UTF_8));
            return new String(socket.getInputStream().readNBytes(9), StandardCharsets.UTF_8);
        }
    }

    /** Returns the answer to a connection with MQTT 3.1.1 and a login. */
    private static byte[] mqtt(Broker broker, int flags, String login) throws IOException {
        try (Socket socket = connect(broker, "MQTT")) {
            DataOutputStream output = new DataOutputStream(socket.getOutputStream());
            output.write(new byte[] {0x10, (byte) (13 + login.length()), 0, 4, 'M', 'Q', 'T', 'T', 4, (byte) flags, 0, 60, 0, 1, 'x'});
            output.writeBytes(login);
            return new DataInputStream(socket.getInputStream()).readNBytes(4);
        }
    }

    private static Socket connect(Broker broker, String protocol) throws IOException {
        Socket socket = new Socket("127.0.0.1", URI.create(broker.urls().get(protocol)).getPort());
        socket.setSoTimeout(60_000);
        return socket;
    }

    private static String commandLine(long pid) throws IOException {
        return Files.readString(Path.of("/proc", Long.toString(pid), "cmdline"));
    }

    /** Returns the command lines of all processes whose environment contains the port of the node. */
    private static List<String> processesWith(String port) {
        try (Stream<Path> all = Files.list(Path.of("/proc"))) {
            return all.filter(process -> read(process.resolve("environ")).contains("RABBITMQ_NODE_PORT=" + port + "\0"))
                .map(process -> read(process.resolve("cmdline"))).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }
}
