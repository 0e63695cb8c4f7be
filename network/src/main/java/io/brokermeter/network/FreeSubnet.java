package io.brokermeter.network;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntSupplier;

/** Networks 198.18.N.0/24 of the range for benchmarks (RFC 2544), of which each link has one for its addresses. Any thread. */
final class FreeSubnet {

    private static final int NETS = 250;
    private static final int SERVERS = 1;
    private static final int TRIES = 10 * NETS;

    private FreeSubnet() {}

    /**
     * Gives a device the address of the servers' end in a network that no other device has.
     *
     * @return N of the network
     * @throws IOException when none is free, or the device takes no address
     */
    static int claim(String device) throws IOException {
        // Two processes that met at one must not meet at the next one again.
        return claim(device, () -> ThreadLocalRandom.current().nextInt(NETS));
    }

    /** @param candidates the networks to look at, in this order */
    static int claim(String device, IntSupplier candidates) throws IOException {
        for (int i = 0; i < TRIES; i++) {
            int net = candidates.getAsInt();
            if (devices(net) > 0) {
                continue;
            }
            String server = address(net, SERVERS) + "/24";
            NamespaceLink.ip("addr", "add", server, "dev", device);
            // Another process may have found it free at the same moment. Whoever sees the other one leaves it, so that none share it.
            if (devices(net) == 1) {
                return net;
            }
            NamespaceLink.ip("addr", "del", server, "dev", device);
        }
        throw new IOException("No network of 198.18.0.0/16 is free.");
    }

    /** An address of a network. */
    static String address(int net, int last) {
        return "198.18." + net + "." + last;
    }

    /** Devices with an address of a network. That of a link whose process is gone stays with its routes until the kernel has taken its namespace away. */
    private static long devices(int net) throws IOException {
        return NetworkInterface.networkInterfaces().filter(device -> device.inetAddresses().map(InetAddress::getAddress)
            .anyMatch(one -> one.length == 4 && one[0] == (byte) 198 && one[1] == 18 && one[2] == (byte) net)).count();
    }
}
