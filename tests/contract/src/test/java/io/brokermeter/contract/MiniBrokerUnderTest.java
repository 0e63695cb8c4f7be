package io.brokermeter.contract;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;

import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;

/** A {@link MiniBroker} with a driver that may have a fault. */
final class MiniBrokerUnderTest extends BrokerUnderTest {

    private final DriverFault fault;
    /** The limit of every request. The tests wait for it only where an acknowledgement is not answered. */
    private final Duration limit = Duration.ofSeconds(12);
    private final MiniBroker broker = broker();

    /** Creates a broker that ends with the JVM. */
    MiniBrokerUnderTest(DriverFault fault) {
        this.fault = fault;
    }

    private static MiniBroker broker() {
        try {
            return new MiniBroker();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Driver driver() {
        return new MiniDriver(fault);
    }

    /**
     * Returns a short time for drivers with a fault: tests wait in vain for events that a correct driver causes within milliseconds.
     * Limits that add up are detected by comparison with the time of a single one, which needs the default.
     */
    @Override
    public Duration patience() {
        return fault == DriverFault.NONE || fault == DriverFault.CLOSES_ONE_AFTER_ANOTHER ? super.patience() : Duration.ofSeconds(5);
    }

    @Override
    public ConnectionSettings settings() {
        return settings("127.0.0.1", broker.port());
    }

    @Override
    public ConnectionSettings settings(String host, int port) {
        return new ConnectionSettings("mini://" + host + ":" + port, null, null, null, limit);
    }

    @Override
    public Optional<Callable<InetSocketAddress>> address() {
        return Optional.of(() -> new InetSocketAddress("127.0.0.1", broker.port()));
    }

    @Override
    public Optional<ConnectionSettings> unknownSetting() {
        return Optional.of(new ConnectionSettings("mini://h:1?noSuchSetting=1", null, null, null, limit));
    }

    @Override
    public Optional<Callable<Destination>> refusing(Destination fresh) {
        return Optional.of(MiniBrokerUnderTest::full);
    }

    @Override
    public Optional<Callable<Bounded>> bounded(Destination fresh) {
        return Optional.of(() -> new Bounded(full(), 5000));
    }

    private static Destination full() {
        return new Destination(Destination.Kind.QUEUE, "full." + UUID.randomUUID());
    }

    @Override
    public Optional<Callable<Victim>> victim() {
        return Optional.of(() -> victim(new MiniBroker()));
    }

    private Victim victim(MiniBroker victim) {
        return new Victim() {

            @Override
            public ConnectionSettings settings() {
                return MiniBrokerUnderTest.this.settings("127.0.0.1", victim.port());
            }

            @Override
            public void kill() {
                victim.close();
            }

            @Override
            public void close() {
                victim.close();
            }
        };
    }
}
