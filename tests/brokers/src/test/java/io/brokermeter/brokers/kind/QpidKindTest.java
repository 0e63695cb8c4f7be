package io.brokermeter.brokers.kind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.brokers.PrivateDataTest;
import io.brokermeter.spi.parameter.Secret;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QpidKindTest {

    private static final BrokerName QPID = BrokerName.parse("qpid");
    private static final byte[] AMQP_0_9_1 = {'A', 'M', 'Q', 'P', 0, 0, 9, 1};
    private static final byte[] AMQP_1_0 = {'A', 'M', 'Q', 'P', 3, 1, 0, 0};

    @TempDir
    private Path temporary;

    @Test
    void servesBothProtocolsFromMemoryAndLeavesNothingBehind() throws Exception {
        Path directory = temporary.resolve("broker");
        Broker broker = Broker.start(QPID, BrokerOptions.defaults().withDirectory(directory).withPersistent(false));
        try (broker) {
            assertThat(broker.name()).hasToString("qpid:10.1.0");
            assertThat(broker.urls().keySet()).containsExactly("AMQP091", "AMQP");
            assertThat(hello(broker, "AMQP091", AMQP_0_9_1)).contains("PLAIN", "10.1.0");
            assertThat(hello(broker, "AMQP", AMQP_1_0)).contains("ANONYMOUS");
        }
        assertThat(broker.isAlive()).isFalse();
        assertThat(directory).doesNotExist();
    }

    @Test
    void storesMessagesAndHasOneUserAndKeepsNoPasswordInItsDirectory() throws Exception {
        BrokerOptions options = BrokerOptions.defaults().withDirectory(temporary).withLogin("meter", Secret.of("unseen-password"));
        try (Broker broker = Broker.start(QPID, options)) {
            assertThat(hello(broker, "AMQP", AMQP_1_0)).contains("PLAIN").doesNotContain("ANONYMOUS");
            assertThat(temporary.resolve("messages")).isNotEmptyDirectory();
            assertThat(temporary.resolve("initial.json")).doesNotExist();
            PrivateDataTest.assertPrivate(temporary.resolve("messages"));
        }
    }

    @Test
    void refusesAPortThatIsTaken() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            BrokerOptions options = BrokerOptions.defaults().withPersistent(false).withPort(taken.getLocalPort());
            assertThatThrownBy(() -> Broker.start(QPID, options)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Port " + taken.getLocalPort());
        }
    }

    @Test
    void refusesAVersionThatThereIsNot() {
        assertThatThrownBy(() -> Broker.start(BrokerName.parse("qpid:0.0.0"))).hasMessageContaining("0.0.0");
    }

    private static String hello(Broker broker, String protocol, byte[] header) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", URI.create(broker.urls().get(protocol)).getPort())) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(header);
            byte[] answer = new byte[2000];
            int length = 0;
            String text;
            do {
                int read = socket.getInputStream().read(answer, length, answer.length - length);
                assertThat(read).as("the answer goes on").isPositive();
                length += read;
                text = new String(answer, 0, length, StandardCharsets.ISO_8859_1);
            } while (!text.contains("PLAIN") && !text.contains("ANONYMOUS"));
            return text;
        }
    }
}
