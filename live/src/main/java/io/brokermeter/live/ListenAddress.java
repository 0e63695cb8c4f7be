package io.brokermeter.live;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

import io.brokermeter.engine.scenario.UsageException;

/** Where a run listens for those who watch it, as an option names it. */
final class ListenAddress {

    private ListenAddress() {}

    /**
     * Returns the address of a place: a port of this machine's loopback interface, or {@code ADDRESS:PORT}.
     *
     * @param option the option, for the sentence
     * @param leastPort 0 if any free port may be taken, otherwise 1
     * @throws UsageException when it is none
     */
    static InetSocketAddress of(String place, String option, int leastPort) {
        int colon = place.lastIndexOf(':');
        String host = colon < 0 ? "" : place.substring(0, colon);
        try {
            int port = Integer.parseInt(place.substring(colon + 1));
            InetSocketAddress address =
                new InetSocketAddress(host.isEmpty() ? InetAddress.getLoopbackAddress() : InetAddress.getByName(host), port);
            if (port >= leastPort) {
                return address;
            }
        } catch (IOException | IllegalArgumentException e) {
            // said below
        }
        throw new UsageException("'" + place + "' is no place for " + option + ", like 9464 or 0.0.0.0:9464.");
    }
}
