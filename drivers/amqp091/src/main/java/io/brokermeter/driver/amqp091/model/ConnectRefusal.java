package io.brokermeter.driver.amqp091.model;

import java.io.EOFException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;

import io.brokermeter.driver.tls.CertificateProbe;
import io.brokermeter.driver.tls.Tls;
import io.brokermeter.driver.tls.TlsNames;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Failure;

/** Words in one sentence why a connection could not be established. */
public final class ConnectRefusal {

    private ConnectRefusal() {}

    /** @param cause the exception that the attempt threw */
    public static DriverException of(Options options, ConnectionSettings settings, Throwable cause) {
        if (cause instanceof DriverException sentence && !(cause instanceof ReplyException)) {
            return sentence;
        }
        return new DriverException(sentence(options, settings, cause), cause);
    }

    /** @param mechanisms the login mechanisms that the broker offers, none of which is the one of the options */
    public static DriverException unoffered(Options options, String mechanisms) {
        return new DriverException("The broker at " + options.address() + " offers the login mechanisms " + mechanisms + ", but not "
            + (options.external ? "EXTERNAL, which sasl.mechanism names (RabbitMQ offers it with its plugin rabbitmq_auth_mechanism_ssl and"
                + " auth_mechanisms)." : "PLAIN; it may offer EXTERNAL, the login by certificate: sasl.mechanism=EXTERNAL."),
            null);
    }

    private static String sentence(Options options, ConnectionSettings settings, Throwable cause) {
        String where = options.address();
        ReplyException reply = Failure.find(cause, ReplyException.class);
        if (reply != null && reply.code() == ReplyException.ACCESS_REFUSED && options.external) {
            return "The broker at " + where + " refuses the login by certificate: it has no user of the name that it finds in it, or finds"
                + " none. " + reply.getMessage();
        }
        if (reply != null && reply.code() == ReplyException.ACCESS_REFUSED) {
            return "The broker at " + where + " refuses user " + user(settings)
                + ": the user name or the password is wrong.";
        }
        if (reply != null) {
            return "The broker at " + where + " refuses the connection. " + reply.getMessage();
        }
        UnknownHostException unknown = Failure.find(cause, UnknownHostException.class);
        if (unknown != null) {
            return "Unknown host in " + where + ": " + host(unknown) + " has no address.";
        }
        if (Failure.find(cause, NoRouteToHostException.class) != null) {
            return "There is no route to " + where + ".";
        }
        Optional<String> refused = tls(options, settings, cause);
        if (refused.isPresent()) {
            return refused.get();
        }
        SSLException tls = Failure.find(cause, SSLException.class);
        if (tls != null) {
            return "TLS with " + where + " failed: " + Failure.words(tls) + ".";
        }
        if (Failure.find(cause, TimeoutException.class) != null || Failure.find(cause, SocketTimeoutException.class) != null) {
            return "The broker at " + where + " did not answer within " + settings.connectTimeout().toMillis() + " ms"
                + (options.isTls() ? "; perhaps it does not speak TLS." : ".");
        }
        if (Failure.find(cause, ConnectException.class) != null) {
            return "Nobody listens at " + where + ".";
        }
        if (Failure.find(cause, EOFException.class) != null || Failure.find(cause, SocketException.class) != null) {
            return options.isTls()
                ? "TLS with " + where + " failed: the broker closed the connection."
                : "The broker at " + where + " closed the connection before it was ready; does it speak AMQP 0-9-1 there?";
        }
        return "The connection to " + where + " failed: " + Failure.words(cause) + ".";
    }

    /**
     * Finds out which server refused TLS and why: the client reports the reason of a refused certificate, but not which of several servers
     * it came from.
     */
    private static Optional<String> tls(Options options, ConnectionSettings settings, Throwable cause) {
        if (options.tls.isEmpty() || Failure.find(cause, TimeoutException.class) != null) {
            return Optional.empty();
        }
        try {
            CertificateProbe look = new CertificateProbe(Tls.open(options.tls.get()),
                !options.isOwn() ? TlsNames.WITHOUT_SERVER_NAME : TlsNames.OWN);
            return look.sentence(options.servers(), settings.connectTimeout());
        } catch (DriverException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    /** Returns the user name of a connection; {@code guest} if none is set. */
    public static String user(ConnectionSettings settings) {
        String user = settings.user();
        return user == null ? "guest" : user;
    }

    private static String host(UnknownHostException unknown) {
        String message = String.valueOf(unknown.getMessage());
        int colon = message.indexOf(": ");
        return colon < 0 ? message : message.substring(0, colon);
    }
}
