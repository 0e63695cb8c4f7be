package io.brokermeter.driver.openwire;

import static io.brokermeter.contract.TestMessages.payload;
import static io.brokermeter.contract.TestMessages.plain;
import static io.brokermeter.contract.TestMessages.send;
import static io.brokermeter.contract.TestMessages.transacted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerNode;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.Await;
import io.brokermeter.contract.BrokerTest;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.brokers.ThrowawayBroker;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.Settlement;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.Secret;
import jakarta.jms.DeliveryMode;
import jakarta.jms.TransactionRolledBackException;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Behaviour of the OpenWire driver beyond the contract. */
class OpenWireTest extends BrokerTest {

    private static final BrokerName ACTIVEMQ = BrokerName.parse("activemq");
    private static final ThrowawayBroker BROKER = OpenWireContractTest.activeMq();

    OpenWireTest() {
        super(BROKER);
    }

    @Test
    void namesTheVersionOfItsBroker() throws Exception {
        assertThat(connect().broker()).isEqualTo("ActiveMQ 6.3.1");
        assertThat(driver().client()).isEqualTo("activemq-client 6.3.1");
    }

    @Test
    void writesWhatTheSettingsSayIntoTheMessage() throws Exception {
        var queue = queue();
        var connection = connect();
        var sends = new Sends();
        send(connection.producer(queue, ProducerSettings.of(its -> {
            its.persistent = true;
            its.ttlMillis = 600_000;
            its.messageIds = true;
            its.maxPending = 10;
            its.variants = List.of(new MessageVariant("g", -1, Map.of("a", "b")));
        }), sends),
            sends, 0, 1, "m");
        send(connection.producer(queue, ProducerSettings.of(its -> {
            its.timestamps = true;
            its.maxPending = 10;
        }), sends), sends, 1, 2, "m");
        sends.awaitConfirmed(2);
        var factory = new ActiveMQConnectionFactory(ThrowawayBroker.USER, OpenWireContractTest.PASSWORD, BROKER.broker().url());
        try (var jms = factory.createConnection(); var session = jms.createSession()) {
            jms.start();
            var consumer = session.createConsumer(session.createQueue(queue.name()));
            var first = consumer.receive(60_000);
            assertThat(first.getJMSDeliveryMode()).isEqualTo(DeliveryMode.PERSISTENT);
            assertThat(first.getJMSExpiration() - System.currentTimeMillis()).isBetween(1L, 600_000L);
            assertThat(first.getStringProperty("JMSXGroupID")).isEqualTo("g");
            assertThat(first.getStringProperty("a")).isEqualTo("b");
            assertThat(first.getJMSTimestamp()).isZero();
            var second = consumer.receive(60_000);
            assertThat(second.getJMSDeliveryMode()).isEqualTo(DeliveryMode.NON_PERSISTENT);
            assertThat(second.getJMSExpiration()).isZero();
            assertThat(second.getJMSTimestamp()).isPositive();
        }
    }

    /** By default the prefetch follows from the size of the messages. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void holdsNoMoreMessagesThanThePrefetchAllows(boolean given) throws Exception {
        var queue = queue();
        var connection = connect();
        fill(queue, 20);
        var go = new CountDownLatch(1);
        var busy = ConsumerSettings.of(its -> { its.prefetch = given ? 3 : -1; its.messageBytes = 5_000_000; its.mayBlock = true; });
        connection.consumer(queue, busy, new DeliveryListener() {

            @Override
            public Settlement delivered(ByteBuffer body, boolean redelivered) {
                try {
                    go.await(120, TimeUnit.SECONDS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                return Settlement.ACCEPT;
            }

            @Override
            public void failed(Throwable cause) {}
        });
        var rest = receiving(connect(), queue);
        // one message is being processed, three are prefetched, and up to two were acknowledged ahead
        rest.await(20 - 1 - 3 - 2);
        go.countDown();
    }

    @Test
    void refusesASelectorThatCannotBeRead() throws Exception {
        var queue = queue();
        var connection = connect();
        var selecting = ConsumerSettings.of(its -> { its.mayBlock = true; its.selector = "a = = b"; });
        assertThatThrownBy(() -> connection.consumer(queue, selecting, new Deliveries()))
            .isInstanceOf(DriverException.class).hasMessageContaining("'a = = b'").hasMessageContaining("change the selector");
    }

    @Test
    void connectsThroughNio() throws Exception {
        var queue = queue();
        var connection = connect(BROKER.withUrl("nio://127.0.0.1:" + BROKER.port() + "?jms.useCompression=true"));
        fill(queue, 10);
        assertThat(receive(queue, 10)).startsWith("m0").endsWith("m9");
    }

    @Test
    void goesOnWithTheSlaveWhenTheMasterDies() throws Exception {
        try (var pair = Broker.start(ACTIVEMQ,
            BrokerOptions.defaults().withHeap("200m").withTopology("master-slave"))) {
            assertThat(pair.nodes()).extracting(BrokerNode::role).containsExactly("master", "slave");
            int slave = pair.nodes().get(1).port();
            assertThat(pair.url()).startsWith("failover:(tcp://127.0.0.1:" + pair.port() + ",tcp://127.0.0.1:" + slave + ")?");
            assertThatThrownBy(() -> new Socket("127.0.0.1", slave)).as("a slave that waits listens to nobody")
                .isInstanceOf(IOException.class);
            var log = new ConnectionLog();
            var connection = connect(BROKER.withUrl(pair.url()), log);
            var queue = new Destination(Destination.Kind.QUEUE, "taken.over");
            var sends = new Sends();
            var producer = connection.producer(queue, ProducerSettings.of(its -> {
                its.persistent = true;
                its.maxPending = 100;
            }), sends);
            var deliveries = receiving(connection, queue);
            send(producer, sends, 0, 50, "m");
            sends.awaitConfirmed(50);
            deliveries.await(50);
            pair.node().kill();
            Await.until(Duration.ofSeconds(120), () -> log.interruptions() > 0 && log.resumptions() > 0,
                () -> "the slave did not take over");
            send(producer, sends, 50, 100, "m");
            sends.awaitConfirmed(100);
            Await.until(() -> deliveries.texts().contains("m99"), () -> "only " + deliveries.count() + " arrived");
            assertThat(log.losses()).isEmpty();
            assertThat(sends.violations()).isEmpty();
            connection.close();
        }
    }

    /** The client reports a rollback although the outcome of the commit is unknown. */
    @Test
    void aCommitThatAFailoverLeavesInDoubtIsUnknown() throws Exception {
        var proxy = proxy();
        var queue = queue();
        var deliveries = receiving(connect(), queue);
        var connection = connect(BROKER.withUrl("failover:(tcp://127.0.0.1:" + proxy.port() + ",tcp://127.0.0.1:" + BROKER.port()
            + ")?randomize=false"));
        var sends = new Sends();
        var producer = connection.producer(queue, transacted(), sends);
        producer.send(payload("m0"), 0);
        proxy.swallowAnswers();
        var commit = new FutureTask<@Nullable Throwable>(() -> catchThrowable(producer::commit));
        Thread.ofPlatform().daemon().start(commit);
        deliveries.await(1);
        proxy.cut();
        assertThat(commit.get(60, TimeUnit.SECONDS)).isInstanceOf(TransactionRolledBackException.class);
        assertThat(sends.unknown()).containsOnlyKeys(0L);
        assertThat(sends.failures()).isEmpty();
    }

    @Test
    void speaksTls() throws Exception {
        var directory = Files.createTempDirectory("tls");
        var keys = directory.resolve("keys.p12");
        var keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            "-genkeypair", "-alias", "a", "-keyalg", "EC", "-dname", "CN=localhost", "-ext", "san=dns:localhost",
            "-storetype", "PKCS12", "-keystore", keys.toString(), "-storepass", "secret")
            .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        assertThat(keytool.waitFor()).isZero();
        try (var secure = Broker.start(ACTIVEMQ, BrokerOptions.defaults().withHeap("200m").withPersistent(false)
            .withTls(keys, Secret.of("secret")))) {
            assertThat(secure.url()).isEqualTo("ssl://127.0.0.1:" + secure.port());
            assertThat(secure.urls().get("AMQP")).startsWith("amqps://");
            var trusting = "?trust-store=" + keys + "&trust-store-password=secret";
            var queue = new Destination(Destination.Kind.QUEUE, "secret");
            for (var url : new String[] {
                "openwires://localhost:" + secure.port() + trusting,
                "openwires://127.0.0.1:" + secure.port() + trusting + "&verify-host=false",
                "nio+ssl://127.0.0.1:" + secure.port() + "?trust-all=true",
                "failover:(ssl://localhost:" + secure.port() + ")" + trusting}) {
                assertThat(driver().effectiveUrl(BROKER.withUrl(url))).doesNotContain("secret");
                var sends = new Sends();
                try (var connection = driver().connect(BROKER.withUrl(url), new ConnectionLog())) {
                    send(connection.producer(queue, plain(), sends), sends, 0, 5, "m");
                    sends.awaitConfirmed(5);
                }
            }
            assertThatThrownBy(() -> connect(BROKER.withUrl("openwires://127.0.0.1:" + secure.port() + trusting)))
                .hasMessageContaining("is for another host (localhost); connect by a name that it has, or set verify-host=false, "
                    + "as where a proxy leads to the broker and no name does.");
            assertThatThrownBy(() -> connect(BROKER.withUrl("openwires://localhost:" + secure.port())))
                .hasMessageContaining("is not trusted (issuer CN=localhost)");
        } finally {
            Files.delete(keys);
            Files.delete(directory);
        }
    }

    @Test
    void putsWhatWasRejectedToTheDeadLetters() throws Exception {
        var queue = queue();
        var connection = connect();
        var sends = new Sends();
        send(connection.producer(queue, ProducerSettings.of(its -> {
            its.persistent = true;
            its.maxPending = 100;
        }), sends), sends, 0, 1,
            queue.name());
        sends.awaitConfirmed(1);
        var deliveries = new Deliveries(delivery -> Settlement.REJECT);
        connection.consumer(queue,
            ConsumerSettings.of(its -> { its.mayBlock = true; its.settles = true; }), deliveries);
        deliveries.await(1);
        var dead = receiving(connect(), new Destination(Destination.Kind.QUEUE, "ActiveMQ.DLQ"));
        Await.until(() -> dead.texts().contains(queue.name() + "0"), () -> "dead letters: " + dead.texts());
    }
}
