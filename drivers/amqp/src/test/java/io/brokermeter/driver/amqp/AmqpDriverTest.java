package io.brokermeter.driver.amqp;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;

import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.failure.Refusal;
import io.brokermeter.spi.parameter.Secret;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Settings that the driver refuses before it connects. */
class AmqpDriverTest {

    private final AmqpDriver driver = new AmqpDriver();

    private static ConnectionSettings settings(String url, String user, Secret password) {
        return new ConnectionSettings(url, user, password, null, Duration.ofSeconds(1));
    }

    /** The broker would treat the connection as anonymous, so the run would not have the rights and limits of that user. */
    @ParameterizedTest
    @ValueSource(strings = {"amqp://h", "amqp://h?transport=client", "failover:(amqp://h)", "amqps://h?amqp.saslMechanisms=PLAIN"})
    void refusesAUserWithoutAPassword(String url) {
        for (Secret none : new Secret[] {null, Secret.of("")}) {
            assertThatThrownBy(() -> driver.check(settings(url, "u", none))).isInstanceOf(Refusal.class)
                .hasMessage("AMQP tells the broker no user name without a password, so that the connection would be anonymous; give a"
                    + " password, or leave out key 'user'.");
        }
        assertThatCode(() -> driver.check(settings(url, "u", Secret.of("p")))).doesNotThrowAnyException();
        assertThatCode(() -> driver.check(settings(url, null, null))).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"amqps://h?amqp.saslMechanisms=EXTERNAL", "amqp://h?amqp.saslMechanisms=PLAIN,GSSAPI",
        "amqp://h?amqp.saslMechanisms=ANONYMOUS", "failover:(amqps://h)?failover.nested.amqp.saslMechanisms=EXTERNAL"})
    void takesAUserWithoutAPasswordWhereTheMechanismNeedsNone(String url) {
        assertThatCode(() -> driver.check(settings(url, "u", null))).doesNotThrowAnyException();
    }

    /** A negative prefetch has no meaning, and must not be replaced silently by the default. */
    @ParameterizedTest
    @ValueSource(strings = {"amqp://h?jms.prefetchPolicy.all=-1", "amqp://h?transport=client&jms.prefetchPolicy.all=-1"})
    void refusesANegativePrefetch(String url) {
        assertThatThrownBy(() -> driver.check(settings(url, null, null))).isInstanceOf(IllegalArgumentException.class)
            .hasMessage("jms.prefetchPolicy.all=-1 must be a number of messages, 0 or more; 0 is one at a time.");
        assertThatCode(() -> driver.check(settings(url.replace("-1", "0"), null, null))).doesNotThrowAnyException();
    }

    /** A user who sets one of them expects an encrypted connection. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "amqp://h?transport.trustStoreLocation=ca.p12&transport.trustStorePassword=x | transport.trustStoreLocation",
        "tcp://h?sslEnabled=false&transport.keyStorePassword=x | transport.keyStorePassword",
        "amqp://h?transport=client&transport.trustAll=false | transport.trustAll",
        "amqpws://h?transport.verifyHost=true | transport.verifyHost",
        "failover:(amqp://a,amqp://b)?failover.nested.transport.storeType=JKS | failover.nested.transport.storeType",
        "failover:(amqp://a,amqp://b?transport.trustAll=true) | transport.trustAll"})
    void refusesParametersOfTlsWithoutTls(String url, String name) {
        assertThatThrownBy(() -> driver.check(settings(url, null, null))).isInstanceOf(IllegalArgumentException.class)
            .hasMessage("Parameter " + name + " needs TLS; begin the URL of the broker with amqps://.");
        assertThatThrownBy(() -> driver.check(settings("amqp://h", null, null).withProperty("transport.trustAll", "true")))
            .hasMessageContaining("needs TLS");
    }

    @ParameterizedTest
    @ValueSource(strings = {"amqps://h?transport.trustAll=true", "tcp://h?sslEnabled=true&transport.verifyHost=false",
        "failover:(amqps://a,amqps://b)?failover.nested.transport.trustAll=true"})
    void takesParametersOfTlsWithTls(String url) {
        assertThatCode(() -> driver.check(settings(url, null, null))).doesNotThrowAnyException();
    }

    @Test
    void takesAMechanismAsAProperty() {
        assertThatCode(() -> driver.check(settings("amqps://h", "u", null).withProperty("amqp.saslMechanisms", "EXTERNAL")))
            .doesNotThrowAnyException();
    }
}
