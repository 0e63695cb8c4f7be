package io.brokermeter.contract;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A proxy before a broker, with which a test can cut connections, hold all data while connections stay open, or discard data so that one
 * side never receives what the other one wrote. It records the beginning of the data from clients.
 */
public final class FaultProxy implements AutoCloseable {

    private final InetSocketAddress broker;
    private final Acceptor acceptor;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final Set<String> clients = ConcurrentHashMap.newKeySet();
    private final Object holding = new Object();
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private long total;
    private boolean held;
    private final Runnable closed;
    private volatile Set<Direction> swallowed = Set.of();

    private enum Direction { TO_BROKER, TO_CLIENT }

    /** The maximum size of the recorded data from clients, in bytes. */
    private static final int LARGEST_RECORD = 16 * 1024 * 1024;

    /** Opens a proxy on a free port of the loopback interface. */
    public FaultProxy(InetSocketAddress broker) throws IOException {
        this(broker, 0, () -> {});
    }

    /**
     * Opens a proxy on a port of the loopback interface.
     *
     * @param port port, 0 for any free one
     * @param closed called when the proxy is closed and its port is free
     */
    public FaultProxy(InetSocketAddress broker, int port, Runnable closed) throws IOException {
        this.broker = broker;
        this.closed = closed;
        this.acceptor = new Acceptor(port, this::accept);
    }

    public String host() {
        return "127.0.0.1";
    }

    public int port() {
        return acceptor.port();
    }

    /** Holds all data until {@link #release()}. */
    public void hold() {
        synchronized (holding) {
            held = true;
        }
    }

    /** Passes on the held data, and all data after it. */
    public void release() {
        synchronized (holding) {
            held = false;
            holding.notifyAll();
        }
    }

    /** Discards all data from the broker from now on, while the broker still receives data: its answers are withheld. */
    public void swallowAnswers() {
        swallowed = EnumSet.of(Direction.TO_CLIENT);
    }

    /** Discards all data in both directions from now on, while all connections stay open: the broker seems to be unresponsive. */
    public void swallow() {
        swallowed = EnumSet.allOf(Direction.class);
    }

    /**
     * Returns whether clients have written a text to the broker (which can read it unless it was discarded). Bytes of 0 are skipped, so
     * that a text with two bytes per character is found as well.
     */
    public boolean carried(String text) {
        synchronized (written) {
            return written.toString(StandardCharsets.ISO_8859_1).contains(text);
        }
    }

    /** Returns the number of bytes that clients have written to the broker. */
    public long carried() {
        synchronized (written) {
            return total;
        }
    }

    /** Closes all connections in both directions; new ones are accepted. */
    public void cut() {
        // A client may reconnect while the last connections are being closed.
        for (var socket : List.copyOf(sockets)) {
            shut(socket);
            sockets.remove(socket);
        }
    }

    /** Returns the number of open connections through this proxy. */
    public int connections() {
        return sockets.size() / 2;
    }

    /** Returns the addresses from which clients have connected. */
    public Set<String> clients() {
        return Set.copyOf(clients);
    }

    private void accept(Socket near) {
        clients.add(near.getInetAddress().getHostAddress());
        var far = new Socket();
        try {
            far.connect(broker, 60_000);
            near.setTcpNoDelay(true);
            far.setTcpNoDelay(true);
        } catch (IOException e) {
            shut(near);
            shut(far);
            return;
        }
        sockets.add(near);
        sockets.add(far);
        Thread.ofVirtual().start(() -> carry(near, far, Direction.TO_BROKER));
        Thread.ofVirtual().start(() -> carry(far, near, Direction.TO_CLIENT));
    }

    private void carry(Socket from, Socket to, Direction direction) {
        var buffer = new byte[64 * 1024];
        try (from; to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            int read = in.read(buffer);
            while (read >= 0) {
                awaitRelease();
                if (!swallowed.contains(direction)) {
                    out.write(buffer, 0, read);
                }
                if (direction == Direction.TO_BROKER) {
                    record(buffer, read);
                }
                read = in.read(buffer);
            }
        } catch (IOException | InterruptedException e) {
            // one end is gone, and the other one is closed as well
        } finally {
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    private void record(byte[] buffer, int length) {
        synchronized (written) {
            total += length;
            for (int i = 0; i < length && written.size() < LARGEST_RECORD; i++) {
                if (buffer[i] != 0) {
                    written.write(buffer[i]);
                }
            }
        }
    }

    private void awaitRelease() throws InterruptedException {
        synchronized (holding) {
            while (held) {
                holding.wait();
            }
        }
    }

    private static void shut(Closeable end) {
        try {
            end.close();
        } catch (IOException e) {
            // it is already closed
        }
    }

    @Override
    public void close() {
        acceptor.close();
        release();
        cut();
        closed.run();
    }
}
