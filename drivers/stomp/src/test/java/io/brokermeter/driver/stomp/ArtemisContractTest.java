package io.brokermeter.driver.stomp;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.DriverContract;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.Secret;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class ArtemisContractTest extends DriverContract {

    private static final String USER = "meter";
    private static final Secret PASSWORD = Secret.of("correct horse");
    private static final Duration TIMEOUT = Duration.ofSeconds(8);

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
    protected Driver driver() {
        return new StompDriver();
    }

    @Override
    protected ConnectionSettings settings() {
        return settings("127.0.0.1", broker.port());
    }

    @Override
    protected Optional<InetSocketAddress> address() {
        return Optional.of(new InetSocketAddress("127.0.0.1", broker.port()));
    }

    @Override
    protected ConnectionSettings settings(String host, int port) {
        return new ConnectionSettings("stomp://" + host + ":" + port + "?broker=artemis", USER, PASSWORD, null, TIMEOUT);
    }

    @Override
    protected Optional<ConnectionSettings> wrongPassword() {
        return Optional.of(new ConnectionSettings(settings().url(), USER, Secret.of("battery staple"), null, TIMEOUT));
    }

    @Override
    protected Optional<ConnectionSettings> refusedTls() {
        return Optional.of(new ConnectionSettings(
            "stomp+ssl://127.0.0.1:" + broker.port(), USER, PASSWORD, null, Duration.ofSeconds(3)));
    }

    @Override
    protected Optional<ConnectionSettings> elsewhere(String host, int port) {
        return Optional.of(settings(host, port));
    }

    @Override
    protected Optional<ConnectionSettings> unknownSetting() {
        return Optional.of(new ConnectionSettings("stomp://localhost:1?noSuchSetting=1", null, null, null, TIMEOUT));
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
}
