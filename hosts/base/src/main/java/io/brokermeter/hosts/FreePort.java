package io.brokermeter.hosts;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds ports of 127.0.0.1 for brokers that cannot be told to take any free one. The ports lie below those that the system assigns to
 * clients and to listeners without a number: a broker binds seconds after it was given its port, and until then any connection could
 * have taken it. For the same reason no port is given twice by one process until half of them were given, and on Linux each is held
 * until {@value #HELD} more were given: by a socket that is bound and does not listen. A broker, which binds with {@code SO_REUSEADDR}
 * as all do, can listen beside that socket, and no other process is given the port. Thread-safe.
 */
public final class FreePort {

    private static final int LOWEST = 10_000;
    /** The lowest port that Linux assigns to clients unless it is configured otherwise; other systems start higher. */
    private static final int EPHEMERAL = 32_768;
    private static final Path EPHEMERAL_RANGE = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
    private static final int TRIES = 1000;
    private static final int HELD = 128;
    /** Whether ports are held by bound sockets; on systems other than Linux nobody could listen beside one. */
    private static final boolean HOLDS = System.getProperty("os.name", "").contains("Linux");
    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();
    private static final Deque<Socket> HELD_SOCKETS = new ArrayDeque<>();

    private FreePort() {}

    /** Returns a port that nobody listens on at this moment. */
    public static int find() throws IOException {
        return several(1).getFirst();
    }

    /**
     * Returns {@code asked} itself, or a free port if it is 0.
     *
     * @throws IOException if {@code asked} is in use: a readiness probe would mistake the program that uses it for the new broker
     */
    public static int orAsked(int asked) throws IOException {
        if (asked == 0) {
            return find();
        }
        // A port that was used before may have connections in TIME_WAIT, which last a minute.
        hold(List.of(bound(asked, true)));
        return asked;
    }

    /** Returns different free ports, for processes that must know each other's ports before any of them listens. */
    public static List<Integer> several(int count) throws IOException {
        List<Socket> sockets = new ArrayList<>();
        try {
            int end = ephemeralPorts();
            while (sockets.size() < count) {
                sockets.add(free(end));
            }
        } catch (IOException e) {
            close(sockets);
            throw e;
        }
        return hold(sockets);
    }

    /**
     * Returns a free port for a broker that also takes other ports, without being told which.
     *
     * @param distances distances of those ports from the returned one
     */
    public static int withNeighbours(int... distances) throws IOException {
        int end = ephemeralPorts();
        for (int i = 0; i < TRIES; i++) {
            List<Socket> sockets = new ArrayList<>(List.of(free(end)));
            int port = sockets.getFirst().getLocalPort();
            try {
                for (int distance : distances) {
                    sockets.add(bound(port + distance, false));
                    GIVEN.add(port + distance);
                }
                return hold(sockets).getFirst();
            } catch (IOException e) {
                // a neighbour is in use
                close(sockets);
            }
        }
        throw new IOException("no port is free whose neighbours are free, too");
    }

    /** Holds a port for a process that is gone and may be started again on it; does nothing if the port is in use. */
    public static void keep(int port) {
        try {
            hold(List.of(bound(port, true)));
        } catch (IOException e) {
            // whoever starts the process again says that the port is in use
        }
    }

    /** Returns the ports of bound sockets, and holds them so that no other process is given them for some time. */
    private static List<Integer> hold(List<Socket> sockets) throws IOException {
        List<Integer> ports = sockets.stream().map(Socket::getLocalPort).toList();
        if (!HOLDS) {
            close(sockets);
            return ports;
        }
        for (Socket socket : sockets) {
            socket.setReuseAddress(true);
        }
        synchronized (HELD_SOCKETS) {
            HELD_SOCKETS.addAll(sockets);
            while (HELD_SOCKETS.size() > HELD) {
                HELD_SOCKETS.removeFirst().close();
            }
        }
        return ports;
    }

    private static void close(List<Socket> sockets) throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    /** Returns the lowest port that the system assigns by itself. */
    private static int ephemeralPorts() {
        try {
            // by lines: the kernel answers only the first read of this file, and readString begins with a read of one byte
            return Integer.parseInt(Files.readAllLines(EPHEMERAL_RANGE).getFirst().split("\\s+")[0]);
        } catch (IOException | NumberFormatException e) {
            return EPHEMERAL; // not Linux
        }
    }

    private static Socket free(int end) throws IOException {
        if (GIVEN.size() > (end - LOWEST) / 2) {
            GIVEN.clear();
        }
        for (int i = 0; i < TRIES && end > LOWEST; i++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, end);
            if (GIVEN.add(port)) {
                try {
                    return bound(port, false);
                } catch (IOException e) {
                    // the port is in use
                }
            }
        }
        return bound(0, false);
    }

    /** @param beside whether the port may be shared with a bound socket that does not listen */
    private static Socket bound(int port, boolean beside) throws IOException {
        Socket socket = new Socket();
        try {
            socket.setReuseAddress(beside);
            socket.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port));
            return socket;
        } catch (IOException | IllegalArgumentException e) {
            socket.close();
            throw new IOException("127.0.0.1:" + port + " cannot be bound: " + e.getMessage(), e);
        }
    }
}
