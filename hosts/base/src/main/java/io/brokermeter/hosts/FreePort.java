package io.brokermeter.hosts;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports of 127.0.0.1, for brokers that cannot be made to take any free one. They lie below those that the system gives to clients and
 * to listeners without a number: a broker binds seconds after it was given its port, and until then any connection could have taken it.
 * For the same reason no port is given twice by one process, until half of them were given. Any thread.
 */
public final class FreePort {

    private static final int LOWEST = 10_000;
    /** What Linux gives to clients unless it is configured otherwise begins here; other systems begin higher. */
    private static final int EPHEMERAL = 32_768;
    private static final Path EPHEMERAL_RANGE = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
    private static final int TRIES = 1000;
    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

    private FreePort() {}

    /** A port that nobody listens on at this moment. */
    public static int find() throws IOException {
        return several(1).getFirst();
    }

    /**
     * {@code asked} itself, or a free port when that is 0.
     *
     * @throws IOException when {@code asked} is in use: a probe would take the program that has it for the new broker
     */
    public static int orAsked(int asked) throws IOException {
        if (asked == 0) {
            return find();
        }
        bound(asked).close();
        return asked;
    }

    /** Different free ports, for processes that must know those of the others before any of them listens. */
    public static List<Integer> several(int count) throws IOException {
        List<Integer> ports = new ArrayList<>();
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            int end = ephemeralPorts();
            while (ports.size() < count) {
                ServerSocket socket = free(end);
                sockets.add(socket);
                ports.add(socket.getLocalPort());
            }
        } finally {
            for (ServerSocket socket : sockets) {
                socket.close();
            }
        }
        return ports;
    }

    /** The lowest port that the system gives away by itself. */
    private static int ephemeralPorts() {
        try {
            // by lines: the kernel takes only the first read for one of this file, and readString begins with a byte
            return Integer.parseInt(Files.readAllLines(EPHEMERAL_RANGE).getFirst().split("\\s+")[0]);
        } catch (IOException | NumberFormatException e) {
            return EPHEMERAL; // not Linux
        }
    }

    private static ServerSocket free(int end) throws IOException {
        if (GIVEN.size() > (end - LOWEST) / 2) {
            GIVEN.clear();
        }
        for (int i = 0; i < TRIES && end > LOWEST; i++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, end);
            if (GIVEN.add(port)) {
                try {
                    return bound(port);
                } catch (IOException e) {
                    // somebody has it
                }
            }
        }
        return bound(0);
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
