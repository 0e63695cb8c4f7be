package io.brokermeter.contract;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;

import io.brokermeter.contract.tls.CertificateAuthority;
import io.brokermeter.contract.tls.Listener;
import io.brokermeter.contract.tls.Wish;
import io.brokermeter.spi.Capability;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import org.jspecify.annotations.Nullable;

/**
 * A driver and a broker that runs during all tests: how tests reach the broker, cut its wire and kill it, and which traits the driver and
 * the broker have. Tests run concurrently, so all methods must be thread-safe. What only some brokers have is an {@link Optional}, which
 * {@link Fixture} asks for when tests are discovered; only calling a {@link Callable} of it may start the broker.
 */
public abstract class BrokerUnderTest {

    /** Returns the driver under test. */
    public abstract Driver driver();

    /** Returns the settings of a connection to the broker. */
    public abstract ConnectionSettings settings();

    /** Returns the capabilities of the driver with the usual settings. Starts no broker. */
    public final Set<Capability> capabilities() {
        return capabilities(UnaryOperator.identity());
    }

    /** Returns the capabilities of the driver with settings that differ from the usual ones by a change. Starts no broker. */
    final Set<Capability> capabilities(UnaryOperator<ConnectionSettings> change) {
        return driver().capabilities(change.apply(elsewhere("127.0.0.1", 1).orElseGet(this::settings)));
    }

    /** Returns whether driver and broker have a trait. */
    public boolean has(BrokerTrait trait) {
        return BrokerTrait.usual().contains(trait);
    }

    /**
     * Returns the longest time that an operation with a limit of its own may take, for example a request to a broker that stopped
     * answering. It is generous, since it must also suffice on a machine that stalls meanwhile.
     */
    public Duration patience() {
        return Duration.ofSeconds(100);
    }

    // ---- the proxy before it

    /** Returns the address at which the broker listens, for tests that put a proxy before it; empty for a broker without a network. */
    public Optional<Callable<InetSocketAddress>> address() {
        return Optional.empty();
    }

    /** Opens a proxy to {@link #address()}, on another port each time. The caller must close it. */
    public FaultProxy proxy() throws Exception {
        return new FaultProxy(address().orElseThrow().call());
    }

    /**
     * Returns the settings of a connection to the broker through another address. When the connection breaks, the broker should make
     * unacknowledged messages available again within seconds.
     */
    public ConnectionSettings settings(String host, int port) {
        throw new UnsupportedOperationException("There is no other address.");
    }

    /** Returns whether a proxy before the broker can see from which address the driver was told to connect. */
    public boolean takesSource() {
        return address().isPresent() && driver().takesSource(settings("127.0.0.1", 1));
    }

    /** Returns the settings of a connection that reconnects by itself; empty when the client does not support that. */
    public Optional<Callable<ConnectionSettings>> reconnecting(String host, int port) {
        return Optional.empty();
    }

    /**
     * Returns the settings of a connection with several servers, one of which is the broker; empty when the client takes only one.
     *
     * @param before servers, as host:port, that the URL has before the broker
     * @param behind those that it has behind it
     */
    public Optional<Callable<ConnectionSettings>> among(List<String> before, List<String> behind) {
        return Optional.empty();
    }

    /** Starts a separate broker for a test that kills it; empty when that is not possible. */
    public Optional<Callable<Victim>> victim() {
        return Optional.empty();
    }

    // ---- settings of optional features

    /**
     * Returns the settings with which the messages of one producer are distributed among consumers, where that is incompatible with their
     * order.
     */
    public ConnectionSettings spreading() {
        return settings();
    }

    /** Returns settings with what declares a destination that orders waiting messages by priority. */
    public ConnectionSettings prioritising(ConnectionSettings settings) {
        return settings;
    }

    /** Returns a delay that the broker keeps exactly or exceeds, in milliseconds. */
    public long delayMillis() {
        return 600;
    }

    /**
     * Returns the time by which a message may exceed {@link #delayMillis()} only because of the broker's resolution of time, in
     * milliseconds. A driver itself rounds at most to milliseconds.
     */
    public long delayStepMillis() {
        return 0;
    }

    /** Returns the selector, in the broker's syntax, for: colour is red, and shape begins with r. */
    public String selector() {
        return "colour = 'red' AND shape LIKE 'r%'";
    }

    /** Sends a message without a byte body with another client than the driver; empty when there is none. */
    public Optional<Callable<?>> foreign(Destination destination) {
        return Optional.empty();
    }

    // ---- refusals

    /**
     * Returns a queue that is full after some hundred messages of 1 KiB, so that the broker refuses more; empty when there is none.
     *
     * @param fresh an unused queue, which may be configured accordingly
     */
    public Optional<Callable<Destination>> refusing(Destination fresh) {
        return Optional.empty();
    }

    /**
     * A queue with a maximum message size.
     *
     * @param tooMuch size of a body, in bytes, that the client accepts and the broker refuses
     */
    public record Bounded(Destination queue, int tooMuch) {}

    /**
     * Returns a queue for which the broker itself refuses large messages; empty when there is none.
     *
     * @param fresh an unused queue, which may be configured accordingly
     */
    public Optional<Callable<Bounded>> bounded(Destination fresh) {
        return Optional.empty();
    }

    /** Returns a destination that the broker does not allow to be created; empty when there is none. */
    public Optional<Destination> forbidden() {
        return Optional.empty();
    }

    /** Returns the settings with a wrong password; empty for a broker that requires no password. */
    public Optional<Callable<ConnectionSettings>> wrongPassword() {
        return Optional.empty();
    }

    /** Returns the settings with TLS for a port that does not support it; empty when the driver has no TLS. */
    public Optional<Callable<ConnectionSettings>> refusedTls() {
        return Optional.empty();
    }

    /** Returns the settings of {@link #settings()} with a URL of another host and port; empty for a broker without an address. */
    public Optional<ConnectionSettings> elsewhere(String host, int port) {
        return Optional.empty();
    }

    /**
     * Returns the settings with a parameter {@code noSuchSetting}, which the client does not know; empty when the driver has no settings.
     */
    public Optional<ConnectionSettings> unknownSetting() {
        return Optional.empty();
    }

    // ---- TLS

    /** Opens a TLS port of a broker that presents a certificate, and requires certificates of clients unless {@code clients} is null. */
    public Listener listener(CertificateAuthority.Identity identity, @Nullable CertificateAuthority clients) throws Exception {
        throw new UnsupportedOperationException("There is no TLS.");
    }

    /** Returns the settings of a connection over TLS. */
    public ConnectionSettings settings(String host, int port, Wish wish) {
        throw new UnsupportedOperationException("There is no TLS.");
    }
}
