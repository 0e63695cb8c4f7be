package io.brokermeter.driver.jms;

import java.io.IOException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;

import io.brokermeter.driver.tls.CertificateProbe;
import io.brokermeter.driver.tls.TlsRefusal;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Failure;
import io.brokermeter.spi.parameter.ServerUrl;
import jakarta.jms.InvalidClientIDException;
import jakarta.jms.JMSSecurityException;
import org.jspecify.annotations.Nullable;

/**
 * The reason, in one sentence, why a connection could not be established; the URL is not part of it. Clients wrap the cause several times,
 * or only log it; in that case the brokers' ports are tried once, to learn whether a host is unknown or nothing listens on a port.
 */
public final class ConnectFailure extends DriverException {

    private static final Duration LOOK_LIMIT = Duration.ofSeconds(2);
    /** The shortest time for trying the brokers' ports when the client has used up the time to connect. */
    private static final Duration LOOK_AT_LEAST = Duration.ofMillis(200);

    private ConnectFailure(String sentence, Throwable cause) {
        super(sentence, cause);
    }

    /**
     * Creates the failure for what the client threw.
     *
     * @param url the URL that was used
     * @param tls whether the URL asks for TLS
     * @param failure the client's exception
     * @param start when the client began, by {@link System#nanoTime()}; trying the brokers' ports takes the rest of the time to connect,
     *     and two seconds at most
     */
    public static ConnectFailure of(BrokerUrl url, boolean tls, ConnectionSettings settings, Throwable failure, long start) {
        return of(url, tls, null, settings, failure, start);
    }

    /**
     * Creates the failure for what the client threw, for a client whose TLS stores are known.
     *
     * @param look repeats the handshake with the client's stores; null for none
     */
    public static ConnectFailure of(
            BrokerUrl url, boolean tls, @Nullable CertificateProbe look, ConnectionSettings settings, Throwable failure, long start) {
        var spent = Duration.ofNanos(System.nanoTime() - start);
        var left = settings.connectTimeout().minus(spent);
        var limit = left.compareTo(LOOK_AT_LEAST) < 0 ? LOOK_AT_LEAST : left;
        // Some clients report a TLS refusal as a security exception.
        if (Failure.find(failure, SSLException.class) == null
            && (Failure.find(failure, JMSSecurityException.class) != null || Failure.find(failure, SecurityException.class) != null)) {
            var who = settings.user() == null ? "a connection without a user name" : "user '" + settings.user() + "'";
            return new ConnectFailure("The broker refused " + who
                + "; check user and password.", failure);
        }
        if (Failure.find(failure, InvalidClientIDException.class) != null) {
            return new ConnectFailure("The client id '" + settings.clientId()
                + "' is used by another connection; choose another one.", failure);
        }
        if (tls && look != null) {
            var sentence = look.sentence(servers(url), limit);
            if (sentence.isPresent()) {
                return new ConnectFailure(sentence.get(), failure);
            }
        }
        var network = network(failure);
        if (network == null) {
            network = probe(url, limit, spent.compareTo(settings.connectTimeout()) > 0 ? settings.connectTimeout() : spent);
        }
        if (network != null) {
            return new ConnectFailure(network + ".", failure);
        }
        var deepest = Failure.words(Failure.deepest(failure));
        boolean isUnconnected = deepest.toLowerCase(Locale.ROOT).contains("cannot connect");
        // A client whose own time limit passed a moment before ours reports it in the message only, or no cause at all.
        if (Failure.find(failure, TimeoutException.class) != null || deepest.toLowerCase(Locale.ROOT).contains("timed out")
            || tls && isUnconnected && spent.compareTo(settings.connectTimeout()) >= 0) {
            var seconds = settings.connectTimeout().toMillis() / 1e3;
            return new ConnectFailure(tls ? TlsRefusal.silence(names(url), seconds)
                : "Something accepts connections there but did not answer within " + seconds + " s.", failure);
        }
        if (tls && (Failure.find(failure, IOException.class) != null || isUnconnected)) {
            // A failed write after the handshake reports a closed connection, and a handshake that the client gave up nothing at all.
            return new ConnectFailure(TlsRefusal.ended(names(url), deepest), failure);
        }
        return new ConnectFailure(deepest + ".", failure);
    }

    private static @Nullable String network(Throwable failure) {
        var tls = Failure.find(failure, SSLException.class);
        if (tls != null) {
            return "TLS was refused (" + Failure.words(tls) + ")";
        }
        var unknown = Failure.find(failure, UnknownHostException.class);
        if (unknown != null) {
            return "Unknown host (" + Failure.words(unknown) + ")";
        }
        if (Failure.find(failure, UnresolvedAddressException.class) != null) {
            return "Unknown host";
        }
        return null;
    }

    /** @param tried how long the client tried before it failed */
    private static @Nullable String probe(BrokerUrl url, Duration limit, Duration tried) {
        var servers = servers(url);
        var most = limit.compareTo(LOOK_LIMIT) < 0 ? limit : LOOK_LIMIT;
        return servers.isEmpty() ? null : Failure.unreachable(servers, most, tried).orElse(null);
    }

    private static String names(BrokerUrl url) {
        var servers = servers(url);
        return servers.isEmpty() ? "the broker" : String.join(", ", servers.stream().map(ServerUrl.Server::toString).toList());
    }

    private static List<ServerUrl.Server> servers(BrokerUrl url) {
        var servers = new ArrayList<ServerUrl.Server>();
        for (var broker : url.brokers()) {
            try {
                var uri = URI.create(broker);
                if (uri.getHost() != null && uri.getPort() > 0) {
                    servers.add(new ServerUrl.Server(uri.getHost(), uri.getPort()));
                }
            } catch (IllegalArgumentException e) {
                // a form that only the client can read
            }
        }
        return servers;
    }
}
