package io.brokermeter.contract;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Allocates ports of the loopback interface on which no process listens, for tests that need the number before they listen. The ports are
 * below those that the system assigns to clients and to listeners without a number, and no port is returned twice in one JVM, since tests
 * run concurrently. On Linux a port is held until {@value #HELD} more were allocated, by a socket that is bound and does not listen, so
 * that the system does not assign it to another process meanwhile; a listener that binds with {@code SO_REUSEADDR} can still use it.
 */
public final class FreePorts {

    private static final int LOWEST = 15_000;
    private static final int HIGHEST = 30_000;
    private static final int HELD = 256;
    private static final boolean LINUX = System.getProperty("os.name", "").contains("Linux");
    private static final Deque<Socket> HOLDS = new ArrayDeque<>();
    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

    private FreePorts() {}

    public static int one() {
        return some(1)[0];
    }

    public static int[] some(int count) {
        return ThreadLocalRandom.current().ints(LOWEST, HIGHEST).filter(FreePorts::isFree).limit(count).toArray();
    }

    private static boolean isFree(int port) {
        var socket = new Socket();
        try {
            socket.setReuseAddress(false);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            boolean fresh = GIVEN.add(port);
            if (fresh && LINUX) {
                socket.setReuseAddress(true);
                hold(socket);
            } else {
                socket.close();
            }
            return fresh;
        } catch (IOException e) {
            try {
                socket.close();
            } catch (IOException again) {
                e.addSuppressed(again);
            }
            return false;
        }
    }

    private static void hold(Socket socket) throws IOException {
        synchronized (HOLDS) {
            HOLDS.addLast(socket);
            while (HOLDS.size() > HELD) {
                HOLDS.removeFirst().close();
            }
        }
    }
}
