package io.brokermeter.spi.parameter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Set;

import io.brokermeter.spi.ConnectionSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerUrlTest {

    private static ServerUrl.Server server(String host) {
        return ServerUrl.parse(settings("nats://" + host + ":4222").url(), Set.of("nats"), 1).server();
    }

    private static ConnectionSettings settings(String url) {
        return new ConnectionSettings(url, null, null, null, Duration.ofSeconds(1));
    }

    /** A link-local address means nothing without the interface at which it is, by name or number, plain or as RFC 6874 writes it. */
    @ParameterizedTest
    @CsvSource({
        "[::1], ::1", "[fe80::1%eth0], fe80::1%eth0", "[fe80::1%25eth0], fe80::1%eth0", "[fe80::1%4], fe80::1%4",
        "[fe80::1%254], fe80::1%4", "[fe80::1%25], fe80::1%25", "[fe80::1%br-1a2b.7], fe80::1%br-1a2b.7",
        "[FE80::1%25wlan0_1], FE80::1%wlan0_1", "[::ffff:127.0.0.1], ::ffff:127.0.0.1"})
    void anIpv6AddressMayHaveAZone(String host, String address) {
        assertThat(server(host)).isEqualTo(new ServerUrl.Server(address, 4222)).hasToString("[" + address + "]:4222");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[fe80::1%]", "[fe80::1%a/b]", "[fe80::1%a%b]", "[%lo]", "[eth0]"})
    void whatIsNoAddressIsRefused(String host) {
        assertThatThrownBy(() -> server(host)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void everyServerOfAListHasItsZoneAndNothingElseIsChanged() {
        assertThat(settings("failover:(tcp://[fe80::1%25eth0]:1,tcp://[fe80::2%25eth0]:2)?a=%2541").url())
            .isEqualTo("failover:(tcp://[fe80::1%eth0]:1,tcp://[fe80::2%eth0]:2)?a=%2541");
    }
}
