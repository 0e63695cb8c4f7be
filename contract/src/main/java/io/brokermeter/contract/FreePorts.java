package io.brokermeter.contract;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports of the loopback interface on which nobody listens, for tests that need the number before somebody does. They lie below those
 * that the system gives to clients and to listeners without a number, and no two calls of one JVM return the same one: tests run at
 * the same time.
 */
public final class FreePorts {

    private static final int LOWEST = 15_000;
    private static final int HIGHEST = 30_000;
    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

    private FreePorts() {}

    public static int one() {
        return some(1)[0];
    }

    public static int[] some(int count) {
        return ThreadLocalRandom.current().ints(LOWEST, HIGHEST).filter(port -> isFree(port) && GIVEN.add(port)).limit(count).toArray();
    }

    private static boolean isFree(int port) {
        try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
