package io.brokermeter.cluster;

import java.net.ConnectException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.cert.CertificateException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;

import org.jspecify.annotations.Nullable;

/** Whom a coordinator calls: how users write it, and what keeps somebody from answering. */
final class Targets {

    private static final int MOST_PORT = 65_535;

    private Targets() {}

    /** A host as its user wrote it. */
    record Target(String text, String host, int port) {

        /** @return the first of its addresses, or all of them, those last that are good on one link alone */
        List<InetSocketAddress> resolve(boolean all) throws UnknownHostException {
            return Stream.of(InetAddress.getAllByName(host)).sorted(Comparator.comparing(Targets::isOfOneLink))
                .limit(all ? Long.MAX_VALUE : 1)
                .map(address -> new InetSocketAddress(address, port)).toList();
        }
    }

    /**
     * Reads them.
     *
     * @throws ClusterException if something is no host, no port, unknown, there twice, of one link alone, or elsewhere although there is no credential
     */
    static List<Target> parse(ClusterSettings settings) throws ClusterException {
        List<Target> targets = new ArrayList<>();
        Set<InetSocketAddress> all = new LinkedHashSet<>();
        for (String text : settings.agents()) {
            Target target = parse(text);
            try {
                for (InetSocketAddress address : target.resolve(settings.dns())) {
                    if (settings.credential() == null && !address.getAddress().isLoopbackAddress()) {
                        throw new ClusterException(text + " is not on this machine, and without a key nothing leaves it");
                    }
                    if (isOfOneLink(address.getAddress())) {
                        throw new ClusterException(
                            text + " is an address of one link alone, and JGroups connects without the link; name the agent "
                                + "by another address");
                    }
                    if (!all.add(address)) {
                        throw new ClusterException(text + " stands twice among the agents");
                    }
                }
            } catch (UnknownHostException e) {
                if (!settings.dns()) {
                    throw new ClusterException("there is no host '" + target.host() + "'", e);
                }
            }
            targets.add(target);
        }
        return targets;
    }

    /** JGroups connects to an address of IPv6 without its zone, and without that the system does not know over which link it is reached. */
    private static boolean isOfOneLink(InetAddress address) {
        return address instanceof Inet6Address && address.isLinkLocalAddress();
    }

    private static Target parse(String text) throws ClusterException {
        String host = text;
        String port = "";
        int colon = text.lastIndexOf(':');
        if (text.startsWith("[")) {
            int end = text.indexOf(']');
            if (end < 0 || end + 1 < text.length() && text.charAt(end + 1) != ':') {
                throw new ClusterException("'" + text + "' is no [address] or [address]:port");
            }
            host = text.substring(1, end);
            port = end + 1 == text.length() ? "" : text.substring(end + 1);
        } else if (colon >= 0 && text.indexOf(':') == colon) {
            host = text.substring(0, colon);
            port = text.substring(colon);
        }
        if (host.isBlank() || host.chars().anyMatch(Character::isWhitespace)) {
            throw new ClusterException("'" + text + "' is no host or host:port");
        }
        if (port.isEmpty()) {
            return new Target(text, host, ClusterSettings.PORT);
        }
        try {
            int number = Integer.parseInt(port.substring(1));
            if (number > 0 && number <= MOST_PORT) {
                return new Target(text, host, number);
            }
        } catch (NumberFormatException e) {
            throw new ClusterException("'" + text + "' has no port from 1 to " + MOST_PORT, e);
        }
        throw new ClusterException("'" + text + "' has no port from 1 to " + MOST_PORT);
    }

    /** Why a connection could not be made, as the end of a sentence about an address. */
    static String reason(@Nullable Throwable failure) {
        for (Throwable one = failure; one != null; one = one.getCause()) {
            if (one instanceof CertificateException) {
                return "has another key";
            }
        }
        if (failure instanceof SSLException) {
            return "takes no connection with this key; it has another key or none";
        }
        if (failure instanceof NoRouteToHostException) {
            return "cannot be reached: " + failure.getMessage();
        }
        if (failure instanceof ConnectException) {
            return "has nobody who listens";
        }
        if (failure instanceof SocketTimeoutException || failure == null) {
            return "does not answer";
        }
        String message = failure.getMessage();
        return "cannot be reached: " + (message == null ? failure.getClass().getSimpleName() : message);
    }

    /** What is wrong with somebody who was not let in, as the end of a sentence about an address. */
    static String strange(Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        if (failure instanceof SocketTimeoutException) {
            return "nothing to say";
        }
        if (message.contains("unrecognized SSL message") || message.contains("plaintext") || message.contains("protocol")) {
            return "no TLS 1.3";
        }
        // who rejects our certificate may be gone before it says so, thus there is no telling what it has
        return "another key or none";
    }
}
