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
    @CsvSource(delimiter = '|', value = {"trustStorePath | tcp://h:1?sslEnabled=true&trustStorePath=/gone.p12",
        "keyStorePath | (tcp://a:1,tcp://b:1)?sslEnabled=true&keyStorePath=/gone.p12"})
    void refusesAStoreThatCannotBeRead(String name, String url) {
        assertThatThrownBy(() -> driver.check(settings(url))).isInstanceOf(IllegalArgumentException.class)
            .hasMessage("Parameter " + name + " names '/gone.p12', which cannot be read.");
    }

    /** The client's own transport also reads stores from a URL, and from hardware. */
    @ParameterizedTest
    @ValueSource(strings = {"keyStorePath=NONE&keyStoreProvider=SunPKCS11", "trustStorePath=file:/gone.p12", "keyStorePath=NONE",
        "trustStorePath=gone.p12&transport=client"})
    void leavesOtherStoresToTheClient(String parameters) {
        assertThatCode(() -> driver.check(settings("tcp://h:1?sslEnabled=true&" + parameters))).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({"sslEnabled=yes, sslEnabled", "sslEnabled=true&verifyHost=ture, verifyHost", "sslEnabled=true&trustAll=1, trustAll"})
    void refusesASwitchThatTheClientWouldTakeForFalse(String parameters, String name) {
        assertThatThrownBy(() -> driver.check(settings("tcp://h:1?" + parameters))).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("Parameter '" + name + "' must be true or false, not '");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp://h:1?sslEnabled=true&trustAll=true", "tcp://h:1?sslEnabled=TRUE&trustAll=true",
        "tcp://h:1?sslEnabled=true&transport=own", "amqps://h:1?verifyHost=false", "tcp://h:1"})
    void takesParametersOfTlsWithTls(String url) {
        assertThatCode(() -> driver.check(settings(url))).doesNotThrowAnyException();
    }
}
