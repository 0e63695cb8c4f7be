package io.brokermeter.driver.core;

import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.awaitDepth;
import static io.brokermeter.contract.TestMessages.consumer;
import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.send;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.driver.core.codec.OlderBroker;
import io.brokermeter.driver.jms.ConnectFailure;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.ProducerSettings;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.junit.jupiter.api.Test;

/** Requirements of CORE beyond the contract. */
class CoreTest extends BrokerTest {

    private static final ThrowawayBroker BROKER = CoreContractTest.artemis();
    private static final String OWN = "brokermeter's own CORE path (protocol of Artemis 2.37)";

    CoreTest() {
        super(BROKER);
    }

    @Test
    void namesTheVersionOfItsBroker() throws Exception {
        assertThat(connect().broker()).matches("ActiveMQ Artemis \\d+\\.\\d+.*");
    }

    @Test
    void namesThePathThatReallyRuns() throws Exception {
        var log = new ConnectionLog();
        var connection = connect(settings(), log);
        assertThat(log.notices()).singleElement().asString().contains("confirmationWindowSize=32768");
        connection.producer(queue(), plain(), new Sends());
        assertThat(connection.client()).isEqualTo(OWN);
        connection.consumer(queue(), consumer(AckMode.TRANSACTED, 1), new Deliveries());
        assertThat(log.notices()).hasSize(2).last().asString().contains("artemis-jakarta-client", "transactions");
        assertThat(connection.client()).startsWith(OWN + "; artemis-jakarta-client");

        log = new ConnectionLog();
        assertThat(connect(with("?transport=client"), log).client()).matches("artemis-jakarta-client \\d+\\.\\d+.*");
        assertThat(log.notices()).noneMatch(notice -> notice.contains("own path"));
        assertThat(connect(with("?batchDelay=1"), log).client()).startsWith("artemis-jakarta-client");
        assertThat(log.notices()).anyMatch(notice -> notice.contains("because of the parameter batchDelay"));
        assertThat(connect(settings().withClientId("me"), log).client()).startsWith("artemis-jakarta-client");
        assertThat(driver().effectiveUrl(with("?transport=client"))).doesNotContain("transport=");
    }

    /** The queue of an unnamed subscription goes with its consumer, and that of a shared one stays while it is durable. */
    @Test
    void receivesFromTopicsWithoutTheClient() throws Exception {
        var connection = connect();
        var topic = new Destination(Destination.Kind.TOPIC, queue().name());
        assertThat(connection.declare(topic)).isTrue();
        assertThat(connection.declare(topic)).isFalse();
        var subscription = "s" + System.nanoTime();
        var unnamed = new Deliveries();
        var first = connection.consumer(topic, auto(), unnamed);
        var shared = new Deliveries();
        var second = connection.consumer(topic, ConsumerSettings.of(its -> {
            its.shared = true;
            its.durable = true;
            its.subscription = subscription;
        }), shared);
        var sends = new Sends();
        send(connection.producer(topic, plain(), sends), sends, 0, 5, "m");
        unnamed.await(5);
        shared.await(5);
        assertThat(connection.client()).isEqualTo(OWN);
        assertThat(subscriptions(topic)).hasSize(2);
        first.close();
        second.close();
        Await.until(() -> subscriptions(topic).equals(List.of(subscription)), () -> "still " + subscriptions(topic));
        connection.unsubscribe(topic, subscription);
        assertThat(subscriptions(topic)).isEmpty();
        connection.delete(topic);
    }

    private List<String> subscriptions(Destination topic) {
        ThreadPools.retain();
        try (var factory = new ActiveMQConnectionFactory(settings().url()); var locator = factory.getServerLocator();
                var sessions = locator.createSessionFactory();
                var session = sessions.createSession(ThrowawayBroker.USER, "correct horse", false, true, true, false, 1)) {
            return session.addressQuery(SimpleString.of(topic.name())).getQueueNames().stream().map(SimpleString::toString).toList();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        } finally {
            ThreadPools.release();
        }
    }

    @Test
    void refusesWhatItsOwnPathHasNotWhereThatIsAskedForByName() {
        assertThatThrownBy(() -> driver().check(BROKER.withUrl("tcp://h:1?transport=own&autoGroup=true")))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage("transport=own does not go together with the parameter autoGroup, which "
                + "brokermeter's own CORE path has not; leave transport=own out.");
        assertThatThrownBy(() -> driver().check(BROKER.withUrl("tcp://h:1?transport=codec").withClientId("me")))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("a client id");
        assertThatThrownBy(() -> driver().check(BROKER.withUrl("tcp://h:1?transport=pigeon"))).hasMessageContaining("own or client");
    }

    /** A broker before Artemis 2.37 refuses the version of the protocol that the own path speaks; the client may speak an older one. */
    @Test
    void leavesAnOlderBrokerToTheClient() throws Exception {
        try (var server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> refuseVersions(server));
            var settings = new ConnectionSettings("tcp://127.0.0.1:" + server.getLocalPort(), null, null, null, Duration.ofSeconds(20));
            var log = new ConnectionLog();
            assertThatThrownBy(() -> driver().connect(settings, log)).isInstanceOf(ConnectFailure.class);
            assertThat(log.notices()).singleElement().asString().startsWith("CORE goes over artemis-jakarta-client")
                .contains("does not speak the protocol of Artemis 2.37");
            assertThatThrownBy(() -> driver().connect(settings.withProperty("transport", "own"), log)).isInstanceOf(OlderBroker.class);
        }
    }

    /** Answers whatever comes first on a connection by an exception of code 108, and ends it. */
    private static void refuseVersions(ServerSocket server) {
        while (!server.isClosed()) {
            try (Socket client = server.accept()) {
                client.getInputStream().read();
                client.getOutputStream()
                    .write(ByteBuffer.allocate(18).putInt(14).put((byte) 20).putLong(1).putInt(108).put((byte) 0).array());
                client.shutdownOutput();
                client.getInputStream().readAllBytes();
            } catch (IOException e) {
                // the test has ended
            }
        }
    }

    private static ConnectionSettings with(String query) {
        return BROKER.withUrl(BROKER.settings().url() + query);
    }

    @Test
    void refusesHeadersThatJmsDoesNotAllow() {
        var header = ProducerSettings.of(its -> its.variants = List.of(new MessageVariant(null, -1, Map.of("content-type", "y"))));
        assertThatThrownBy(() -> driver().check(settings(), queue(), header)).hasMessageContaining("JMS")
            .hasMessageContaining("'content-type'");
    }

    @Test
    void setsItsWindowsAndSaysSo() throws Exception {
        var log = new ConnectionLog();
        connect(settings(), log);
        assertThat(log.notices()).singleElement().asString().contains("confirmationWindowSize=32768",
            "producerWindowSize=1048576");
        assertThat(driver().effectiveUrl(settings())).contains("confirmationWindowSize=32768", "producerWindowSize=1048576");
    }

    @Test
    void leavesAUrlAloneThatSetsTheConfirmationWindow() throws Exception {
        var log = new ConnectionLog();
        var settings = BROKER.withUrl(BROKER.settings().url() + "?confirmationWindowSize=20000");
        connect(settings, log);
        assertThat(log.notices()).isEmpty();
        assertThat(driver().effectiveUrl(settings)).endsWith("?confirmationWindowSize=20000");
        settings = BROKER.withUrl(BROKER.settings().url() + "?confirmationWindowSize=-1");
        connect(settings, log);
        assertThat(log.notices()).hasSize(2).last().asString().contains("no more than that the client has written");
    }

    /** Credit alone must not take away what a confirmation means. */
    @Test
    void addsTheConfirmationWindowToAUrlThatSetsTheOther() throws Exception {
        var log = new ConnectionLog();
        var settings = BROKER.withUrl(BROKER.settings().url() + "?producerWindowSize=65536");
        connect(settings, log);
        assertThat(driver().effectiveUrl(settings)).endsWith("?producerWindowSize=65536&confirmationWindowSize=32768");
        assertThat(log.notices()).singleElement().asString().contains("confirmationWindowSize=32768").doesNotContain("producerWindowSize");
    }

    @Test
    void reachesAQueueByItsFullyQualifiedName() throws Exception {
        var connection = connect();
        var plainName = queue();
        var queue = new Destination(Destination.Kind.QUEUE, plainName.name() + "::" + plainName.name() + ".q");
        assertThat(connection.declare(queue)).isTrue();
        var deliveries = new Deliveries();
        var consumer = connection.consumer(queue, auto(), deliveries);
        var sends = new Sends();
        send(connection.producer(queue, plain(), sends), sends, 0, 5, "m");
        deliveries.await(5);
        consumer.close();
        awaitDepth(connection, queue, 0);
        connection.delete(queue);
        assertThat(connection.declare(queue)).isTrue();
        connection.delete(queue);
    }
}
