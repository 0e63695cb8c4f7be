package io.brokermeter.brokers.kind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerNode;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.spi.parameter.Secret;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests with the real broker as a child process. */
class ActiveMqKindTest {

    private static final BrokerName ACTIVEMQ = BrokerName.parse("activemq");
    private static final BrokerOptions OPTIONS = BrokerOptions.defaults().withHeap("256m");

    @TempDir
    private Path temporary;

    @Test
    void servesEachProtocolOnAPortOfItsOwnAndLeavesNothing() throws Exception {
        Path directory = temporary.resolve("broker");
        Broker broker = Broker.start(ACTIVEMQ, OPTIONS.withDirectory(directory));
        try (broker) {
            assertThat(broker.name().toString()).isEqualTo("activemq:6.3.1");
            assertThat(broker.urls()).containsOnlyKeys("OPENWIRE", "STOMP", "MQTT", "AMQP");
            assertThat(broker.url()).isEqualTo("tcp://127.0.0.1:" + broker.port());
            assertThat(openWire(broker.port())).contains("ActiveMQ", "6.3.1");
            assertThat(greeting(broker, "STOMP", "CONNECT\naccept-version:1.2\nhost:x\n\n\0")).startsWith("CONNECTED");
            assertThat(greeting(broker, "AMQP", "AMQP\0\1\0\0")).startsWith("AMQP");
            assertThat(greeting(broker, "MQTT", "\20\15\0\4MQTT\4\2\0\74\0\1a")).startsWith("\40\2");
            assertThat(directory.resolve("kahadb")).isNotEmptyDirectory();
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
    void writesNoStoreWhenNotPersistent() throws Exception {
        try (Broker broker = Broker.start(ACTIVEMQ, OPTIONS.withDirectory(temporary).withPersistent(false))) {
            assertThat(broker.isAlive()).isTrue();
            assertThat(temporary.resolve("kahadb")).doesNotExist();
        }
    }

    @Test
    void takesPropertiesOfTheBrokerAndRefusesUnknownOnes() throws Exception {
        BrokerOptions options = OPTIONS.withPersistent(false);
        Broker.start(ACTIVEMQ, options.withProperty("advisorySupport", "false")
            .withProperty("systemUsage.memoryUsage.limit", "32mb")
            .withProperty("destinationPolicy.defaultEntry.producerFlowControl", "false")).close();
        assertThatThrownBy(() -> Broker.start(ACTIVEMQ, options.withProperty("advisorySuport", "false")))
            .isInstanceOf(BrokerException.class).hasMessageContaining("'advisorySuport' is unknown")
            .hasMessageContaining("did you mean advisorySupport?");
        assertThatThrownBy(() -> Broker.start(ACTIVEMQ, options.withProperty("advisorySupport", "perhaps")))
            .isInstanceOf(BrokerException.class).hasMessageContaining("must be true or false, not 'perhaps'");
    }

    @Test
    void forcesTheJournalToTheDiskAsAsked() throws Exception {
        Broker.start(ACTIVEMQ, OPTIONS.withJournal("never")).close();
        assertThatThrownBy(() -> Broker.check(ACTIVEMQ, OPTIONS.withJournal("nio")))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("always, periodic, never");
        assertThatThrownBy(() -> Broker.check(ACTIVEMQ, OPTIONS.withJournal("never").withPersistent(false)))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("not persistent");
    }

    @Test
    void letsOnlyItsUserIn() throws Exception {
        BrokerOptions options = OPTIONS.withPersistent(false).withLogin("meter", Secret.of("correct horse"));
        try (Broker broker = Broker.start(ACTIVEMQ, options)) {
            assertThat(greeting(broker, "STOMP", connect("battery staple"))).startsWith("ERROR");
            assertThat(greeting(broker, "STOMP", connect("correct horse"))).startsWith("CONNECTED");
        }
    }

    private static String connect(String password) {
        return "CONNECT\naccept-version:1.2\nhost:x\nlogin:meter\npasscode:" + password + "\n\n\0";
    }

    @Test
    void saysWhyItDoesNotStart() throws Exception {
        assertThatThrownBy(() -> Broker.start(ACTIVEMQ, OPTIONS.withPersistent(false).withProperty("advisorySuport", "true")))
            .isInstanceOf(BrokerException.class).hasMessageContaining("activemq:6.3.1 does not start")
            .hasMessageContaining("advisorySuport");
        assertThatThrownBy(() -> Broker.check(ACTIVEMQ, OPTIONS.withTopology("ring")))
            .hasMessageContaining("single, master-slave, network");
    }

    @Test
    void theSlaveTakesOverWhenTheMasterIsGone() throws Exception {
        Path directory = temporary.resolve("pair");
        Broker broker = Broker.start(ACTIVEMQ, OPTIONS.withTopology("master-slave").withDirectory(directory));
        try (broker) {
            int master = broker.nodes().get(0).port();
            int slave = broker.nodes().get(1).port();
            assertThat(broker.nodes()).extracting(BrokerNode::role).containsExactly("master", "slave");
            assertThat(broker.nodes()).extracting(BrokerNode::role).isEqualTo(new ActiveMqKind().roles("master-slave"));
            assertThat(broker.url()).startsWith("failover:(tcp://127.0.0.1:" + master + ",tcp://127.0.0.1:" + slave + ")?");
            assertThat(openWire(master)).contains("ActiveMQ");
            assertThatThrownBy(() -> openWire(slave)).as("a slave that waits listens to nobody").isInstanceOf(IOException.class);

            broker.node().kill();

            await(() -> answers(slave));
            assertThat(broker.nodes().get(1).isAlive()).isTrue();
        }
        assertThat(directory).doesNotExist();
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

    private static boolean answers(int port) {
        try {
            return openWire(port).contains("ActiveMQ");
        } catch (IOException e) {
            return false;
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

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + Duration.ofSeconds(120).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.sleep(20);
        }
    }

    @Test
    void speaksTlsWithAKeyStore() throws Exception {
        Path keys = temporary.resolve("keys.p12");
        Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            "-genkeypair", "-alias", "a", "-keyalg", "RSA", "-dname", "CN=localhost", "-storetype", "PKCS12", "-keystore",
            keys.toString(), "-storepass", "secret").inheritIO().start();
        assertThat(keytool.waitFor()).isZero();
        assertThat(Files.exists(keys)).isTrue();
        BrokerOptions options = OPTIONS.withPersistent(false).withTls(keys, Secret.of("secret"));
        try (Broker broker = Broker.start(ACTIVEMQ, options)) {
            assertThat(broker.url()).isEqualTo("ssl://127.0.0.1:" + broker.port());
            assertThat(broker.urls().get("AMQP")).startsWith("amqps://");
            // The answer is an alert or empty, but never an unencrypted greeting.
            assertThat(greeting(broker, "STOMP", connect("x"))).doesNotStartWith("CONNECTED");
        }
    }
}
