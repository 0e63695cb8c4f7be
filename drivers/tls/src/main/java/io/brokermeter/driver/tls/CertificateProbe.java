package io.brokermeter.driver.tls;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.ServerUrl;
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
    private static final Duration LEAST = Duration.ofSeconds(5);
    private static final Duration MOST = Duration.ofSeconds(10);
    private static final Duration TRY = Duration.ofSeconds(5);
    /** The shortest time limit of the second tries. */
    private static final Duration AGAIN = Duration.ofSeconds(2);

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
     * Shakes hands with one server after the other until one side refuses. Those that did not answer get a second try, since the machine
     * may have stood still in the first one.
     *
     * @param limit time limit for all servers together; raised to five seconds if it is shorter, and reduced to ten if it is longer. The
     *     second tries may take two seconds more.
     * @return a sentence about the first failed handshake; empty if none failed
     */
    public Optional<String> sentence(List<ServerUrl.Server> servers, Duration limit) {
        long deadline = System.nanoTime() + Math.clamp(limit.toNanos(), LEAST.toNanos(), MOST.toNanos());
        List<ServerUrl.Server> silent = new ArrayList<>();
        Optional<String> sentence = sentence(servers, deadline, silent);
        if (sentence.isPresent() || silent.isEmpty()) {
            return sentence;
        }
        return sentence(silent, Math.max(deadline, System.nanoTime() + AGAIN.toNanos()), new ArrayList<>());
    }

    /** @param silent the servers that do not answer are added to this list */
    private Optional<String> sentence(List<ServerUrl.Server> servers, long deadline, List<ServerUrl.Server> silent) {
        int left = servers.size();
        for (ServerUrl.Server server : servers) {
            // Silent servers leave time for those after them.
            long nanos = Math.min(TRY.toNanos(), (deadline - System.nanoTime()) / left);
            left--;
            String host = server.host();
            String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
            IOException failure = nanos <= 0 ? new SocketTimeoutException() : tls.probe(bare, server.port(), Duration.ofNanos(nanos));
            if (failure instanceof SocketTimeoutException) {
                silent.add(server);
            } else if (failure != null) {
                Optional<String> sentence = TlsRefusal.sentence(new ServerUrl.Server(bare, server.port()).toString(), names,
                    tls.options().keyStore().isPresent(), failure);
                if (sentence.isPresent()) {
                    return sentence;
                }
            }
        }
        return Optional.empty();
    }
}
