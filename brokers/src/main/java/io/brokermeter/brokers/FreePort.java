package io.brokermeter.brokers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** Ports of the loopback interface for brokers that cannot be told to take any free one. */
final class FreePort {

    private FreePort() { }

    /**
     * Refuses a port that somebody listens on already, before anything is started on it.
     *
     * @param port 0 for any free one
     * @throws IllegalArgumentException with one sentence for the user
     */
    static void require(int port) {
        try {
            orAsked(port);
        } catch (BrokerException e) {
            throw new IllegalArgumentException("Port " + port + " cannot be listened on, since another program has it or this user "
                + "may not; choose another one, or 0 for any that is free.", e);
        }
    }

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
