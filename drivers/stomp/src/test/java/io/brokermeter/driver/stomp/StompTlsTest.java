package io.brokermeter.driver.stomp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.UUID;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Life;
import io.brokermeter.contract.Sends;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.Secret;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StompTlsTest {

    @TempDir
    static Path directory;

    private static Path keys;
    private static Broker broker;

    @BeforeAll
    static void startBroker() throws Exception {
        keys = directory.resolve("keys.p12");
        Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            "-genkeypair", "-alias", "broker", "-keyalg", "EC", "-dname", "CN=broker", "-ext", "san=ip:127.0.0.1",
            "-storetype", "PKCS12", "-keystore", keys.toString(), "-storepass", "key secret").redirectErrorStream(true).start();
        assertThat(keytool.waitFor()).isZero();
        broker = Broker.start(BrokerName.parse("artemis"),
            BrokerOptions.defaults().withHeap("300m").withTls(keys, Secret.of("key secret")));
    }

    @AfterAll
    static void stopBroker() {
        broker.close();
    }

    private static ConnectionSettings settings(String host) {
        return new ConnectionSettings(
            "stomp+ssl://" + host + ":" + broker.port(), null, null, null, Duration.ofSeconds(20));
    }

    private static ConnectionSettings trusting(String host) {
        return settings(host).withProperty("trust-store", keys.toString())
            .withProperty("trust-store-password", "key secret");
    }

    @Test
    void sendsAndReceivesOverTls() throws Exception {
        try (var connection = new StompDriver().connect(trusting("127.0.0.1"), new Life())) {
            var queue = new Destination(Destination.Kind.QUEUE, "tls." + UUID.randomUUID());
            var deliveries = new Deliveries();
            connection.consumer(queue, ConsumerSettings.DEFAULT, deliveries);
            var sends = new Sends();
            var producer = connection.producer(queue,
                ProducerSettings.DEFAULT, sends);
            var large = new byte[1024 * 1024];
            new Random(5).nextBytes(large);
            for (int i = 0; i < 1000; i++) {
                producer.send(new Payload(i % 500 == 0 ? large : new byte[i]), i);
            }
            producer.flush();
            deliveries.await(1000);
            sends.awaitConfirmed(1000);
            assertThat(deliveries.all().get(500).bytes()).isEqualTo(large);
            assertThat(deliveries.all().get(999).bytes()).hasSize(999);
        }
    }

    @Test
    void refusesACertificateThatNobodyVouchesFor() {
        assertThatThrownBy(() -> new StompDriver().connect(settings("127.0.0.1"), new Life()))
            .hasMessageContaining("is not trusted (issuer CN=broker)");
    }

    @Test
    void refusesACertificateForAnotherHostUnlessToldNotToCare() throws Exception {
        assertThatThrownBy(() -> new StompDriver().connect(trusting("localhost"), new Life()))
            .hasMessageContaining("is for another host (127.0.0.1)");
        new StompDriver().connect(trusting("localhost").withProperty("verify-host", "false"), new Life()).close();
        new StompDriver().connect(settings("localhost").withProperty("trust-all", "true"), new Life()).close();
    }

    @Test
    void saysWhichStoreCannotBeRead() {
        var settings = trusting("127.0.0.1").withProperty("trust-store", "no-such-file.p12");
        assertThatThrownBy(() -> new StompDriver().connect(settings, new Life()))
            .hasMessageContaining("no-such-file.p12").hasMessageContaining("trust-store");
    }
}
