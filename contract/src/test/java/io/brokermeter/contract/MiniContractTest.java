package io.brokermeter.contract;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The smallest driver that keeps the contract keeps it. */
class MiniContractTest extends DriverContract {

    private static MiniBroker broker;

    @BeforeAll
    static void startBroker() throws IOException {
        broker = new MiniBroker();
    }

    @AfterAll
    static void stopBroker() {
        broker.close();
    }

    @Override
    protected Driver driver() {
        return new MiniDriver(Fault.NONE);
    }

    @Override
    protected ConnectionSettings settings() {
        return settings("127.0.0.1", broker.port());
    }

    @Override
    protected ConnectionSettings settings(String host, int port) {
        return new ConnectionSettings("mini://" + host + ":" + port, null, null, null, Duration.ofSeconds(8));
    }

    @Override
    protected Optional<InetSocketAddress> address() {
        return Optional.of(new InetSocketAddress("127.0.0.1", broker.port()));
    }

    @Override
    protected Optional<ConnectionSettings> unknownSetting() {
        return Optional.of(new ConnectionSettings("mini://h:1?noSuchSetting=1", null, null, null, Duration.ofSeconds(8)));
    }

    @Override
    protected Optional<Destination> refusing() {
        return Optional.of(new Destination(Destination.Kind.QUEUE, "full." + UUID.randomUUID()));
    }

    @Override
    protected Optional<Victim> victim() throws Exception {
        var victim = new MiniBroker();
        return Optional.of(new Victim() {

            @Override
            public ConnectionSettings settings() {
                return MiniContractTest.this.settings("127.0.0.1", victim.port());
            }

            @Override
            public void kill() {
                victim.close();
            }

            @Override
            public void close() {
                victim.close();
            }
        });
    }
}
