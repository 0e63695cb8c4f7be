package io.brokermeter.hosts;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Finds ports for brokers that cannot be told to take any free one. */
public final class FreePort {

    private FreePort() { }

    /** A port of the loopback interface that nobody listens on at this moment. */
    public static int find() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** {@code asked} itself, or a free port when that is 0. */
    public static int orAsked(int asked) throws IOException {
        return asked == 0 ? find() : asked;
    }
}
