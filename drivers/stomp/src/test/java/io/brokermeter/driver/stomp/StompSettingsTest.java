package io.brokermeter.driver.stomp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.failure.Refusal;
import io.brokermeter.spi.parameter.Secret;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StompSettingsTest {

    private static final Destination QUEUE = new Destination(Destination.Kind.QUEUE, "q");

    private static ConnectionSettings url(String url) {
        return new ConnectionSettings(url, null, null, null, Duration.ofSeconds(1));
    }

    @ParameterizedTest
    @CsvSource(delimiter = ' ', value = {
        "stomp://h:1/vhost path", "http://h:1 scheme", "stomp://h?version=1.3 version", "stomp://h?receipts=maybe receipts",
        "stomp://h?receipts=false&receipts-every=5 receipts-every", "stomp://h?receipts-every=0 receipts-every",
        "stomp://h?ack=none ack", "stomp://h?heart-beat=5 heart-beat", "stomp://h?heart-beat=5,-1 heart-beat",
        "stomp://h?heart-beat=199,0 200",
        "stomp://h?requeue-share=0.5 consumers.requeue",
        "stomp://h?trust-all=true stomp+ssl", "stomps://h?trust-store=no-such-file.p12 no-such-file.p12", "stomp://h?broker=hornetq broker",
        "stomp://h?server-name=b stomp+ssl", "stomps://h?server-name= server-name",
        "stomps://h?server-name=b&verify-host=false verify-host=false",
        "stomp://h?recipts=false receipts"})
    void refusesWhatCannotBeMeant(String url, String named) {
        assertThatThrownBy(() -> new StompDriver().check(url(url)))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining(named).message()
            .matches("(?s).*[.?]");
    }

    @ParameterizedTest
    @CsvSource({"receipt", "content-length", "destination", "transaction"})
    void refusesHeadersThatAFrameHasForItself(String name) {
        var producer = ProducerSettings.of(its -> its.variants = List.of(new MessageVariant(null, -1, Map.of(name, "1"))));
        assertThatThrownBy(() -> new StompDriver().check(url("stomp://h"), QUEUE, producer))
            .isInstanceOf(IllegalArgumentException.class).message().contains("header " + name).endsWith(".");
    }

    /** The broker would wait for an acknowledgement, and the consumer for the rest of its batch. */
    @Test
    void refusesAPrefetchThatFillsNoBatch() {
        for (int prefetch : new int[] {0, 1, 9}) {
            var consumer = ConsumerSettings.of(its -> { its.ackMode = AckMode.BATCH; its.batch = 10; its.prefetch = prefetch; });
            assertThatThrownBy(() -> new StompDriver().check(url("stomp://h"), QUEUE, consumer))
                .isInstanceOf(IllegalArgumentException.class).message().contains("consumers.prefetch").endsWith(".");
        }
        new StompDriver().check(url("stomp://h"), QUEUE,
            ConsumerSettings.of(its -> {
                its.ackMode = AckMode.BATCH;
                its.batch = 10;
                its.prefetch = 10;
            }));
        new StompDriver().check(url("stomp://h"), QUEUE, ConsumerSettings.of(its -> { its.ackMode = AckMode.BATCH; its.batch = 10; }));
        new StompDriver().check(url("stomp://h"), QUEUE, ConsumerSettings.of(its -> its.prefetch = 0));
    }

    /** If the settings name the broker, an unsupported limit is refused before connecting. */
    @Test
    void refusesAPrefetchThatTheNamedBrokerHasNot() {
        var consumer = ConsumerSettings.of(its -> its.prefetch = 5);
        assertThatThrownBy(() -> new StompDriver().check(url("stomp://h?broker=artemis"), QUEUE, consumer)).isInstanceOf(Refusal.class)
            .message().contains("consumer-window-size").endsWith(" instead of key 'consumers.prefetch' 5.");
        assertThatThrownBy(() -> new StompDriver().check(url("stomp://h?broker=other"), QUEUE, consumer)).isInstanceOf(Refusal.class)
            .message().contains("has no word for a limit").endsWith(".");
        for (String broker : new String[] {"auto", "rabbitmq", "activemq"}) {
            new StompDriver().check(url("stomp://h?broker=" + broker), QUEUE, consumer);
        }
        new StompDriver().check(url("stomp://h?broker=artemis"), QUEUE, ConsumerSettings.of(its -> its.prefetch = 1));
    }

    @ParameterizedTest
    @CsvSource({"user", "password", "client id"})
    void refusesALoginOrAClientIdThatTheProtocolCannotCarry(String what) {
        for (var bad : new String[] {"a\nb", "a\rb", "a\0b"}) {
            var settings = new ConnectionSettings("stomp://h", what.equals("user") ? bad : "u",
                what.equals("password") ? Secret.of(bad) : null, what.equals("client id") ? bad : null, Duration.ofSeconds(1));
            assertThatThrownBy(() -> new StompDriver().check(settings)).isInstanceOf(IllegalArgumentException.class)
                .message().contains(what).contains("STOMP").doesNotContain(bad).endsWith(".");
        }
    }

    /** CoilMQ, for example, supports one virtual host only. */
    @Test
    void namesTheVirtualHostThatABrokerRefuses() throws Exception {
        try (var server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> {
                try (var socket = server.accept()) {
                    socket.getInputStream().read(new byte[1000]);
                    socket.getOutputStream().write("ERROR\nmessage:Virtual hosting is not supported or host is unknown\n\n\0"
                        .getBytes(StandardCharsets.US_ASCII));
                } catch (IOException e) {
                    // the test is over
                }
            });
            var settings = new ConnectionSettings("stomp://127.0.0.1:" + server.getLocalPort(), null, null, null, Duration.ofSeconds(60));
            assertThatThrownBy(() -> new StompDriver().connect(settings, new ConnectionLog())).message()
                .contains("Virtual hosting is not supported").contains("'/'").contains("host=").endsWith(".");
        }
    }

    @Test
    void readsParametersOfUrlAndProperties() {
        var settings = StompSettings.of(new StompDriver(),
            url("stomps://a:1,b?version=1.1&queue-prefix=&ack=client").withProperty("heart-beat", "200,7"));
        assertThat(settings.url().servers()).hasSize(2).last().hasToString("b:61613");
        assertThat(settings.version()).isEqualTo(StompVersion.V1_1);
        assertThat(settings.queuePrefix()).isEmpty();
        assertThat(settings.topicPrefix()).isNull();
        assertThat(settings.ack()).isEqualTo(StompSettings.Ack.CLIENT);
        assertThat(settings.heartBeatOut()).isEqualTo(200);
        assertThat(settings.heartBeatIn()).isEqualTo(7);
        assertThat(settings.tls()).isNotNull();
    }

    @Test
    void promisesWhatTheSettingsAllow() {
        var driver = new StompDriver();
        assertThat(driver.capabilities()).contains(Capability.CONFIRMATIONS, Capability.TRANSACTED_RECEIVE);
        assertThat(driver.capabilities(url("stomp://h?receipts=false"))).doesNotContain(Capability.CONFIRMATIONS);
        assertThat(driver.capabilities(url("stomp://h?ack=auto")))
            .doesNotContain(Capability.BATCH_ACKNOWLEDGEMENT, Capability.TRANSACTED_RECEIVE);
        assertThat(driver.capabilities(url("stomp://h?broker=artemis")))
            .doesNotContain(Capability.TRANSACTED_RECEIVE).contains(Capability.SHARED_SUBSCRIPTIONS);
        assertThat(driver.capabilities(url("stomp://h?broker=rabbitmq"))).doesNotContain(Capability.SELECTORS);
        assertThat(driver.capabilities(url("stomp://h?broker=activemq"))).doesNotContain(Capability.SHARED_SUBSCRIPTIONS)
            .contains(Capability.PREFETCH);
        assertThat(driver.capabilities(url("stomp://h?broker=other"))).doesNotContain(Capability.PREFETCH);
    }

    @Test
    void saysAfterHowManyIntervalsABrokerIsLost() {
        assertThat(new StompDriver().parameters()).filteredOn(parameter -> parameter.name().equals("heart-beat")).singleElement()
            .satisfies(parameter -> assertThat(parameter.description()).contains("lost after three"));
    }

    @Test
    void showsNoPassword() {
        assertThat(new StompDriver().effectiveUrl(url("stomps://h?trust-store=f&trust-store-password=secret")))
            .contains("trust-store=f").doesNotContain("secret");
    }

    @Test
    void namesTheBrokerForPeople() {
        assertThat(Dialect.product("ActiveMQ-Artemis/2.55.0 ActiveMQ Artemis Messaging Engine"))
            .isEqualTo("ActiveMQ Artemis 2.55.0");
        assertThat(Dialect.product("RabbitMQ/3.10.8")).isEqualTo("RabbitMQ 3.10.8");
        assertThat(Dialect.product(null)).isEmpty();
        for (StompVersion version : StompVersion.values()) {
            assertThat(Dialect.of("ActiveMQ/6.1.0", version)).isEqualTo(Dialect.ACTIVEMQ);
            assertThat(Dialect.of("ActiveMQ-Artemis/2.55.0", version)).isEqualTo(Dialect.ARTEMIS);
            assertThat(Dialect.of("apollo/1.7", version)).isEqualTo(Dialect.OTHER);
        }
    }
}
