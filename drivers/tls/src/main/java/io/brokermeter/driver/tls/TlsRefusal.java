package io.brokermeter.driver.tls;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

import io.brokermeter.spi.failure.Failure;
import org.jspecify.annotations.Nullable;

/** Words in one sentence which side refused what when a TLS connection failed. */
public final class TlsRefusal {

    private static final Pattern ALERT = Pattern.compile("(?i)(?:received )?fatal alert: *([a-z_]+)");
    private static final Set<String> OF_CERTIFICATES = Set.of("bad_certificate", "certificate_required", "certificate_unknown",
        "unknown_ca", "unsupported_certificate", "certificate_expired", "certificate_revoked", "access_denied", "no_certificate");
    private static final int DEEPEST = 20;
    /** What the JDK says of a handshake whose connection broke under a write, as {@code Broken pipe} of its cause. */
    private static final String BROKEN = "readhandshakerecord";
    /** The beginning of a server that may be a proxy before a broker elsewhere, such as those of networks and faults. */
    private static final String LOOPBACK = "127.0.0.1:";
    /** What a channel says of a connection that the peer has ended, by an exception without a class of its own. */
    private static final Set<String> ENDS = Set.of("Broken pipe", "Connection reset", "Connection reset by peer");
    private static final String ADVICE = "; does that port speak TLS, and does it want a certificate of this side that it trusts?";

    private TlsRefusal() {}

    /**
     * Returns the sentence for a failure.
     *
     * @param server {@code host:port}
     * @param shown whether this side has a certificate to show
     * @return empty if the failure has nothing to do with TLS
     */
    public static Optional<String> sentence(String server, TlsNames names, boolean shown, Throwable failure) {
        CertificateRefusal certificate = Failure.find(failure, CertificateRefusal.class);
        if (certificate != null) {
            return Optional.of(sentence(server, names, certificate));
        }
        if (Failure.find(failure, Tls.TlsEnded.class) != null) {
            return Optional.of(left(server, names, shown));
        }
        String alert = alert(failure);
        if (alert != null && OF_CERTIFICATES.contains(alert)) {
            return Optional.of(shown
                ? server + " refuses the certificate of this side (TLS alert " + alert + "); " + names.keyStore()
                    + " must name one that it trusts."
                : server + " wants a certificate of this side (TLS alert " + alert + "); name one with " + names.keyStore() + ".");
        }
        if (alert != null) {
            return Optional.of(server + " refused the TLS handshake (alert " + alert + ")"
                + (alert.equals("protocol_version") || alert.equals("handshake_failure") || alert.equals("insufficient_security")
                    ? "; both sides need a version and a cipher in common" + (shown ? "." : ", and perhaps it wants a certificate"
                        + " of this side: name one with " + names.keyStore() + ".")
                    : "."));
        }
        SSLException tls = Failure.find(failure, SSLException.class);
        if (tls == null) {
            return Optional.empty();
        }
        String words = words(tls);
        String lower = words.toLowerCase(Locale.ROOT);
        if (lower.contains("unrecognized ssl message") || lower.contains("unrecognized ssl") || lower.contains("not an ssl/tls record")) {
            return Optional.of("What listens on " + server + " does not speak TLS.");
        }
        if (Failure.find(failure, EOFException.class) != null || Failure.find(failure, SocketException.class) != null
            || lower.contains("terminated the handshake") || lower.contains("reset") || lower.equals(BROKEN)) {
            return Optional.of(unfinished(server));
        }
        return Optional.of("TLS with " + server + " was refused (" + words + ").");
    }

    /**
     * Returns the sentence for a server that ended the connection after the handshake, before it sent anything of its protocol. A server
     * that refuses our certificate ends the connection in this way, and its alert may get lost.
     *
     * @param server {@code host:port}
     * @param shown whether this side has a certificate to show
     */
    public static String left(String server, TlsNames names, boolean shown) {
        return server + " ended the connection right after the TLS handshake"
            + (shown ? "; does it trust the certificate in " : "; if it wants a certificate of this side, name one with ")
            + names.keyStore() + (shown ? "?" : ".");
    }

    /**
     * Returns the sentence for a server that ended the connection during the handshake without an alert. A server that refuses our
     * certificate may do so before the last of our handshake messages is written.
     *
     * @param server {@code host:port}
     */
    public static String unfinished(String server) {
        return server + " ended the connection during the TLS handshake" + ADVICE;
    }

    /** Returns whether the peer ended the connection: an end of its output, a reset, or a write to a connection that it had closed. */
    public static boolean isEnd(IOException failure) {
        return failure instanceof EOFException || failure instanceof ClosedChannelException
            || Failure.find(failure, SocketException.class) != null
            || failure.getMessage() instanceof String words && ENDS.contains(words);
    }

    /**
     * Returns the sentence for servers that accept connections and then send nothing.
     *
     * @param servers each server as {@code host:port}
     * @param seconds how long an answer was awaited
     */
    public static String silence(String servers, double seconds) {
        return servers + " accepts connections but did not answer over TLS within " + seconds + " s" + ADVICE;
    }

    /**
     * Returns the sentence for servers that ended the connection for an unknown reason.
     *
     * @param servers each server as {@code host:port}
     * @param words description of the failure
     */
    public static String ended(String servers, String words) {
        return "The TLS connection to " + servers + " ended before it was made (" + words + ")" + ADVICE;
    }

    /** Returns the sentence for a refused certificate. */
    public static String sentence(String server, TlsNames names, CertificateRefusal refusal) {
        return switch (refusal.kind()) {
            case UNTRUSTED -> "The certificate of " + server + " is not trusted (issuer " + refusal.issuer()
                + "); name a trust store with " + names.trustStore() + ".";
            case EXPIRED -> "The certificate of " + server + " expired on " + refusal.detail() + " (issuer " + refusal.issuer()
                + "); its owner must renew it.";
            case NOT_YET_VALID -> "The certificate of " + server + " is not valid before " + refusal.detail() + " (issuer "
                + refusal.issuer() + "); is the clock of this machine right?";
            case WRONG_HOST -> "The certificate of " + server + " is for another host (" + refusal.detail()
                + "); connect by a name that it has, or set " + names.anyHost()
                + (server.startsWith(LOOPBACK) ? ", as where a proxy leads to the broker and no name does." : ".");
        };
    }

    private static @Nullable String alert(Throwable failure) {
        Throwable at = failure;
        for (int depth = 0; at != null && depth < DEEPEST; depth++) {
            Matcher alert = ALERT.matcher(String.valueOf(at.getMessage()));
            if (at instanceof SSLException && alert.find()) {
                return alert.group(1).toLowerCase(Locale.ROOT);
            }
            at = at.getCause();
        }
        return null;
    }

    private static String words(Throwable failure) {
        String message = failure.getMessage();
        String words = message == null ? failure.getClass().getSimpleName() : message.strip();
        return words.endsWith(".") ? words.substring(0, words.length() - 1) : words;
    }
}
