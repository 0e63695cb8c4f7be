package io.brokermeter.driver.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.Secret;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A password without a user is used as the token. */
@Tag("slow")
class NatsTokenTest {

    private static Broker broker;

    @BeforeAll
    static void start() throws Exception {
        broker = Broker.start(BrokerName.parse("nats"),
            BrokerOptions.defaults().withProperty("authorization", "{token: \"correct horse\", timeout: 60}"));
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    private static ConnectionSettings with(@Nullable String token) {
        return new ConnectionSettings(broker.url(), null, token == null ? null : Secret.of(token), null, Duration.ofSeconds(240), Map.of());
    }

    @Test
    void isTheToken() throws Exception {
        ConnectionLog log = new ConnectionLog();
        try (var connection = new NatsDriver().connect(with("correct horse"), log)) {
            assertThat(connection.broker()).startsWith("NATS ");
            assertThat(log.losses()).isEmpty();
        }
    }

    @Test
    void isRefusedAtOnceWhenItIsWrongAndWithoutItsText() {
        assertThatThrownBy(() -> new NatsDriver().connect(with("battery staple"), new ConnectionLog())).isInstanceOf(DriverException.class)
            .hasMessageContaining("refused the token").hasMessageContaining("check user and password").hasMessageNotContaining("staple");
        assertThatThrownBy(() -> new NatsDriver().connect(with(null), new ConnectionLog())).isInstanceOf(DriverException.class)
            .hasMessageContaining("without a user name or a token");
    }
}
