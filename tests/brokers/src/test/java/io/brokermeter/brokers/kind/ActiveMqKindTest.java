package io.brokermeter.brokers.kind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerNode;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.brokers.PrivateDataTest;
import io.brokermeter.spi.parameter.Secret;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests with the real broker as a child process; TLS and the slave of a master are tested with the driver. */
class ActiveMqKindTest {

    private static final BrokerName ACTIVEMQ = BrokerName.parse("activemq");
    private static final BrokerOptions OPTIONS = BrokerOptions.defaults().withHeap("256m");

    @TempDir
    private Path temporary;

    @Test
    void servesEachProtocolOnAPortOfItsOwnAndLeavesNothing() throws Exception {
        Path directory = temporary.resolve("broker");
        Broker broker = Broker.start(ACTIVEMQ, OPTIONS.withDirectory(directory).withJournal("never"));
        try (broker) {
            assertThat(broker.name().toString()).isEqualTo("activemq:6.3.1");
            assertThat(broker.urls()).containsOnlyKeys("OPENWIRE", "STOMP", "MQTT", "AMQP");
            assertThat(broker.url()).isEqualTo("tcp://127.0.0.1:" + broker.port());
            assertThat(openWire(broker.port())).contains("ActiveMQ", "6.3.1");
            assertThat(greeting(broker, "STOMP", "CONNECT\naccept-version:1.2\nhost:x\n\n\0")).startsWith("CONNECTED");
            assertThat(greeting(broker, "AMQP", "AMQP\0\1\0\0")).startsWith("AMQP");
            assertThat(greeting(broker, "MQTT", "\20\15\0\4MQTT\4\2\0\74\0\1a")).startsWith("\40\2");
            assertThat(directory.resolve("kahadb")).isNotEmptyDirectory();
            PrivateDataTest.assertPrivate(directory);
        }
        assertThat(ProcessHandle.of(broker.pid())).isEmpty();
        assertThat(directory).doesNotExist();
    }

    @Test
    void runsAnotherVersion() throws Exception {
        try (Broker broker = Broker.start(BrokerName.parse("activemq:6.1.8"), OPTIONS)) {
            assertThat(broker.name().toString()).isEqualTo("activemq:6.1.8");
            assertThat(openWire(broker.port())).contains("ActiveMQ", "6.1.8");
        }
    }

    @Test
    void takesItsPropertiesAndOneUserAndWritesNoStoreWhenNotPersistent() throws Exception {
        BrokerOptions options = OPTIONS.withDirectory(temporary).withPersistent(false).withLogin("meter", Secret.of("correct horse"))
            .withProperty("advisorySupport", "false").withProperty("systemUsage.memoryUsage.limit", "32mb")
            .withProperty("destinationPolicy.defaultEntry.producerFlowControl", "false");
        try (Broker broker = Broker.start(ACTIVEMQ, options)) {
            assertThat(greeting(broker, "STOMP", connect("battery staple"))).startsWith("ERROR");
            assertThat(greeting(broker, "STOMP", connect("correct horse"))).startsWith("CONNECTED");
            assertThat(temporary.resolve("kahadb")).doesNotExist();
        }
    }

    @Test
    void refusesWhatItHasNot() {
        BrokerOptions options = OPTIONS.withPersistent(false);
        assertThatThrownBy(() -> Broker.start(ACTIVEMQ, options.withProperty("advisorySuport", "false")))
            .isInstanceOf(BrokerException.class).hasMessageContaining("activemq:6.3.1 does not start")
            .hasMessageContaining("'advisorySuport' is unknown").hasMessageContaining("did you mean advisorySupport?");
        assertThatThrownBy(() -> Broker.start(ACTIVEMQ, options.withProperty("advisorySupport", "perhaps")))
            .isInstanceOf(BrokerException.class).hasMessageContaining("must be true or false, not 'perhaps'");
        assertThatThrownBy(() -> Broker.check(ACTIVEMQ, OPTIONS.withJournal("nio")))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("always, periodic, never");
        assertThatThrownBy(() -> Broker.check(ACTIVEMQ, OPTIONS.withJournal("never").withPersistent(false)))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("not persistent");
        assertThatThrownBy(() -> Broker.check(ACTIVEMQ, OPTIONS.withTopology("ring")))
            .hasMessageContaining("single, master-slave, network");
        assertThat(new ActiveMqKind().roles("master-slave")).containsExactly("master", "slave");
    }

    private static String connect(String password) {
        return "CONNECT\naccept-version:1.2\nhost:x\nlogin:meter\npasscode:" + password + "\n\n\0";
    }

    @Test
    void twoBrokersMakeANetwork() throws Exception {
        BrokerOptions options = OPTIONS.withTopology("network").withPersistent(false)
            .withLogin("meter", Secret.of("correct horse"));
        try (Broker broker = Broker.start(ACTIVEMQ, options)) {
            assertThat(broker.nodes()).extracting(BrokerNode::role).isEqualTo(new ActiveMqKind().roles("network"));
            assertThat(broker.urls()).containsKeys("OPENWIRE", "OPENWIRE#2", "STOMP", "STOMP#2");
            assertThat(passes(broker.urls().get("STOMP"), broker.urls().get("STOMP#2"))).isEqualTo("there");
            assertThat(passes(broker.urls().get("STOMP#2"), broker.urls().get("STOMP"))).isEqualTo("there");
        }
    }

    /** Returns the body that a consumer of one broker receives of a message to the other broker. */
    private static String passes(String from, String to) throws IOException {
        String queue = "/queue/" + from.replaceAll("\\W", "");
        try (Socket sender = socket(from); Socket receiver = socket(to)) {
            say(sender, connect("correct horse"));
            say(receiver, connect("correct horse") + "SUBSCRIBE\nid:1\nack:auto\ndestination:" + queue + "\n\n\0");
            say(sender, "SEND\ndestination:" + queue + "\n\nthere\0");
            hear(receiver);
            String message = hear(receiver);
            return message.substring(message.lastIndexOf('\n') + 1);
        }
    }

    private static Socket socket(String url) throws IOException {
        Socket socket = new Socket("127.0.0.1", java.net.URI.create(url).getPort());
        socket.setSoTimeout(60_000);
        return socket;
    }

    private static void say(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Reads one STOMP frame. */
    private static String hear(Socket socket) throws IOException {
        StringBuilder text = new StringBuilder();
        int next;
        while ((next = socket.getInputStream().read()) > 0) {
            text.append((char) next);
        }
        return text.toString().strip();
    }

    private static String greeting(Broker broker, String protocol, String text) throws IOException {
        try (Socket socket = socket(broker.urls().get(protocol))) {
            say(socket, text);
            byte[] answer = new byte[200];
            int length = socket.getInputStream().read(answer);
            return new String(answer, 0, Math.max(0, length), StandardCharsets.ISO_8859_1);
        }
    }

    /** Returns the first frame that an OpenWire port sends by itself; it identifies the broker. */
    private static String openWire(int port) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.setSoTimeout(60_000);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            byte[] frame = new byte[in.readInt()];
            in.readFully(frame);
            return new String(frame, StandardCharsets.ISO_8859_1);
        }
    }
}
