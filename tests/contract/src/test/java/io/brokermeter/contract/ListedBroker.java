package io.brokermeter.contract;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;

import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;

/** A broker with the traits and fixtures of a list. It cannot run, so whatever needs it to run fails. */
public final class ListedBroker extends BrokerUnderTest {

    private final Set<?> offered;

    public ListedBroker(Set<?> offered) {
        this.offered = offered;
    }

    private <T> Optional<T> given(Fixture fixture, T it) {
        return offered.contains(fixture) ? Optional.of(it) : Optional.empty();
    }

    private <T> Optional<Callable<T>> made(Fixture fixture) {
        return given(fixture, () -> {
            throw new AssertionError("Asked for " + fixture + " of a broker that nobody started.");
        });
    }

    private static ConnectionSettings usual() {
        return new ConnectionSettings("listed://127.0.0.1:1", null, null, null, Duration.ofSeconds(1));
    }

    @Override
    public Driver driver() {
        return new ListedDriver(offered);
    }

    @Override
    public boolean has(BrokerTrait trait) {
        return offered.contains(trait);
    }

    @Override
    public ConnectionSettings settings() {
        if (offered.contains(Fixture.OTHER_ADDRESS)) {
            throw new AssertionError("Asked for the settings of a broker that nobody started.");
        }
        return usual();
    }

    @Override
    public ConnectionSettings prioritising(ConnectionSettings settings) {
        return settings.withProperty("priorities", "10");
    }

    @Override
    public Optional<ConnectionSettings> elsewhere(String host, int port) {
        return given(Fixture.OTHER_ADDRESS, usual());
    }

    @Override
    public Optional<Destination> forbidden() {
        return given(Fixture.FORBIDDEN_DESTINATION, new Destination(Destination.Kind.QUEUE, "forbidden"));
    }

    @Override
    public Optional<ConnectionSettings> unknownSetting() {
        return given(Fixture.UNKNOWN_SETTING, usual());
    }

    @Override
    public Optional<Callable<InetSocketAddress>> address() {
        return made(Fixture.NETWORK);
    }

    @Override
    public boolean takesSource() {
        return offered.contains(Fixture.SOURCE);
    }

    @Override
    public Optional<Callable<ConnectionSettings>> reconnecting(String host, int port) {
        return made(Fixture.RECONNECTING);
    }

    @Override
    public Optional<Callable<ConnectionSettings>> among(List<String> before, List<String> behind) {
        return made(Fixture.SEVERAL_SERVERS);
    }

    @Override
    public Optional<Callable<Victim>> victim() {
        return made(Fixture.VICTIM);
    }

    @Override
    public Optional<Callable<?>> foreign(Destination destination) {
        return made(Fixture.FOREIGN_CLIENT).map(client -> client);
    }

    @Override
    public Optional<Callable<Destination>> refusing(Destination fresh) {
        return made(Fixture.FULL_QUEUE);
    }

    @Override
    public Optional<Callable<Bounded>> bounded(Destination fresh) {
        return made(Fixture.BOUNDED_QUEUE);
    }

    @Override
    public Optional<Callable<ConnectionSettings>> wrongPassword() {
        return made(Fixture.WRONG_PASSWORD);
    }

    @Override
    public Optional<Callable<ConnectionSettings>> refusedTls() {
        return made(Fixture.REFUSED_TLS);
    }
}
