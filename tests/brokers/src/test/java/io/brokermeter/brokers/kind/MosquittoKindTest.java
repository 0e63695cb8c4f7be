package io.brokermeter.brokers.kind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.brokers.process.BrokerProcessTest;
import io.brokermeter.hosts.DataDirectory;
import io.brokermeter.spi.parameter.Secret;
import org.junit.jupiter.api.Test;

/** Tests with the Mosquitto that is installed on this machine. */
class MosquittoKindTest {

    private static final BrokerName MOSQUITTO = BrokerName.parse("mosquitto");
    private static final BrokerOptions OPTIONS = BrokerOptions.defaults();
    private static final int ACCEPTED = 0;
    private static final int NOT_AUTHORIZED = 5;

    @Test
    void servesEverybodyAndLeavesNothingBehind() throws Exception {
        Path directory = BrokerOptions.newDirectory();
        Broker broker = Broker.start(MOSQUITTO, OPTIONS.withDirectory(directory).withProperty("max_inflight_messages", "7"));
        try (broker) {
            assertThat(broker.name().toString()).matches("mosquitto:\\d+\\.\\d+\\.\\d+");
            assertThat(broker.urls()).containsExactly(java.util.Map.entry("MQTT", "mqtt://127.0.0.1:" + broker.port()));
            assertThat(connect(broker, null, null)).isEqualTo(ACCEPTED);
            assertThat(directory.resolve("mosquitto.conf")).content().contains("max_inflight_messages 7\n", "max_queued_messages 0\n");
        }
        assertThat(broker.isAlive()).isFalse();
        assertThat(directory).doesNotExist();
    }

    @Test
    void letsOneUserInAndNobodyElse() throws Exception {
        try (Broker broker = Broker.start(MOSQUITTO, OPTIONS.withLogin("meter", Secret.of("p\"as#s wörd")))) {
            assertThat(connect(broker, null, null)).isEqualTo(NOT_AUTHORIZED);
            assertThat(connect(broker, "meter", "another")).isEqualTo(NOT_AUTHORIZED);
            assertThat(connect(broker, "meter", "p\"as#s wörd")).isEqualTo(ACCEPTED);
        }
    }

    @Test
    void isStartedAgainOnItsPortsHoweverItEnded() throws Exception {
        Path directory = BrokerOptions.newDirectory();
        try (Broker broker = Broker.start(MOSQUITTO, OPTIONS.withDirectory(directory))) {
            int port = broker.port();
            long first = broker.pid();
            broker.node().freeze();
            BrokerProcessTest.await(() -> BrokerProcessTest.state(first) == 'T');
            broker.node().resume();
            assertThat(connect(broker, null, null)).isEqualTo(ACCEPTED);
            broker.node().kill();
            broker.startAgain(broker.nodes());
            assertThat(broker.pid()).isNotEqualTo(first);
            assertThat(broker.port()).isEqualTo(port);
            assertThat(connect(broker, null, null)).isEqualTo(ACCEPTED);
            assertThat(broker.node().stop(Duration.ofSeconds(60))).isTrue();
            assertThat(directory.resolve("mosquitto.db")).as("it wrote its store at its end").exists();
            broker.startAgain(broker.nodes());
            assertThat(connect(broker, null, null)).isEqualTo(ACCEPTED);

            assertThat(broker.node().stop(Duration.ofSeconds(60))).isTrue();
            try (ServerSocket _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                assertThatThrownBy(() -> broker.startAgain(broker.nodes())).isInstanceOf(BrokerException.class)
                    .hasMessageContaining("What it had on its disk is kept in " + directory);
            }
        }
        assertThat(directory).doesNotExist();
        Path kept;
        try (Stream<Path> all = Files.list(directory.resolveSibling("."))) {
            kept = all.filter(path -> path.getFileName().toString().startsWith(directory.getFileName() + "-not-started-again-")).findFirst()
                .orElseThrow();
        }
        assertThat(kept.resolve("mosquitto.db")).exists();
        DataDirectory.delete(kept);
    }

    @Test
    void showsWhatTheServerHasAgainstAProperty() {
        assertThatThrownBy(() -> Broker.start(MOSQUITTO, OPTIONS.withProperty("no_such_thing", "1")))
            .isInstanceOf(BrokerException.class).hasMessageContaining("no_such_thing");
    }

    @Test
    void refusesAnotherVersionAndWhatItDoesNotHave() {
        assertThatThrownBy(() -> Broker.start(BrokerName.parse("mosquitto:0.1")))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("mosquitto:0.1");
        for (BrokerOptions options : List.of(OPTIONS.withJournal("nio"), OPTIONS.withTopology("pair"),
            OPTIONS.withForbidden("x"), OPTIONS.withLogin("a:b", Secret.of("unseen")))) {
            assertThatThrownBy(() -> Broker.check(MOSQUITTO, options)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Broker mosquitto");
        }
    }

    /** Returns the return code of a connection with MQTT 3.1.1. */
    private static int connect(Broker broker, String user, String password) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream packet = new DataOutputStream(bytes);
        packet.writeUTF("MQTT");
        packet.write(4);
        packet.write(user == null ? 0x02 : 0xc2);
        packet.writeShort(60);
        packet.writeUTF("x");
        if (user != null) {
            packet.writeUTF(user);
            packet.writeUTF(password);
        }
        try (Socket socket = new Socket("127.0.0.1", broker.port())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(new byte[] {0x10, (byte) bytes.size()});
            socket.getOutputStream().write(bytes.toByteArray());
            byte[] answer = new DataInputStream(socket.getInputStream()).readNBytes(4);
            assertThat(answer).startsWith(0x20, 2);
            return answer[3];
        }
    }
}
