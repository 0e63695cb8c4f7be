package io.brokermeter.hosts;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/** Ports of 127.0.0.1, for brokers that cannot be told to take any free one. */
public final class FreePort {

    private FreePort() {}

    /** A port that nobody listens on at this moment. */
    public static int find() throws IOException {
        return orAsked(0);
    }

    /**
     * {@code asked} itself, or a free port when that is 0.
     *
     * @throws IOException when {@code asked} is in use: a probe would take the program that has it for the new broker
     */
    public static int orAsked(int asked) throws IOException {
        try (ServerSocket socket = bound(asked)) {
            return socket.getLocalPort();
        }
    }

    /** Different free ports, for processes that must know those of the others before any of them listens. */
    public static List<Integer> several(int count) throws IOException {
        try (ServerSocket socket = bound(0)) {
            List<Integer> ports = count == 1 ? new ArrayList<>() : several(count - 1);
            ports.add(socket.getLocalPort());
            return ports;
        }
    }

    private static ServerSocket bound(int port) throws IOException {
        ServerSocket socket = new ServerSocket();
        try {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port), 1);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw new IOException("127.0.0.1:" + port + " cannot be bound: " + e.getMessage(), e);
        }
    }
}
