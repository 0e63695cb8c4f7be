package io.brokermeter.brokers;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

import io.brokermeter.spi.Secret;

/**
 * How a throwaway broker runs. Immutable; each {@code with} method returns a changed copy.
 *
 * @param port       the port it listens on, 0 for any free one
 * @param directory  where its files go; empty for a directory of its own below the system's temporary one. A directory
 *                   that does not exist before is deleted at the end, one that exists is kept
 * @param persistent whether it keeps a journal, so that persistent messages and durable subscriptions mean something
 * @param heap       the greatest heap of its JVM, in the form of {@code -Xmx}
 * @param login      the one user who may connect; empty when everybody may
 * @param tls        the key store that makes its port a TLS port; empty for plain TCP
 * @param forbidden  address prefixes under which it creates nothing by itself
 * @param startLimit the longest wait for it to accept connections
 * @param training   a file to which its JVM writes an AOT cache (JEP 514) when it is closed, which takes some seconds;
 *                   empty for a run that starts from the cache that is there, if one is
 */
public record BrokerOptions(int port, Optional<Path> directory, boolean persistent, String heap, Optional<Login> login,
                            Optional<KeyStore> tls, List<String> forbidden, Duration startLimit,
                            Optional<Path> training) {

    /** A user name with its password. */
    public record Login(String user, Secret password) { }

    /** A key store file with its password. */
    public record KeyStore(Path path, Secret password) { }

    public BrokerOptions {
        forbidden = List.copyOf(forbidden);
        Objects.requireNonNull(heap);
    }

    /** Any free port, a directory of its own, a journal, a heap of 1 GiB, open to everybody, 60 s to start. */
    public static BrokerOptions defaults() {
        return new BrokerOptions(0, Optional.empty(), true, "1g", Optional.empty(), Optional.empty(), List.of(),
            Duration.ofSeconds(60), Optional.empty());
    }

    public BrokerOptions withPort(int newPort) {
        return new BrokerOptions(newPort, directory, persistent, heap, login, tls, forbidden, startLimit, training);
    }

    public BrokerOptions withDirectory(Path newDirectory) {
        return new BrokerOptions(port, Optional.of(newDirectory), persistent, heap, login, tls, forbidden, startLimit, training);
    }

    public BrokerOptions withPersistent(boolean newPersistent) {
        return new BrokerOptions(port, directory, newPersistent, heap, login, tls, forbidden, startLimit, training);
    }

    public BrokerOptions withHeap(String newHeap) {
        return new BrokerOptions(port, directory, persistent, newHeap, login, tls, forbidden, startLimit, training);
    }

    public BrokerOptions withLogin(String user, Secret password) {
        return new BrokerOptions(port, directory, persistent, heap, Optional.of(new Login(user, password)), tls,
            forbidden, startLimit, training);
    }

    public BrokerOptions withTls(Path keyStore, Secret password) {
        return new BrokerOptions(port, directory, persistent, heap, login,
            Optional.of(new KeyStore(keyStore, password)), forbidden, startLimit, training);
    }

    public BrokerOptions withForbidden(String prefix) {
        List<String> all = new ArrayList<>(forbidden);
        all.add(prefix);
        return new BrokerOptions(port, directory, persistent, heap, login, tls, all, startLimit, training);
    }

    public BrokerOptions withStartLimit(Duration limit) {
        return new BrokerOptions(port, directory, persistent, heap, login, tls, forbidden, limit, training);
    }

    public BrokerOptions withTraining(Path cache) {
        return new BrokerOptions(port, directory, persistent, heap, login, tls, forbidden, startLimit,
            Optional.of(cache));
    }
}
