package io.brokermeter.contract.brokers;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Set;
import java.util.function.Supplier;

import io.brokermeter.brokers.Broker;
import io.brokermeter.brokers.BrokerName;
import io.brokermeter.brokers.BrokerOptions;
import io.brokermeter.contract.BrokerTrait;
import io.brokermeter.contract.BrokerUnderTest;
import io.brokermeter.contract.FreePorts;
import io.brokermeter.contract.tls.CertificateAuthority;
import io.brokermeter.contract.tls.Listener;
import io.brokermeter.contract.tls.Wish;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Driver;
import org.jspecify.annotations.Nullable;

/** A broker under test that supports TLS itself. Each listener is a server of its own with the certificate. */
public final class OwnTls extends BrokerUnderTest {

    private final Driver driver;
    private final BrokerName kind;
    private final String scheme;
    private final Supplier<Path> directory;
    private final Configuration configuration;
    private final Set<BrokerTrait> traits = BrokerTrait.usual();

    /** Returns the options of a server with TLS. */
    @FunctionalInterface
    public interface Configuration {

        /**
         * Returns the options of a server.
         *
         * @param port port to listen on
         * @param certificate PEM file with the certificate of the server
         * @param key PEM file with the key of the server
         * @param clients PEM file with the authority of the certificates that clients must show; null for none
         */
        BrokerOptions of(int port, Path certificate, Path key, @Nullable Path clients);
    }

    /**
     * Creates a broker under test.
     *
     * @param kind name of the broker, as {@link BrokerName#parse} expects it
     * @param scheme scheme of URLs with TLS
     * @param directory supplies the directory to which the certificates of servers are written
     * @param configuration returns the options of a server
     */
    public OwnTls(Driver driver, String kind, String scheme, Supplier<Path> directory, Configuration configuration) {
        this.driver = driver;
        this.kind = BrokerName.parse(kind);
        this.scheme = scheme;
        this.directory = directory;
        this.configuration = configuration;
    }

    /** Removes a trait that the broker does not have. */
    public OwnTls without(BrokerTrait missing) {
        traits.remove(missing);
        return this;
    }

    @Override
    public boolean has(BrokerTrait trait) {
        return traits.contains(trait);
    }

    @Override
    public Driver driver() {
        return driver;
    }

    @Override
    public ConnectionSettings settings() {
        throw new UnsupportedOperationException("Only with TLS.");
    }

    @Override
    public Listener listener(CertificateAuthority.Identity identity, @Nullable CertificateAuthority clients) throws Exception {
        // the server may run as another user
        Path files = Files.createTempDirectory(directory.get(), "server");
        for (Path path : new Path[] {directory.get(), files}) {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        int port = FreePorts.one();
        Broker broker = Broker.start(kind, configuration.of(port, identity.certificatePem(files.resolve("server.pem")),
            identity.keyPem(files.resolve("server.key")), clients == null ? null : clients.pem(files.resolve("clients.pem"))));
        return Listener.of(port, broker::close);
    }

    @Override
    public ConnectionSettings settings(String host, int port, Wish wish) {
        return new ConnectionSettings(scheme + "://" + host + ":" + port, null, null, null, Duration.ofSeconds(40), wish.parameters());
    }
}
