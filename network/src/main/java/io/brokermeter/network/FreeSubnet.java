package io.brokermeter.network;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntSupplier;

/** Assigns the networks 198.18.N.0/24 of the range for benchmarks (RFC 2544): each link has one for its addresses. Thread-safe. */
final class FreeSubnet {

    private static final int NETS = 250;
    private static final int SERVERS = 1;
    private static final int TRIES = 10 * NETS;

    private FreeSubnet() {}

    /**
     * Gives a device the address of the servers' end of a link, in a network of which no other device has an address.
     *
     * @return N of the network
     * @throws IOException when no network is free, or the device takes no address
     */
    static int claim(String device) throws IOException {
        // Random, so that two processes that tried the same network do not try the same next one.
        return claim(device, () -> ThreadLocalRandom.current().nextInt(NETS));
    }

    /** @param candidates supplies the networks to try, in this order */
    static int claim(String device, IntSupplier candidates) throws IOException {
        for (int i = 0; i < TRIES; i++) {
            int net = candidates.getAsInt();
            if (devices(net) > 0) {
                continue;
            }
            String server = address(net, SERVERS) + "/24";
            NamespaceLink.ip("addr", "add", server, "dev", device);
            // Another process may have found the network free at the same moment. A process that sees the other's address gives the
            // network up, so that no two processes share it.
            if (devices(net) == 1) {
                return net;
            }
            NamespaceLink.ip("addr", "del", server, "dev", device);
        }
        throw new IOException("No network of 198.18.0.0/16 is free.");
    }

    /** Returns an address of a network, by its last number. */
    static String address(int net, int last) {
        return "198.18." + net + "." + last;
    }

    /**
     * Returns the number of devices with an address of a network. The device of a link whose process has ended remains, with its routes,
     * until the kernel has removed its namespace.
     */
    private static long devices(int net) throws IOException {
        return NetworkInterface.networkInterfaces().filter(device -> device.inetAddresses().map(InetAddress::getAddress)
            .anyMatch(one -> one.length == 4 && one[0] == (byte) 198 && one[1] == 18 && one[2] == (byte) net)).count();
    }
}
