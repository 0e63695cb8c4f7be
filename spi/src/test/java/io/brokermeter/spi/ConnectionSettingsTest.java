package io.brokermeter.spi;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConnectionSettingsTest {

    @Test
    void aPrivateKeyOfAnyLengthIsMasked() {
        String key = "A".repeat(100_000);
        assertThat(ConnectionSettings.redacted("kafka://h:9093?ssl.keystore.key=" + key + "&acks=all"))
            .isEqualTo("kafka://h:9093?ssl.keystore.key=***&acks=all");
        assertThat(ConnectionSettings.redacted("kafka://h:9093?ssl.truststore.certificates=" + key)).endsWith(key);
    }
}
