package io.brokermeter.driver.stomp;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Optional;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.DriverException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ArtemisContractTest extends StompContract {

    private static Broker broker;

    @BeforeAll
    static void startBroker() throws Exception {
        broker = Broker.start(BrokerName.parse("artemis"),
            BrokerOptions.defaults().withHeap("400m").withLogin(USER, PASSWORD).withForbidden("forbidden"));
    }

    @AfterAll
    static void stopBroker() {
        broker.close();
    }

    @Override
    Broker broker() {
        return broker;
    }

    @Override
    String dialect() {
        return "artemis";
    }

    @Override
    protected Optional<ConnectionSettings> refusedTls() {
        return Optional.of(new ConnectionSettings(
            "stomp+ssl://127.0.0.1:" + broker.port(), USER, PASSWORD, null, Duration.ofSeconds(3)));
    }

    @Override
    protected Optional<Destination> forbidden() {
        return Optional.of(new Destination(Destination.Kind.QUEUE, "forbidden.queue"));
    }

    @Override
    protected Optional<Victim> victim() throws Exception {
        Broker victim = Broker.start(BrokerName.parse("artemis"), BrokerOptions.defaults().withHeap("300m"));
        return Optional.of(new Victim() {

            @Override
            public ConnectionSettings settings() {
                return ArtemisContractTest.this.settings("127.0.0.1", victim.port());
            }

            @Override
            public void kill() {
                victim.kill();
            }

            @Override
            public void close() {
                victim.close();
            }
        });
    }

    @Test
    void refusesWhatArtemisCannotDoOverStomp() throws Exception {
        var queue = queue();
        assertThatThrownBy(() -> connect().consumer(queue, consumer(AckMode.TRANSACTED, 10), new Deliveries()))
            .isInstanceOf(DriverException.class).hasMessageContaining("--tx");
        assertThatThrownBy(() -> connect().consumer(queue,
            new ConsumerSettings(AckMode.AUTO, 1, null, false, false, 50, false), new Deliveries()))
            .isInstanceOf(DriverException.class).hasMessageContaining("consumer-window-size");
    }
}
