package io.brokermeter.driver.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Sends;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.parameter.Secret;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class TlsTest {

    private static final String PASSWORD = "secret";

    @TempDir
    private static Path directory;
    private static Broker broker;

    @BeforeAll
    static void start() throws Exception {
        keytool("-genkeypair", "-alias", "broker", "-keyalg", "RSA", "-dname", "CN=broker", "-ext", "SAN=ip:127.0.0.1",
            "-keystore", "keys.p12");
        keytool("-exportcert", "-alias", "broker", "-file", "broker.crt", "-keystore", "keys.p12");
        keytool("-importcert", "-noprompt", "-alias", "broker", "-file", "broker.crt", "-keystore", "trust.p12");
        broker = Broker.start(BrokerName.parse("mosquitto"),
            BrokerOptions.defaults().withTls(directory.resolve("keys.p12"), Secret.of(PASSWORD)));
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    private static void keytool(String... arguments) throws Exception {
        var command = Stream.of(List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString()),
            List.of(arguments), List.of("-storepass", PASSWORD, "-storetype", "PKCS12")).flatMap(List::stream).toList();
        var process = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true).start();
        assertThat(new String(process.getInputStream().readAllBytes())).doesNotContainIgnoringCase("exception");
        assertThat(process.waitFor()).isZero();
    }

    private static ConnectionSettings settings(Map<String, String> parameters) {
        return new ConnectionSettings(broker.url(), null, null, null, Duration.ofSeconds(30), parameters);
    }

    private static Map<String, String> trusting() {
        return Map.of("trust-store", directory.resolve("trust.p12").toString(), "trust-store-password", PASSWORD);
    }

    @Test
    void carriesMessagesOfAllSizes() throws Exception {
        assertThat(broker.url()).startsWith("mqtts://");
        try (var connection = new MqttDriver().connect(settings(trusting()), new ConnectionLog())) {
            var topic = new Destination(Destination.Kind.TOPIC, "t");
            var deliveries = new Deliveries();
            connection.consumer(topic, ConsumerSettings.DEFAULT, deliveries);
            var sends = new Sends();
            var producer = connection.producer(topic, ProducerSettings.of(its -> its.maxPending = 10), sends);
            var random = new Random(4);
            for (int token = 0; token < 100; token++) {
                var body = new byte[random.nextInt(1 << random.nextInt(1, 19))];
                Arrays.fill(body, (byte) token);
                producer.send(new Payload(body), token);
            }
            producer.flush();
            deliveries.await(100);
            sends.awaitConfirmed(100);
            for (int token = 0; token < 100; token++) {
                byte expected = (byte) token;
                assertThat(deliveries.all().get(token).bytes()).satisfies(bytes -> {
                    for (byte each : bytes) {
                        if (each != expected) {
                            throw new AssertionError("message " + expected + " holds " + each);
                        }
                    }
                });
            }
        }
    }

    @Test
    void showsNoPasswordInTheUrl() {
        var url = broker.url() + "?trust-all=true&key-store=" + directory.resolve("keys.p12") + "&key-store-password=" + PASSWORD;
        var settings = settings(Map.of()).withUrl(url);
        assertThat(new MqttDriver().effectiveUrl(settings)).contains("trust-all=true").doesNotContain(PASSWORD);
    }

    @Test
    void refusesParametersOfTlsWithoutIt() {
        var plain = settings(Map.of("trust-all", "true")).withUrl("mqtt://localhost");
        assertThatThrownBy(() -> new MqttDriver().check(plain)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("mqtts://");
    }
}
