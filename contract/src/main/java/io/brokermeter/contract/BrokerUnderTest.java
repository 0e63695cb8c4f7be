package io.brokermeter.contract;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

import io.brokermeter.contract.tls.CertificateAuthority;
import io.brokermeter.contract.tls.Listener;
import io.brokermeter.contract.tls.Wish;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import org.jspecify.annotations.Nullable;

/**
 * A driver and a broker that runs during all tests: how to reach it, to cut its wire and to kill it, and what the two cannot
 * do. Tests run at the same time, so that all methods must be thread-safe.
 */
public abstract class BrokerUnderTest {

    /** The driver under test. */
    public abstract Driver driver();

    /** How to reach the broker. */
    public abstract ConnectionSettings settings();

    /** Whether driver and broker have a trait. */
    public boolean has(BrokerTrait trait) {
        return BrokerTrait.usual().contains(trait);
    }

    /**
     * The longest that something may take which has a limit of its own, like a request to a broker that stopped answering:
     * generous, since a burdened machine must keep it.
     */
    public Duration patience() {
        return Duration.ofSeconds(40);
    }

    // ---- the wire

    /** Where the broker listens, for tests that cut the wire; empty for a broker without a network. */
    public Optional<InetSocketAddress> address() {
        return Optional.empty();
    }

    /** A wire to {@link #address()}, of which the caller makes the end; another port each time. */
    public Wire wire() throws Exception {
        return new Wire(address().orElseThrow());
    }

    /**
     * How to reach the broker through another address. When the connection breaks, the broker should give back within
     * seconds what was not acknowledged.
     */
    public ConnectionSettings settings(String host, int port) {
        throw new UnsupportedOperationException("There is no other address.");
    }

    /** Settings of a connection that reconnects by itself; empty when the client cannot. */
    public Optional<ConnectionSettings> reconnecting(String host, int port) {
        return Optional.empty();
    }

    /** Starts a broker of its own for a test that kills it; empty when that cannot be done. */
    public Optional<Victim> victim() throws Exception {
        return Optional.empty();
    }

    // ---- settings for what only some can

    /** Settings with which the messages of one producer spread over consumers, where that does not go with their order. */
    public ConnectionSettings spreading() {
        return settings();
    }

    /** Settings with which a destination is declared that orders what waits there by priority. */
    public ConnectionSettings prioritising() {
        return settings();
    }

    /** A delay that the broker keeps exactly or exceeds, in milliseconds. */
    public long delayMillis() {
        return 600;
    }

    /**
     * By how much a message may come later than {@link #delayMillis()} for no other reason than the broker's steps of time, in
     * milliseconds. A driver itself rounds to milliseconds at most.
     */
    public long delayStepMillis() {
        return 0;
    }

    /** The broker's way to say: colour is red, and shape begins with r. */
    public String selector() {
        return "colour = 'red' AND shape LIKE 'r%'";
    }

    /** Sends a message without a byte body by other means; false when that cannot be done. */
    public boolean sendForeign(Destination destination) throws Exception {
        return false;
    }

    // ---- what is refused

    /**
     * A queue that the broker declares full after some hundred messages of 1 KiB, and then refuses more; empty when there is
     * none.
     *
     * @param fresh a queue that nobody uses, which may be made so
     */
    public Optional<Destination> refusing(Destination fresh) throws Exception {
        return Optional.empty();
    }

    /**
     * A queue with a bound of what one message may be.
     *
     * @param tooMuch so many bytes of a body the client lets through, and the broker itself refuses
     */
    public record Bounded(Destination queue, int tooMuch) {}

    /**
     * A queue to which the broker itself refuses large messages; empty when there is none.
     *
     * @param fresh a queue that nobody uses, which may be made so
     */
    public Optional<Bounded> bounded(Destination fresh) throws Exception {
        return Optional.empty();
    }

    /** A destination that the broker does not let us create. */
    public Optional<Destination> forbidden() {
        return Optional.empty();
    }

    /** Settings with a wrong password for a broker that asks for one. */
    public Optional<ConnectionSettings> wrongPassword() {
        return Optional.empty();
    }

    /** Settings with TLS for a port that does not speak it. */
    public Optional<ConnectionSettings> refusedTls() {
        return Optional.empty();
    }

    /** Settings whose URL names a host and port; the answer must be settings like those of {@link #settings()}. */
    public Optional<ConnectionSettings> elsewhere(String host, int port) {
        return Optional.empty();
    }

    /** Settings with a parameter that the client does not know, called {@code noSuchSetting}. */
    public Optional<ConnectionSettings> unknownSetting() {
        return Optional.empty();
    }

    // ---- TLS

    /** A TLS port of a broker that shows this certificate, and wants certificates of clients unless {@code clients} is null. */
    public Listener listener(CertificateAuthority.Identity identity, @Nullable CertificateAuthority clients) throws Exception {
        throw new UnsupportedOperationException("There is no TLS.");
    }

    /** A connection over TLS. */
    public ConnectionSettings settings(String host, int port, Wish wish) {
        throw new UnsupportedOperationException("There is no TLS.");
    }
}
