package io.brokermeter.driver.kafka;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import io.brokermeter.driver.tls.TlsLook;
import io.brokermeter.spi.DriverException;
import io.brokermeter.spi.ServerUrl;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * Why a connection could not be made. Kafka's clients try for ever where nobody listens, so the ports are looked at first.
 */
final class ConnectFailure {

    private static final Duration LOOK_LIMIT = Duration.ofSeconds(2);

    private ConnectFailure() { }

    /**
     * Tries to connect to the servers in their order.
     *
     * @return why none of them accepts a connection, without a full stop; empty as soon as one does
     */
    static Optional<String> unreachable(List<ServerUrl.Server> servers, Duration limit) {
        int each = (int) Math.clamp(limit.toMillis() / servers.size(), 1, Integer.MAX_VALUE);
        String reason = "";
        for (ServerUrl.Server server : servers) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(server.host(), server.port()), each);
                return Optional.empty();
            } catch (UnknownHostException e) {
                reason = "Unknown host '" + server.host() + "'";
            } catch (ConnectException e) {
                reason = "Nobody listens on " + server.host() + " port " + server.port();
            } catch (SocketTimeoutException e) {
                reason = server.host() + " port " + server.port() + " cannot be reached within " + each / 1e3 + " s";
            } catch (IOException e) {
                reason = server.host() + " port " + server.port() + " cannot be reached (" + e.getMessage() + ")";
            }
        }
        return Optional.of(servers.size() == 1 ? reason : "No server of " + servers.size() + " can be reached; the last: " + reason);
    }

    /** Says in one sentence why the first answer of the broker did not come. */
    static DriverException of(KafkaSettings settings, Throwable failure) {
        return new DriverException(sentence(settings, failure), failure);
    }

    private static String sentence(KafkaSettings settings, Throwable failure) {
        Throwable cause = Failures.deepest(failure);
        Optional<String> refusal = refusal(settings, failure);
        if (refusal.isPresent()) {
            return refusal.get();
        }
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof SslAuthenticationException) {
                return "TLS was refused (" + Failures.text(cause) + ").";
            }
            if (at instanceof AuthenticationException) {
                return "The broker refused " + settings.user().map(user -> "user '" + user + "'").orElse("a connection without a user name")
                    + "; check --user and --password.";
            }
        }
        if (failure instanceof TimeoutException || failure instanceof java.util.concurrent.TimeoutException) {
            double seconds = settings.timeout().toMillis() / 1e3;
            if (settings.tls()) {
                return "Something accepts connections there but did not answer the TLS handshake within " + seconds
                    + " s; does that port speak TLS?";
            }
            return "Something accepts connections there but did not answer within " + seconds + " s; is it a Kafka broker, and does it ask for "
                + (settings.user().isPresent() ? "TLS?" : "a user name or TLS?");
        }
        return Failures.text(cause) + ".";
    }

    /** Who refused what of TLS, which Kafka's client does not say. */
    private static Optional<String> refusal(KafkaSettings settings, Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof AuthenticationException && !(at instanceof SslAuthenticationException)) {
                return Optional.empty();
            }
        }
        TlsLook look = settings.look();
        return look == null ? Optional.empty()
            : look.sentence(settings.url().servers().stream().map(server -> "kafka://" + server).toList(), LOOK_LIMIT);
    }
}
