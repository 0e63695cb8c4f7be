package io.brokermeter.driver.jms;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.Locale;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;

import io.brokermeter.driver.tls.TlsLook;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.DriverException;
import jakarta.jms.InvalidClientIDException;
import jakarta.jms.JMSSecurityException;
import org.jspecify.annotations.Nullable;

/**
 * Says in one sentence why a connection could not be made; the URL is not part of it. Clients wrap the cause several times, or keep it for their
 * log; then the brokers' ports are tried once, to learn whether a host is unknown or nobody listens.
 */
public final class ConnectFailure extends DriverException {

    private ConnectFailure(String sentence, Throwable cause) {
        super(sentence, cause);
    }

    /**
     * @param url the URL that was used
     * @param tls whether it asks for TLS
     * @param failure what the client threw
     * @param limit the longest that the look at the brokers' ports may take
     */
    public static ConnectFailure of(
            BrokerUrl url, boolean tls, ConnectionSettings settings, Throwable failure, Duration limit) {
        return of(url, tls, null, settings, failure, limit);
    }

    /**
     * The same for a client of which it is known how it speaks TLS.
     *
     * @param look with the client's stores; null for none
     */
    public static ConnectFailure of(
            BrokerUrl url, boolean tls, @Nullable TlsLook look, ConnectionSettings settings, Throwable failure, Duration limit) {
        if (find(failure, JMSSecurityException.class) != null || find(failure, SecurityException.class) != null) {
            var who = settings.user() == null ? "a connection without a user name" : "user '" + settings.user() + "'";
            return new ConnectFailure("The broker refused " + who
                + "; check --user and --password.", failure);
        }
        if (find(failure, InvalidClientIDException.class) != null) {
            return new ConnectFailure("The client id '" + settings.clientId()
                + "' is used by another connection; choose another --clientID.", failure);
        }
        if (tls && look != null) {
            var sentence = look.sentence(url.brokers(), limit);
            if (sentence.isPresent()) {
                return new ConnectFailure(sentence.get(), failure);
            }
        }
        var network = network(failure);
        if (network == null) {
            network = probe(url, limit);
        }
        if (network != null) {
            return new ConnectFailure(network + ".", failure);
        }
        // A client whose own limit ran out a moment before ours says so in words only.
        if (find(failure, TimeoutException.class) != null || deepest(failure).toLowerCase(Locale.ROOT).contains("timed out")) {
            return new ConnectFailure("Something accepts connections there but did not answer "
                + (tls ? "the TLS handshake " : "") + "within " + settings.connectTimeout().toMillis() / 1e3 + " s"
                + (tls ? "; does that port speak TLS" : "") + ".", failure);
        }
        if (tls && find(failure, IOException.class) != null) {
            // Whoever writes after the handshake failed hears of a closed connection and not of the reason.
            return new ConnectFailure("The TLS connection ended before it was made (" + deepest(failure)
                + "); does that port speak TLS, and does each side trust the other's certificate?", failure);
        }
        return new ConnectFailure(deepest(failure) + ".", failure);
    }

    private static @Nullable String network(Throwable failure) {
        var tls = find(failure, SSLException.class);
        if (tls != null) {
            return "TLS was refused (" + text(tls) + ")";
        }
        var unknown = find(failure, UnknownHostException.class);
        if (unknown != null) {
            return "Unknown host (" + text(unknown) + ")";
        }
        if (find(failure, UnresolvedAddressException.class) != null) {
            return "Unknown host";
        }
        return null;
    }

    private static @Nullable String probe(BrokerUrl url, Duration limit) {
        String result = null;
        for (var broker : url.brokers()) {
            URI uri;
            try {
                uri = URI.create(broker);
            } catch (IllegalArgumentException e) {
                continue;
            }
            if (uri.getHost() == null || uri.getPort() <= 0) {
                continue;
            }
            try (var socket = new Socket()) {
                socket.connect(new InetSocketAddress(uri.getHost(), uri.getPort()),
                    (int) Math.clamp(limit.toMillis(), 1, 2000));
                return null;
            } catch (UnknownHostException e) {
                result = "Unknown host '" + uri.getHost() + "'";
            } catch (ConnectException e) {
                result = "Nobody listens on " + uri.getHost() + " port " + uri.getPort();
            } catch (NoRouteToHostException | SocketTimeoutException e) {
                result = uri.getHost() + " port " + uri.getPort() + " cannot be reached (" + text(e) + ")";
            } catch (IOException e) {
                result = text(e);
            }
        }
        return result;
    }

    private static <T extends Throwable> @Nullable T find(Throwable failure, Class<T> type) {
        var seen = new IdentityHashMap<Throwable, Boolean>();
        for (Throwable at = failure; at != null && seen.put(at, true) == null; at = at.getCause()) {
            if (type.isInstance(at)) {
                return type.cast(at);
            }
        }
        return null;
    }

    private static String deepest(Throwable failure) {
        var seen = new IdentityHashMap<Throwable, Boolean>();
        Throwable at = failure;
        while (at.getCause() != null && seen.put(at, true) == null) {
            at = at.getCause();
        }
        return text(at);
    }

    private static String text(Throwable failure) {
        var message = failure.getMessage();
        var text = message == null ? failure.getClass().getSimpleName() : message.strip();
        return text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
    }
}
