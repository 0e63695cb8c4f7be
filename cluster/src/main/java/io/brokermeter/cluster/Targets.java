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

/** The addresses that a coordinator calls: parses what users write, and explains why a process does not answer. */
final class Targets {

    private static final int MOST_PORT = 65_535;

    private Targets() {}

    /** A host as its user wrote it, with its name or address and its port. */
    record Target(String text, String host, int port) {

        /**
         * Looks up the addresses of the host.
         *
         * @return the first address, or all of them; addresses that are valid on one link only come last
         */
        List<InetSocketAddress> resolve(boolean all) throws UnknownHostException {
            return Stream.of(InetAddress.getAllByName(host)).sorted(Comparator.comparing(Targets::isOfOneLink))
                .limit(all ? Long.MAX_VALUE : 1)
                .map(address -> new InetSocketAddress(address, port)).toList();
        }
    }

    /**
     * Parses the agents of a coordinator.
     *
     * @throws ClusterException if one is no valid host or port, is named twice, is an address of one link, is elsewhere although there is
     *     no credential, or is unknown although {@code dns} is not set
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

    /**
     * Returns whether an address is an IPv6 address that is valid on one link only. JGroups connects to such an address without its zone,
     * and without the zone the system does not know over which link the address is reached.
     */
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

    /** Returns why a connection could not be made, as the end of a sentence about an address. */
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

    /** Returns what is wrong with a process that was refused, to follow "which has" in a sentence about its address. */
    static String reasonRefused(Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        if (failure instanceof SocketTimeoutException) {
            return "nothing to say";
        }
        if (message.contains("unrecognized SSL message") || message.contains("plaintext") || message.contains("protocol")) {
            return "no TLS 1.3";
        }
        // a peer that rejects our certificate may be gone before it says so, thus it is unknown which one it has
        return "another key or none";
    }
}
