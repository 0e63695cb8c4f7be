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
 * Ports of 127.0.0.1, for brokers that cannot be made to take any free one. They lie below those that the system gives to clients and
 * to listeners without a number: a broker binds seconds after it was given its port, and until then any connection could have taken it.
 * For the same reason no port is given twice by one process, until half of them were given, and on Linux each is held until
 * {@value #HELD} more were given: by a socket that is bound and does not listen. A broker, which binds with {@code SO_REUSEADDR} as all
 * do, listens beside it, and no other process is given the port. Any thread.
 */
public final class FreePort {

    private static final int LOWEST = 10_000;
    /** What Linux gives to clients unless it is configured otherwise begins here; other systems begin higher. */
    private static final int EPHEMERAL = 32_768;
    private static final Path EPHEMERAL_RANGE = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
    private static final int TRIES = 1000;
    private static final int HELD = 128;
    /** Elsewhere nobody could listen beside a socket that is bound. */
    private static final boolean HOLDS = System.getProperty("os.name", "").contains("Linux");
    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();
    private static final Deque<Socket> HELD_SOCKETS = new ArrayDeque<>();

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
        // One that was used before may have connections that have ended and are remembered for a minute.
        hold(List.of(bound(asked, true)));
        return asked;
    }

    /** Different free ports, for processes that must know those of the others before any of them listens. */
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
     * A free port for a broker that takes others besides, without being told which.
     *
     * @param distances where those are, from the port
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
                // somebody has a neighbour
                close(sockets);
            }
        }
        throw new IOException("no port is free whose neighbours are free, too");
    }

    /** Keeps a port for a process that is gone and may be started again on it; does nothing where somebody has it already. */
    public static void keep(int port) {
        try {
            hold(List.of(bound(port, true)));
        } catch (IOException e) {
            // whoever starts the process again says that the port is in use
        }
    }

    /** Their ports, which nobody else is given for some time. */
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

    /** The lowest port that the system gives away by itself. */
    private static int ephemeralPorts() {
        try {
            // by lines: the kernel takes only the first read for one of this file, and readString begins with a byte
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
                    // somebody has it
                }
            }
        }
        return bound(0, false);
    }

    /** @param beside whether another socket may be bound that does not listen */
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
