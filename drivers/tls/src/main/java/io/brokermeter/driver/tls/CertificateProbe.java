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
 * A look at a server's certificate with the stores of a client that keeps the reason of a refused handshake to itself.
 *
 * @param tls how the client speaks TLS
 * @param names what the client calls the parameters
 */
public record CertificateProbe(Tls tls, TlsNames names) {

    /** Even when the time for the connection is over: without a look nobody would know why. */
    private static final Duration LEAST = Duration.ofSeconds(2);

    /**
     * A client's own parameters.
     *
     * @param names of trust store and key store, as the client has them
     * @param passwords the names of their passwords
     * @param flags the names of trust-all and of the check of the host
     * @param values what is given
     * @return null when its files cannot be used, which the client reports itself
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
     * Shakes hands with each server until one refuses, or is refused.
     *
     * @param servers URLs with host and port; others are left out
     * @param limit the longest that all of it may take; two seconds at least
     * @return the sentence for the first one; empty when there is none
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
                // not a URL that can be looked at
            }
        }
        return Optional.empty();
    }

    /** The same for one server. */
    public Optional<String> sentence(String host, int port, Duration limit) {
        String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        IOException failure = tls.probe(bare, port, limit);
        return failure == null ? Optional.empty()
            : TlsRefusal.sentence((bare.indexOf(':') < 0 ? bare : "[" + bare + "]") + ":" + port, names,
                tls.options().keyStore().isPresent(), failure);
    }
}
