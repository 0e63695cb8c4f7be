package io.brokermeter.contract.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

import io.brokermeter.contract.BrokerTrait;
import io.brokermeter.contract.BrokerUnderTest;
import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Deliveries;
import io.brokermeter.contract.Fixture;
import io.brokermeter.contract.Retry;
import io.brokermeter.contract.Sends;
import io.brokermeter.contract.needs.Needs;
import io.brokermeter.contract.needs.Tested;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Driver;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.StoreParameter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * The contract of every driver with TLS, with certificates that are issued for the tests. The test classes of one module run one after the
 * other, as they share the directory of the certificates.
 */
@Tag("slow")
@Timeout(value = 960, unit = TimeUnit.SECONDS)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("certificates")
public abstract class TlsContract implements Tested {

    private static final int MESSAGES = 20;

    @TempDir
    protected static Path directory;
    private static CertificateAuthority authority;
    private static CertificateAuthority stranger;
    private static Path trustStore;

    private final BrokerUnderTest broker;

    protected TlsContract(BrokerUnderTest broker) {
        this.broker = broker;
    }

    @Override
    public final BrokerUnderTest underTest() {
        return broker;
    }

    /** Returns the driver under test. */
    protected final Driver driver() {
        return broker.driver();
    }

    /** Opens a TLS port that presents a certificate, see {@link BrokerUnderTest#listener}. */
    protected final Listener listener(CertificateAuthority.Identity identity, @Nullable CertificateAuthority clients) throws Exception {
        return broker.listener(identity, clients);
    }

    private ConnectionSettings settings(String host, int port, Wish wish) {
        return broker.settings(host, port, wish);
    }

    @BeforeAll
    static void certificates() throws Exception {
        authority = CertificateAuthority.of("brokermeter tests");
        stranger = CertificateAuthority.of("a stranger");
        trustStore = authority.trustStore(directory.resolve("trust.p12"));
    }

    private static Wish trusting() {
        return new Wish(trustStore, null, false, false);
    }

    private static CertificateAuthority.Identity own() throws Exception {
        return authority.server("localhost", "127.0.0.1");
    }

    private void connects(String host, int port, Wish wish) throws Exception {
        ConnectionLog log = new ConnectionLog();
        try (var connection = driver().connect(settings(host, port, wish), log)) {
            assertThat(log.losses()).isEmpty();
            assertThat(connection.broker()).isNotNull();
        }
    }

    private org.assertj.core.api.AbstractThrowableAssert<?, ?> refused(String host, int port, Wish wish) {
        return assertThatThrownBy(() -> driver().connect(settings(host, port, wish), new ConnectionLog()).close())
            .isInstanceOf(DriverException.class);
    }

    /** Returns settings without a login. */
    protected static ConnectionSettings to(String url, int seconds, Map<String, String> parameters) {
        return new ConnectionSettings(url, null, null, null, Duration.ofSeconds(seconds), parameters);
    }

    /** Asserts that a connection to a URL is refused within a limit, with a message that names the server and contains the given words. */
    protected final void refuses(String url, int seconds, Map<String, String> parameters, String... words) {
        assertThatThrownBy(() -> driver().connect(to(url, seconds, parameters), new ConnectionLog())).isInstanceOf(DriverException.class)
            .hasMessageContaining(url.replaceAll(".*[/,]", "")).hasMessageContainingAll(words);
    }

    @Test
    void carriesMessages() throws Exception {
        carriesMessages(UnaryOperator.identity());
    }

    /** Asserts that messages are sent and received with settings that differ from the usual ones by a change. */
    protected final void carriesMessages(UnaryOperator<ConnectionSettings> change) throws Exception {
        try (Listener listener = listener(own(), null); var connection =
            driver().connect(change.apply(settings("localhost", listener.port(), trusting())), new ConnectionLog())) {
            Destination queue = new Destination(Destination.Kind.QUEUE, "tls-" + System.nanoTime());
            connection.declare(queue);
            Deliveries deliveries = new Deliveries();
            connection.consumer(queue, ConsumerSettings.DEFAULT, deliveries);
            Sends sends = new Sends();
            var producer = connection.producer(queue, ProducerSettings.of(its -> its.maxPending = MESSAGES), sends);
            for (int token = 0; token < MESSAGES; token++) {
                producer.send(new Payload(new byte[1 + token * 2000]), token);
            }
            producer.flush();
            // Awaited first, since it reports the reason if a message was not sent.
            sends.awaitConfirmed(MESSAGES);
            deliveries.await(MESSAGES);
        }
    }

    @Test
    void declaresWhichParametersNameStores() {
        Path file = directory.resolve("a store");
        Map<String, String> parameters = settings("localhost", 1, new Wish(file, file, false, false)).properties();
        List<StoreParameter> stores = driver().stores();
        parameters.forEach((name, value) -> {
            assertThat(stores.stream().anyMatch(store -> store.name().equals(name))).as(name).isEqualTo(value.equals(file.toString()));
            if (name.toLowerCase(Locale.ROOT).contains("store") && !value.equals(file.toString())) {
                assertThat(stores).as(name).anyMatch(store -> store.beside().contains(name));
            }
        });
        assertThat(parameters).containsValue(file.toString());
    }

    @Test
    void refusesAnUnknownAuthority() throws Exception {
        try (Listener listener = listener(own(), null)) {
            refused("localhost", listener.port(), Wish.NOTHING)
                .hasMessageContaining("The certificate of localhost:" + listener.port() + " is not trusted (issuer "
                    + authority.issuer() + "); name a trust store with ");
        }
        try (Listener listener = listener(stranger.server("localhost"), null)) {
            refused("localhost", listener.port(), trusting())
                .hasMessageContaining("is not trusted (issuer " + stranger.issuer() + ")");
        }
    }

    @Test
    void refusesTheCertificateOfAnotherHostUnlessToldOtherwise() throws Exception {
        try (Listener listener = listener(authority.server("elsewhere.example"), null)) {
            refused("localhost", listener.port(), trusting()).hasMessageContaining("The certificate of localhost:" + listener.port()
                + " is for another host (elsewhere.example)");
            connects("localhost", listener.port(), new Wish(trustStore, null, true, false));
        }
    }

    /** As through a proxy, whose host the certificate does not name. */
    @Test
    @Needs(fixtures = Fixture.SERVER_NAME)
    protected void theCertificateMustCarryTheServerName() throws Exception {
        try (Listener listener = listener(authority.server("elsewhere.example", "localhost"), null)) {
            ConnectionSettings settings = settings("localhost", listener.port(), trusting());
            for (String other : List.of("third.example", "10.0.0.3")) {
                assertThatThrownBy(() -> driver().connect(settings.withProperty("server-name", other), new ConnectionLog()).close())
                    .isInstanceOf(DriverException.class).hasMessageContaining("The certificate of localhost:" + listener.port()
                        + " is for another host (elsewhere.example, localhost)")
                    .hasMessageContaining("server-name=NAME");
            }
            ConnectionSettings direct = settings("127.0.0.1", listener.port(), trusting());
            driver().connect(direct.withProperty("server-name", "elsewhere.example"), new ConnectionLog()).close();
        }
    }

    @Test
    void refusesAnExpiredCertificate() throws Exception {
        try (Listener listener = listener(authority.expired("localhost"), null)) {
            refused("localhost", listener.port(), trusting())
                .hasMessageContaining("The certificate of localhost:" + listener.port() + " expired on ");
        }
    }

    @Test
    void showsItsCertificateToABrokerThatWantsOne() throws Exception {
        try (Listener listener = listener(own(), authority)) {
            refused("localhost", listener.port(), trusting())
                .hasMessageContaining("localhost:" + listener.port()).hasMessageContaining("certificate of this side");
            Path strange = stranger.client("nobody").keyStore(directory.resolve("nobody.p12"));
            refused("localhost", listener.port(), new Wish(trustStore, strange, false, false))
                .hasMessageContaining("localhost:" + listener.port())
                .hasMessageMatching("(?s).*(certificate of this side|trust the certificate).*");
            Path own = authority.client("client").keyStore(directory.resolve("client.p12"));
            connects("localhost", listener.port(), new Wish(trustStore, own, false, false));
        }
    }

    /**
     * A server resets the connection after the handshake, as brokers do that require a certificate of the client, if their alert does not
     * arrive.
     */
    @Test
    @Needs(traits = BrokerTrait.TLS_FIRST)
    void namesTheServerThatResetsTheConnectionAfterTheHandshake() throws Exception {
        namesTheServerThatResets(Duration.ZERO);
    }

    /** A server resets the connection late, since a busy machine needs that time to examine a certificate. */
    @Test
    @Needs(traits = BrokerTrait.TLS_FIRST)
    void namesTheServerThatResetsTheConnectionLate() throws Exception {
        namesTheServerThatResets(Duration.ofMillis(700));
    }

    /**
     * Asserts that the failure names a server that resets the connection after the handshake.
     *
     * @param after time from the handshake to the reset
     */
    protected final void namesTheServerThatResets(Duration after) throws Exception {
        // Drivers wait for a late reset for some seconds only, and a stall of the machine makes it later.
        Retry.upToThree(() -> {
            try (Listener listener = Listener.of(TlsFront.resetting(own(), after))) {
                refused("localhost", listener.port(), trusting())
                    .hasMessageContaining("localhost:" + listener.port()).hasMessageContaining("certificate of this side");
            }
        });
    }

    @Test
    @Needs(traits = BrokerTrait.TRUSTS_ALL)
    void trustsEverybodyOnlyWhenAskedTo() throws Exception {
        try (Listener listener = listener(stranger.server("elsewhere.example"), null)) {
            refused("localhost", listener.port(), trusting()).hasMessageContaining("is not trusted");
            connects("localhost", listener.port(), new Wish(null, null, false, true));
        }
    }
}
