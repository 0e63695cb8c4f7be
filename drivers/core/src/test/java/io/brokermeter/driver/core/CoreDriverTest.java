package io.brokermeter.driver.core;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;

import io.brokermeter.spi.ConnectionSettings;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** URLs that are refused before a connection is opened. */
class CoreDriverTest {

    private final CoreDriver driver = new CoreDriver();

    private static ConnectionSettings settings(String url) {
        return new ConnectionSettings(url, null, null, null, Duration.ofSeconds(1));
    }

    /** A user who gives a parameter of TLS does not expect a connection without encryption. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "tcp://h:1?trustStorePath=ca.p12&trustStorePassword=x | trustStorePath", "core://h:1?keyStoreAlias=me | keyStoreAlias",
        "tcp://h:1?sslEnabled=false&trustAll=true | trustAll", "(tcp://a:1,tcp://b:1)?verifyHost=true | verifyHost",
        "amqp://h:1?crlPath=gone.crl | crlPath"})
    void refusesParametersOfTlsWithoutTls(String url, String name) {
        assertThatThrownBy(() -> driver.check(settings(url))).isInstanceOf(IllegalArgumentException.class)
            .hasMessage("Parameter " + name + " needs TLS; add sslEnabled=true.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"trustStorePath", "keyStorePath"})
    void refusesAStoreThatCannotBeRead(String name) {
        assertThatThrownBy(() -> driver.check(settings("tcp://h:1?sslEnabled=true&" + name + "=/gone.p12")))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage("Parameter " + name + " names '/gone.p12', which cannot be read.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp://h:1?sslEnabled=true&trustAll=true", "tcp://h:1?sslEnabled=TRUE&trustAll=true",
        "tcp://h:1?sslEnabled=true&transport=own", "amqps://h:1?verifyHost=false", "tcp://h:1"})
    void takesParametersOfTlsWithTls(String url) {
        assertThatCode(() -> driver.check(settings(url))).doesNotThrowAnyException();
    }
}
