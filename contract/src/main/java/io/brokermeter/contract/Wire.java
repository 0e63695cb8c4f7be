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
 * A wire to a broker that a test can cut, hold so that nothing passes while all connections stay open, or have swallow what
 * comes, so that one side never receives what the other one wrote. It keeps the beginning of what clients wrote.
 */
public final class Wire implements AutoCloseable {

    private final InetSocketAddress broker;
    private final Acceptor acceptor;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final Object holding = new Object();
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private long total;
    private boolean held;
    private final Runnable closed;
    private volatile Set<Direction> swallowed = Set.of();

    private enum Direction { TO_BROKER, TO_CLIENT }

    /** So much of what clients wrote is kept. */
    private static final int LARGEST_RECORD = 16 * 1024 * 1024;

    /** Opens a wire on a free port of the loopback interface. */
    public Wire(InetSocketAddress broker) throws IOException {
        this(broker, 0, () -> {});
    }

    /**
     * Opens a wire on a port of the loopback interface.
     *
     * @param port 0 for any free one
     * @param closed called when the wire is closed, and its port free
     */
    public Wire(InetSocketAddress broker, int port, Runnable closed) throws IOException {
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

    /** Nothing passes any more, until {@link #release()}. */
    public void hold() {
        synchronized (holding) {
            held = true;
        }
    }

    /** What was held passes, and everything after it. */
    public void release() {
        synchronized (holding) {
            held = false;
            holding.notifyAll();
        }
    }

    /** From now on what the broker writes is lost, and it receives from its clients: its answers are withheld. */
    public void swallowAnswers() {
        swallowed = EnumSet.of(Direction.TO_CLIENT);
    }

    /** From now on what either side writes is lost, while all connections stay open: the broker seems to be mute. */
    public void swallow() {
        swallowed = EnumSet.allOf(Direction.class);
    }

    /**
     * Whether clients have written a text to the broker (and, unless it was swallowed, the broker may read it). Bytes of 0 are
     * passed over, so that a text of two bytes for a character is found, too.
     */
    public boolean carried(String text) {
        synchronized (written) {
            return written.toString(StandardCharsets.ISO_8859_1).contains(text);
        }
    }

    /** How many bytes clients have written to the broker. */
    public long carried() {
        synchronized (written) {
            return total;
        }
    }

    /** Closes every connection in both directions; new ones are accepted. */
    public void cut() {
        // A client may be back while the last ones are being closed.
        for (var socket : List.copyOf(sockets)) {
            shut(socket);
        }
    }

    /** Open connections through this wire. */
    public int connections() {
        return sockets.size() / 2;
    }

    private void accept(Socket near) {
        var far = new Socket();
        try {
            far.connect(broker, 20_000);
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
            // one end is gone, and closing takes the other one with it
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
            // it is gone already
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
