package io.brokermeter.brokers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** Ports of the loopback interface for brokers that cannot be told to take any free one. */
final class FreePort {

    private FreePort() { }

    /** A port that nobody listens on at this moment. */
    static int find() throws BrokerException {
        return orAsked(0);
    }

    /**
     * {@code asked} itself, or a free port when that is 0.
     *
     * @throws BrokerException when somebody listens on {@code asked}: a probe would take that one for the new broker
     */
    static int orAsked(int asked) throws BrokerException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), asked), 1);
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new BrokerException("A broker cannot bind 127.0.0.1:" + asked + ": " + e.getMessage() + ".", e);
        }
    }
}
