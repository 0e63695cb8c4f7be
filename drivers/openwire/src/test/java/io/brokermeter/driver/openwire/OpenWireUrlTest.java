package io.brokermeter.driver.openwire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;

import io.brokermeter.spi.ConnectionSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Interpretation and checks of URLs, without connecting. */
class OpenWireUrlTest {

    private final OpenWireDriver driver = new OpenWireDriver();

    private static ConnectionSettings url(String url) {
        return new ConnectionSettings(url, null, null, null, Duration.ofSeconds(1));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "openwire://h:1 | tcp://h:1",
        "openwires://h:1 | ssl://h:1",
        "tcp://h:1?jms.prefetchPolicy.all=5 | tcp://h:1?jms.prefetchPolicy.all=5",
        "failover:(openwire://a:1,nio://b:2)?randomize=false | failover:(tcp://a:1,nio://b:2)?randomize=false",
        "failover://(openwire://a:1) | failover:(tcp://a:1)",
        "failover:openwire://a:1?timeout=3 | failover:(tcp://a:1)?timeout=3",
        "(openwire://a:1,openwire://b:1) | failover:(tcp://a:1,tcp://b:1)"})
    void writesUrlsAsTheClientReadsThem(String given, String expected) {
        assertThat(driver.effectiveUrl(url(given))).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "tcp://h:1?jms.useAsyncSend=true&jms.redeliveryPolicy.maximumRedeliveries=3&wireFormat.maxInactivityDuration=0",
        "tcp://h:1?tcpNoDelay=false&socketBufferSize=1000&useInactivityMonitor=false&keepAlive=true",
        "nio://h:1?soTimeout=1000&connectionTimeout=100&useKeepAlive=false",
        "ssl://h:1?socket.verifyHostName=false&socket.enabledProtocols=TLSv1.3",
        "failover:(tcp://a:1?soTimeout=5,tcp://b:1?wireFormat.cacheEnabled=false)?nested.soTimeout=5&jms.clientID=x&backup=true"})
    void takesTheParametersOfTheClient(String given) {
        driver.check(url(given));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "tcp://h:1?jms.prefetchPolicy.al=5 | jms.prefetchPolicy.all",
        "tcp://h:1?jms.useAsyncSends=true | jms.useAsyncSend",
        "tcp://h:1?prefetchPolicy.all=5 | jms.prefetchPolicy.all",
        "tcp://h:1?tcpNodelay=true | tcpNoDelay",
        "tcp://h:1?wireFormat.maxInactivity=1 | 'wireFormat.maxInactivity'",
        "tcp://h:1?socket.noSuch=1 | 'socket.noSuch'",
        "tcp://h:1?maxReconnectAttempts=1 | 'maxReconnectAttempts'",
        "failover:(tcp://h:1)?soTimeout=1 | 'soTimeout'",
        "failover:(tcp://h:1?noSuch=1) | 'noSuch'",
        "failover:(tcp://h:1)?maxReconnectAttempt=1 | maxReconnectAttempts",
        "tcp://h:1?jms.useAsyncSend=yes | true or false, not 'yes'",
        "tcp://h:1?jms.prefetchPolicy.all=many | a number, not 'many'",
        "tcp://h:1?trust-all=true | needs TLS",
        "ssl://h:1?trust-store=/no/such/file | cannot be read",
        "ssl://h:1?server-name=b | 'server-name'",
        "vm://h:1 | 'vm'",
        "tcp://h | host and a port"})
    void refusesWhatTheClientWouldIgnore(String given, String word) {
        assertThatThrownBy(() -> driver.check(url(given))).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(word);
    }

    /** One value of a policy in the URL makes the client replace the whole policy. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "tcp://h:1 | 0 | 0",
        "tcp://h:1?jms.redeliveryPolicy.maximumRedeliveries=3 | 0 | 0",
        "tcp://h:1?jms.redeliveryPolicy.redeliveryDelay=70 | 0 | 70",
        "tcp://h:1?jms.redeliveryPolicy.initialRedeliveryDelay=50 | 50 | 0",
        "failover:(tcp://h:1?soTimeout=5,tcp://i:1)?jms.redeliveryPolicy.maximumRedeliveries=3 | 0 | 0",
        "failover:(tcp://h:1)?jms.redeliveryPolicy.initialRedeliveryDelay=50&jms.redeliveryPolicy.redeliveryDelay=70 | 50 | 70"})
    void setsEachDelayOfARedeliveryThatTheUrlDoesNot(String given, long initial, long further) throws Exception {
        var policy = OpenWireDriver.factory(OpenWireUrl.of(driver, url(given)), null, url(given)).getRedeliveryPolicy();
        assertThat(policy.getInitialRedeliveryDelay()).isEqualTo(initial);
        assertThat(policy.getRedeliveryDelay()).isEqualTo(further);
        if (given.contains("maximumRedeliveries")) {
            assertThat(policy.getMaximumRedeliveries()).isEqualTo(3);
        }
    }

    @Test
    void takesPropertiesAsPartsOfTheUrl() {
        var settings = new ConnectionSettings("openwire://h:1", null, null, null, Duration.ofSeconds(1),
            Map.of("jms.prefetchPolicy.queuePrefetch", "7"));
        assertThat(driver.effectiveUrl(settings)).isEqualTo("tcp://h:1?jms.prefetchPolicy.queuePrefetch=7");
        assertThatThrownBy(() -> driver.check(settings.withUrl("openwire://h:1?jms.prefetchPolicy.queuePrefetch=1")))
            .hasMessageContaining("given twice");
        assertThatThrownBy(() -> driver.check(settings.withProperty("noSuch", "1"))).hasMessageContaining("'noSuch'");
    }

    @Test
    void showsNoPassword() {
        assertThat(driver.effectiveUrl(url("tcp://h:1?jms.userName=u&jms.password=correct"))).doesNotContain("correct");
    }
}
