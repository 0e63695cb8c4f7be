package io.brokermeter.driver.nats;

import static io.brokermeter.contract.TestMessages.auto;
import static io.brokermeter.contract.TestMessages.payload;
import static io.brokermeter.contract.TestMessages.plain;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.Await;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Sends;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.Secret;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Operations that the server denies to a user without closing the connection. */
@Tag("slow")
class PermissionsTest {

    private static Broker broker;
    private final ConnectionLog log = new ConnectionLog();

    @BeforeAll
    static void start() throws Exception {
        broker = Broker.start(BrokerName.parse("nats"), BrokerOptions.defaults().withProperty("authorization",
            "{users: [{user: limited, password: pw, permissions: {publish: {deny: [silent, \"$JS.API.STREAM.INFO.closed\"]}, "
                + "subscribe: {deny: [secret, \"_brokermeter.taken.queue\"]}}}], timeout: 60}"));
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    private Connection connect(String mode, Duration limit) throws Exception {
        return new NatsDriver().connect(
            new ConnectionSettings(broker.url(), "limited", Secret.of("pw"), null, limit, Map.of("mode", mode)), log);
    }

    private static Destination queue(String name) {
        return new Destination(Destination.Kind.QUEUE, name);
    }

    /** Guards against a report that the server has no JetStream. */
    @Test
    void aStreamThatMayNotBeAskedForIsRefusedWithTheServersWords() throws Exception {
        try (var connection = connect("jetstream", Duration.ofSeconds(25))) {
            assertThatThrownBy(() -> connection.declare(queue("closed"))).isInstanceOf(DriverException.class)
                .hasMessageContaining("Permissions Violation").hasMessageContaining("STREAM.INFO.closed")
                .hasMessageNotContaining("mode=core");
        }
    }

    @Test
    void sendsThatHaveNoAnswerNameTheReason() throws Exception {
        try (var connection = connect("jetstream", Duration.ofSeconds(60))) {
            var sends = new Sends();
            var producer = connection.producer(queue("silent"), plain(), sends);
            for (int i = 0; i < 3; i++) {
                producer.send(payload("m"), i);
            }
            producer.flush();
            Await.until(() -> !log.notices().isEmpty(), () -> "no notice");
            assertThat(producer.stallReason()).contains("Permissions Violation", "silent");
            assertThat(log.notices()).singleElement().asString().contains("Permissions Violation", "silent").endsWith(".");
            assertThat(sends.reported()).isZero();
        }
        assertThat(log.losses()).isEmpty();
    }

    @Test
    void sendsThatPlainSubjectsDoNotTakeAreTold() throws Exception {
        try (var connection = connect("core", Duration.ofSeconds(60))) {
            var producer = connection.producer(queue("silent"), plain(), new Sends());
            producer.send(payload("m"), 0);
            producer.flush();
            Await.until(() -> log.notices().stream().anyMatch(each -> each.contains("silent")), () -> "no notice");
        }
    }

    /** Guards against a consumer that is created but receives nothing. */
    @Test
    void aSubscriptionThatIsNotAllowedFails() throws Exception {
        try (var core = connect("core", Duration.ofSeconds(60)); var streams = connect("jetstream", Duration.ofSeconds(60))) {
            assertThatThrownBy(() -> core.consumer(queue("secret"), auto(), new Deliveries())).isInstanceOf(DriverException.class)
                .hasMessageContaining("Permissions Violation").hasMessageContaining("queue://secret");
            assertThatThrownBy(() -> streams.consumer(queue("taken"), auto(), new Deliveries())).isInstanceOf(DriverException.class)
                .hasMessageContaining("Permissions Violation").hasMessageContaining("queue://taken");
        }
    }
}
