package io.brokermeter.driver.kafka;

import static io.brokermeter.contract.TestMessages.payload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;

import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.failure.Refusal;
import io.brokermeter.spi.parameter.Secret;
import org.apache.kafka.clients.CommonClientConfigs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KafkaSettingsTest {

    private final KafkaDriver driver = new KafkaDriver();

    private static ConnectionSettings as(String user, String password, String clientId) {
        return new ConnectionSettings("kafka://h", user, Secret.of(password), clientId, Duration.ofSeconds(1));
    }

    @Test
    void refusesALoginOrAClientIdThatTheProtocolCannotCarry() {
        for (var settings : new ConnectionSettings[] {as("a\0", "p", null), as("u", "p\0", null), as("u", "p", "x".repeat(40_000))}) {
            assertThatThrownBy(() -> driver.check(settings)).isInstanceOf(IllegalArgumentException.class).message()
                .startsWith("Kafka cannot carry").endsWith(".").doesNotContain("xxx");
        }
        assertThatCode(() -> driver.check(as("u", "p", "x"))).doesNotThrowAnyException();
    }

    /** The client would ignore the login, and either connect without it or fail with a misleading error. */
    @Test
    void refusesALoginThatTheClientWouldNotUse() {
        for (String protocol : new String[] {"SSL", "PLAINTEXT", "ssl"}) {
            assertThatThrownBy(() -> driver.check(as("u", "p", null).withProperty("security.protocol", protocol)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("security.protocol=" + protocol)
                .hasMessageContaining("use SASL_SSL");
        }
        for (String protocol : new String[] {"SASL_SSL", "sasl_plaintext"}) {
            assertThatCode(() -> driver.check(as("u", "p", null).withProperty("security.protocol", protocol))).doesNotThrowAnyException();
        }
        var alone = new ConnectionSettings("kafka://h", "u", null, null, Duration.ofSeconds(1));
        assertThatThrownBy(() -> driver.check(alone)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("give a password for user 'u'");
        assertThatCode(() -> driver.check(alone.withProperty("security.protocol", "SASL_PLAINTEXT").withProperty("sasl.jaas.config",
            "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"u\" password=\"p\";")))
            .doesNotThrowAnyException();
    }

    /** Kafka's client accepts these names in any case. Taken for plain text, they would lead to the advice to set what is already set. */
    @Test
    void knowsTlsInSmallLetters() {
        for (String protocol : new String[] {"ssl", "SASL_ssl", "SSL"}) {
            assertThat(KafkaSettings.of(driver, as(null, null, null).withProperty("security.protocol", protocol)).tls()).isTrue();
        }
        assertThat(KafkaSettings.of(driver, as(null, null, null).withProperty("security.protocol", "plaintext")).tls()).isFalse();
    }

    /** Kafka's client connects from the address that the system chooses. */
    @Test
    void takesASourceWhereNoMessageGoesOverTheClient() {
        var settings = as("u", "p", null);
        assertThat(driver.takesSource(settings)).isTrue();
        assertThat(driver.takesSource(settings.withProperty("transport", "own"))).isTrue();
        for (String other : List.of("transport=client", "compression.type=lz4", "client.rack=r", "share-group=true")) {
            String[] parts = other.split("=");
            assertThat(driver.takesSource(settings.withProperty(parts[0], parts[1]))).as(other).isFalse();
        }
        var transacted = ProducerSettings.of(its -> its.transacted = true);
        var queue = Destination.parse("queue://Q");
        assertThatCode(() -> driver.check(settings, queue, transacted)).doesNotThrowAnyException();
        assertThatThrownBy(() -> driver.check(settings.withSource("127.0.0.2"), queue, transacted)).isInstanceOf(Refusal.class)
            .hasMessageStartingWith("Transactions go over kafka-clients").hasMessageEndingWith("leave key 'sourceAddresses' out.");
    }

    @Test
    void givesTheClientsTheClientId() {
        assertThat(KafkaSettings.of(driver, as("u", "p", "me")).clients().producer().get(CommonClientConfigs.CLIENT_ID_CONFIG)).asString()
            .startsWith("me-producer-");
    }

    @Test
    void leavesHowPartitionsAreSharedToTheUserAndToTheNewProtocol() {
        var settings = as(null, null, null);
        assertThat(KafkaSettings.of(driver, settings).clients().groupConsumer("g", false).get("partition.assignment.strategy"))
            .asString()
            .matches("\\[.*RoundRobinAssignor, .*RangeAssignor, .*CooperativeStickyAssignor]");
        assertThat(KafkaSettings.of(driver, settings.withProperty("partition.assignment.strategy", "x")).clients()
            .groupConsumer("g", false))
            .containsEntry("partition.assignment.strategy", "x");
        assertThat(KafkaSettings.of(driver, settings.withProperty("group.protocol", "consumer")).clients().groupConsumer("g", false))
            .doesNotContainKey("partition.assignment.strategy");
    }

    /** Guards against properties that are accepted but have no effect. */
    @Test
    void refusesPropertiesThatNobodyWouldAskFor() {
        var settings = as("u", "p", null);
        assertThatThrownBy(() -> driver.check(settings.withProperty("share-group", "true").withProperty("heartbeat.interval.ms", "500")))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("heartbeat.interval.ms").message().endsWith(".");
        var chosen = settings.withProperty("partitioner.ignore.keys", "true");
        for (String partition : new String[] {"producer", "round-robin", "2"}) {
            assertThatThrownBy(() -> driver.check(chosen.withProperty("partition", partition))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("partition=" + partition).hasMessageContaining("partitioner.");
        }
        assertThatCode(() -> driver.check(chosen.withProperty("partition", "any"))).doesNotThrowAnyException();
        assertThatCode(() -> driver.check(chosen)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({"compression.type, lz4, true, false", "partitioner.ignore.keys, true, true, false", "sasl.mechanism, GSSAPI, true, true",
        "interceptor.classes, a.B, true, true", "receive.buffer.bytes, 1, true, true", "client.rack, r, false, true",
        "auto.offset.reset, by_duration:PT1H, false, true", "security.protocol, SASL_SSL, true, true",
        "compression.type, none, false, false", "linger.ms, 7, false, false", "sasl.mechanism, SCRAM-SHA-512, false, false",
        "fetch.min.bytes, 100, false, false", "session.timeout.ms, 9000, false, false", "transport, own, false, false"})
    void namesWhatTheOwnPathHasNot(String name, String value, boolean sends, boolean receives) {
        var settings = new ConnectionSettings("kafka://h", null, null, null, Duration.ofSeconds(1)).withProperty(name, value);
        String what = name.equals("security.protocol") ? "a login by JAAS" : name + "=" + value;
        var own = KafkaSettings.of(driver, settings).own();
        assertThat(own.sendObstacle()).isEqualTo(sends ? what : "");
        assertThat(own.receiveObstacle()).isEqualTo(receives ? what : "");
        var log = new ConnectionLog();
        assertThat(own.isUsed(OwnPath.SENDS, own.sendObstacle(), log)).isEqualTo(!sends);
        assertThat(log.notices()).isEqualTo(!sends ? List.of()
            : List.of("KAFKA sends over " + OwnPath.LIBRARY + " because of " + what + ", which brokermeter's own path has not."));
        var byName = settings.withProperty("transport", "own");
        if (!sends && !receives) {
            assertThatCode(() -> driver.check(byName)).doesNotThrowAnyException();
        } else if (!value.contains("a.B")) {
            assertThatThrownBy(() -> driver.check(byName)).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("transport=own does not go together with " + what
                    + ", which brokermeter's own Kafka path has not; leave transport=own out.");
        }
    }

    @Test
    void usesTheClientWhereTheUserAsksForIt() {
        var log = new ConnectionLog();
        assertThat(KafkaSettings.of(driver, as(null, null, null).withProperty("transport", "client")).own()
            .isUsed(OwnPath.SENDS, "", log)).isFalse();
        assertThat(log.notices()).isEmpty();
        assertThatThrownBy(() -> driver.check(as("u", "p", null).withProperty("transport", "fast")))
            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("must be own or client");
    }

    @Test
    void leavesPartitionsToThePartitionerThatTheUserNames() {
        var settings = KafkaSettings.of(driver, as(null, null, null).withProperty("partitioner.class", "own.Partitioner"));
        var body = payload("m");
        assertThat(RecordFactory.of(settings, "T", ProducerSettings.DEFAULT, 4, 1).next(body, 0).partition()).isNull();
        assertThat(
            RecordFactory.of(KafkaSettings.of(driver, as(null, null, null)), "T", ProducerSettings.DEFAULT, 4, 1).next(body, 0).partition())
            .isEqualTo(1);
    }

    @Test
    void leavesTheIsolationOfAShareGroupToTheUser() {
        assertThat(KafkaSettings.of(driver, as(null, null, null)).isolation()).isEqualTo("read_committed");
        assertThat(KafkaSettings.of(driver, as(null, null, null).withProperty("isolation.level", "read_uncommitted")).isolation())
            .isEqualTo("read_uncommitted");
    }

    @Test
    void leavesHowToRecoverToTheUser() {
        var settings = as(null, null, null);
        assertThat(KafkaSettings.of(driver, settings).clients().admin()).containsEntry("metadata.recovery.strategy", "none");
        assertThat(KafkaSettings.of(driver, settings.withProperty("metadata.recovery.strategy", "rebootstrap")).clients().consumer())
            .containsEntry("metadata.recovery.strategy", "rebootstrap");
    }
}
