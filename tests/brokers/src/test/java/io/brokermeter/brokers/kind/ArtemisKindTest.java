package io.brokermeter.brokers.kind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerException;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerNode;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.spi.parameter.Secret;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.Message;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Features specific to Artemis, with the real broker. */
class ArtemisKindTest {

    private static final BrokerName ARTEMIS = BrokerName.parse("artemis");
    private static final String PAIR = "primary-backup";

    @TempDir
    private Path temporary;

    @ParameterizedTest
    @ValueSource(strings = {"artemis:2.44.0", "artemis:2.56.0"})
    void runsInAnotherVersion(String name) throws Exception {
        try (Broker broker = Broker.start(BrokerName.parse(name))) {
            assertThat(broker.name()).hasToString(name);
            answersInEveryProtocol(broker.port());
        }
    }

    private static void answersInEveryProtocol(int port) throws Exception {
        assertThat(answer(port, "CONNECT\naccept-version:1.2\nhost:any\n\n\0".getBytes(StandardCharsets.UTF_8)))
            .startsWith("CONNECTED");
        assertThat(answer(port, new byte[] {'A', 'M', 'Q', 'P', 0, 1, 0, 0})).startsWith("AMQP");
        assertThat(answer(port, new byte[] {0x10, 13, 0, 4, 'M', 'Q', 'T', 'T', 4, 2, 0, 0, 0, 1, 'x'})).startsWith("\u0020\u0002");
        assertThat(answer(port, new byte[] {0, 0, 0, 17, 1, 'A', 'c', 't', 'i', 'v', 'e', 'M', 'Q', 0, 0, 0, 1, 0, 0, 0, 0}))
            .contains("ActiveMQ");
        try (JMSContext core = new ActiveMQConnectionFactory("tcp://127.0.0.1:" + port).createContext()) {
            core.createProducer().send(core.createQueue("any"), "text");
        }
    }

    /** Returns the first bytes of the answer, decoded as ISO 8859-1. */
    private static String answer(int port, byte[] greeting) throws Exception {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(greeting);
            byte[] bytes = new byte[100];
            int count = socket.getInputStream().read(bytes);
            return new String(bytes, 0, Math.max(0, count), StandardCharsets.ISO_8859_1);
        }
    }

    @Test
    void namesAVersionThatThereIsNot() {
        assertThatThrownBy(() -> Broker.start(BrokerName.parse("artemis:2.999.0"))).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("org.apache.artemis:artemis-").hasMessageContaining("2.999.0").hasMessageContaining("is not in");
        assertThatThrownBy(() -> Broker.start(BrokerName.parse("artemis:newest"))).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("artemis:newest");
    }

    /** One property is refused before the broker starts, and one after that; the tests of the host cover the others. */
    @ParameterizedTest
    @CsvSource({"addressSettings.\"#\".nosuch, 1, 1", "acceptorConfigurations.all.params.keyStorePasword, hidden, ***"})
    void namesAPropertyThatItDoesNotAccept(String name, String value, String shown) {
        BrokerOptions options = BrokerOptions.defaults().withProperty(name, value);
        assertThatThrownBy(() -> Broker.start(ARTEMIS, options)).isInstanceOf(BrokerException.class)
            .hasMessageContaining("The broker does not accept its property " + name + "=" + shown + ": ")
            .hasMessageNotContainingAny("Exception", "hidden")
            .satisfies(e -> assertThat(((BrokerException) e).isRefusal()).isTrue());
    }

    @Test
    void servesEveryProtocolOnItsOnePortWithItsOwnPropertiesAndParameters() throws Exception {
        BrokerOptions options = BrokerOptions.defaults().withProperty("addressConfigurations.MINE.routingTypes", "ANYCAST")
            .withProperty("addressSettings.\"small.#\".maxSizeMessages", "10").withProperty("globalMaxSize", "100M")
            .withProperty("acceptorConfigurations.all.extraParams.amqpCredits", "100")
            .withProperty("acceptorConfigurations.all.extraParams.anycastPrefix", "q.")
            .withProperty("acceptorConfigurations.all.extraParams.receiveMaximum", "10")
            .withProperty("acceptorConfigurations.all.params.tcpSendBufferSize", "65536")
            .withProperty("acceptorConfigurations.all.params.supportAdvisory", "false")
            .withProperty("connectorConfigurations.other.factoryClassName",
                "org.apache.activemq.artemis.core.remoting.impl.netty.NettyConnectorFactory")
            .withProperty("connectorConfigurations.other.params.host", "127.0.0.1")
            .withProperty("connectorConfigurations.other.params.port", "61616");
        try (Broker broker = Broker.start(ARTEMIS, options)) {
            assertThat(broker.urls().keySet()).containsExactlyElementsOf(Broker.protocols(ARTEMIS));
            answersInEveryProtocol(broker.port());
        }
    }

    @Test
    void refusesAJournalThatItHasNot() {
        assertThatThrownBy(() -> Broker.check(ARTEMIS, BrokerOptions.defaults().withJournal("paper")))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("'paper'").hasMessageContaining("nio, asyncio, mapped");
        assertThatThrownBy(() -> Broker.check(ARTEMIS, BrokerOptions.defaults().withJournal("nio").withPersistent(false)))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("not persistent");
        assertThatThrownBy(() -> Broker.check(ARTEMIS, BrokerOptions.defaults().withTopology("ring")))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("'ring'").hasMessageContaining("single, " + PAIR);
    }

    @Test
    void takesOverWithItsLoginWhenThePrimaryIsKilled() throws Exception {
        Path directory = temporary.resolve("pair");
        BrokerOptions options = BrokerOptions.defaults().withDirectory(directory).withTopology(PAIR)
            .withLogin("meter", Secret.of("unseen-password"));
        Broker broker = Broker.start(ARTEMIS, options);
        try (broker;
                ActiveMQConnectionFactory factory = new ActiveMQConnectionFactory(broker.url());
                JMSContext context = factory.createContext("meter", "unseen-password")) {
            assertThat(broker.nodes()).extracting(BrokerNode::role).containsExactly("primary", "backup");
            assertThat(broker.nodes()).extracting(BrokerNode::role).isEqualTo(new ArtemisKind().roles("primary-backup"));
            context.createProducer().send(context.createQueue("any"), "stored");

            broker.nodes().getFirst().kill();

            assertThat(received(context)).isEqualTo("stored");
            assertThat(broker.isAlive()).isFalse();
        }
        assertThat(directory).doesNotExist();
    }

    /** Receives a message; a call during which the connection is lost fails, and the next one reaches the backup. */
    private static String received(JMSContext context) throws Exception {
        long deadline = System.nanoTime() + Duration.ofSeconds(120).toNanos();
        while (true) {
            try (JMSConsumer consumer = context.createConsumer(context.createQueue("any"))) {
                Message message = consumer.receive(30_000);
                if (message != null) {
                    return message.getBody(String.class);
                }
            } catch (JMSRuntimeException e) {
                // the next call reaches the backup
            }
            assertThat(System.nanoTime()).as("the backup serves within 120 s").isLessThan(deadline);
        }
    }
}
