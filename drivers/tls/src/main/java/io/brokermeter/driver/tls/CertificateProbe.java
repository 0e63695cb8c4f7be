package io.brokermeter.driver.tls;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

import io.brokermeter.spi.DriverException;
import org.jspecify.annotations.Nullable;

/**
 * Finds out why a server's TLS handshake is refused, for clients that do not report the reason: repeats the handshake with the client's own
 * stores.
 *
 * @param tls the TLS settings of the client
 * @param names the client's names of the TLS parameters
 */
public record CertificateProbe(Tls tls, TlsNames names) {

    /** The shortest time limit of a probe; it applies even if the time to connect is used up, since nothing else finds the reason. */
    private static final Duration LEAST = Duration.ofSeconds(2);

    /**
     * Creates a probe from a client's own parameters.
     *
     * @param names the client's names of trust store and key store
     * @param passwords the names of the parameters with their passwords, in the same order
     * @param flags the names of the parameters that trust all certificates and that check the host
     * @param values returns the value of a parameter, empty if it is not given
     * @return null if the files cannot be used, which the client itself reports
     */
    public static @Nullable CertificateProbe of(
            TlsNames names, List<String> passwords, List<String> flags, Function<String, Optional<String>> values) {
        try {
            return new CertificateProbe(Tls.open(new TlsOptions(
                TlsOptions.store(names.trustStore(), values.apply(names.trustStore()), values.apply(passwords.get(0))),
                TlsOptions.store(names.keyStore(), values.apply(names.keyStore()), values.apply(passwords.get(1))),
                values.apply(flags.get(0)).orElse("false").equals("true"),
                values.apply(flags.get(1)).orElse("true").equals("true"))), names);
        } catch (IllegalArgumentException | DriverException e) {
            return null;
        }
    }

    /**
     * Shakes hands with one server after the other until one side refuses.
     *
     * @param servers URLs with host and port; others are skipped
     * @param limit time limit for all servers together; raised to two seconds if it is shorter
     * @return a sentence about the first failed handshake; empty if none failed
     */
    public Optional<String> sentence(List<String> servers, Duration limit) {
        long deadline = System.nanoTime() + (limit.compareTo(LEAST) < 0 ? LEAST : limit).toNanos();
        for (String text : servers) {
            try {
                URI server = URI.create(text.strip());
                if (server.getHost() != null && server.getPort() > 0 && System.nanoTime() - deadline < 0) {
                    Optional<String> sentence = sentence(
                        server.getHost(), server.getPort(), Duration.ofNanos(deadline - System.nanoTime()));
                    if (sentence.isPresent()) {
                        return sentence;
                    }
                }
            } catch (IllegalArgumentException e) {
                // not a URL with a host and a port
            }
        }
        return Optional.empty();
    }

    /** Shakes hands with one server; returns a sentence about the failure, empty if the handshake succeeds. */
    public Optional<String> sentence(String host, int port, Duration limit) {
        String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        IOException failure = tls.probe(bare, port, limit);
        return failure == null ? Optional.empty()
            : TlsRefusal.sentence((bare.indexOf(':') < 0 ? bare : "[" + bare + "]") + ":" + port, names,
                tls.options().keyStore().isPresent(), failure);
    }
}
