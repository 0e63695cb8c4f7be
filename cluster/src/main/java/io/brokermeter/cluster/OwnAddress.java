package io.brokermeter.cluster;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.security.Security;
import java.util.Collections;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Finds the address of this machine that others are given. Only a coordinator's is ever used, and only if a connection to an agent was
 * lost.
 */
final class OwnAddress {

    /** An address of RFC 5737, which no host has, so that the route to it is the default route. Nothing is sent. */
    private static final String ELSEWHERE = "192.0.2.1";
    private static final int ANY_PORT = 9;

    private OwnAddress() {}

    static InetAddress address(@Nullable InetAddress bind, boolean loopback, List<Targets.Target> targets) {
        if (bind != null && !bind.isAnyLocalAddress()) {
            return bind;
        }
        if (loopback) {
            return InetAddress.getLoopbackAddress();
        }
        for (Targets.Target target : targets) {
            try {
                InetAddress found = towards(target.resolve(false).getFirst().getAddress());
                if (found != null) {
                    return found;
                }
            } catch (UnknownHostException e) {
                // another target may be known
                continue;
            }
        }
        try {
            InetAddress found = towards(InetAddress.getByName(ELSEWHERE));
            if (found != null) {
                return found;
            }
            for (NetworkInterface one : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                for (InetAddress address : Collections.list(one.getInetAddresses())) {
                    if (one.isUp() && !address.isLoopbackAddress() && !address.isLinkLocalAddress()) {
                        return address;
                    }
                }
            }
        } catch (UnknownHostException | SocketException e) {
            return InetAddress.getLoopbackAddress();
        }
        return InetAddress.getLoopbackAddress();
    }

    /** Returns the address of this machine from which packets go to another one; null if there is no route. Sends nothing. */
    static @Nullable InetAddress towards(InetAddress other) {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(new InetSocketAddress(other, ANY_PORT));
            InetAddress own = socket.getLocalAddress();
            return own.isAnyLocalAddress() ? null : own;
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    /**
     * Makes the JDK cache the addresses of a name for one second only, since names that stand for pods gain and lose addresses. The JDK
     * reads this setting when it looks up its first name.
     */
    static void forgetNamesSoon() {
        for (String property : new String[] {"networkaddress.cache.ttl", "networkaddress.cache.negative.ttl"}) {
            Security.setProperty(property, "1");
        }
    }
}
