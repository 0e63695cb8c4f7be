package io.brokermeter.driver.kafka;

import java.util.Optional;

import io.brokermeter.driver.tls.CertificateProbe;
import io.brokermeter.driver.tls.TlsRefusal;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Failure;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;

/** The reasons why a connection could not be established. */
final class KafkaConnectFailure {

    private KafkaConnectFailure() {}

    /** Creates the exception with one sentence about why the broker's first answer did not arrive. */
    static DriverException of(KafkaSettings settings, Throwable failure) {
        return new DriverException(sentence(settings, failure), failure);
    }

    private static String sentence(KafkaSettings settings, Throwable failure) {
        Throwable cause = Failure.deepest(failure);
        Optional<String> refusal = refusal(settings, failure);
        if (refusal.isPresent()) {
            return refusal.get();
        }
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof SslAuthenticationException) {
                return "TLS was refused (" + Failure.words(cause) + ").";
            }
            if (at instanceof AuthenticationException) {
                return "The broker refused " + settings.user().map(user -> "user '" + user + "'").orElse("a connection without a user name")
                    + "; check user and password.";
            }
        }
        if (failure instanceof TimeoutException || failure instanceof java.util.concurrent.TimeoutException) {
            double seconds = settings.timeout().toMillis() / 1e3;
            if (settings.tls()) {
                return TlsRefusal.silence(String.join(", ", settings.url().servers().stream().map(Object::toString).toList()), seconds);
            }
            return "Something accepts connections there but did not answer within " + seconds
                + " s; is it a Kafka broker, and does it ask for "
                + (settings.user().isPresent() ? "TLS?" : "a user name or TLS?");
        }
        return Failure.words(cause) + ".";
    }

    /** Finds out which side refused TLS and why, which Kafka's client does not report; empty if TLS is not the reason. */
    private static Optional<String> refusal(KafkaSettings settings, Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof AuthenticationException && !(at instanceof SslAuthenticationException)) {
                return Optional.empty();
            }
        }
        CertificateProbe look = settings.look();
        return look == null ? Optional.empty()
            : look.sentence(settings.url().servers(), settings.timeout());
    }
}
