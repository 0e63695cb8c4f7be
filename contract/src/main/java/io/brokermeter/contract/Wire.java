package io.brokermeter.contract;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A wire to a broker that a test can cut, or hold so that nothing passes while all connections stay open. */
public final class Wire implements AutoCloseable {

    private final InetSocketAddress broker;
    private final ServerSocket server;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final Object holding = new Object();
    private boolean held;

    /** Opens a wire on a free port of the loopback interface. */
    public Wire(InetSocketAddress broker) throws IOException {
        this(broker, 0);
    }

    /** Opens a wire on a port of the loopback interface, 0 for any free one. */
    public Wire(InetSocketAddress broker, int port) throws IOException {
        this.broker = broker;
        this.server = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    public String host() {
        return "127.0.0.1";
    }

    public int port() {
        return server.getLocalPort();
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

    /** Closes every connection in both directions; new ones are accepted. */
    public void cut() {
        for (var socket : sockets) {
            shut(socket);
        }
    }

    /** Open connections through this wire. */
    public int connections() {
        return sockets.size() / 2;
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                var near = server.accept();
                var far = new Socket();
                try {
                    far.connect(broker, 2000);
                } catch (IOException e) {
                    shut(near);
                    continue;
                }
                near.setTcpNoDelay(true);
                far.setTcpNoDelay(true);
                sockets.add(near);
                sockets.add(far);
                Thread.ofVirtual().start(() -> carry(near, far));
                Thread.ofVirtual().start(() -> carry(far, near));
            } catch (IOException e) {
                return;
            }
        }
    }

    private void carry(Socket from, Socket to) {
        var buffer = new byte[64 * 1024];
        try (from; to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            int read = in.read(buffer);
            while (read >= 0) {
                awaitRelease();
                out.write(buffer, 0, read);
                read = in.read(buffer);
            }
        } catch (IOException | InterruptedException e) {
            // one end is gone, and closing takes the other one with it
        } finally {
            sockets.remove(from);
            sockets.remove(to);
        }
    }

    private void awaitRelease() throws InterruptedException {
        synchronized (holding) {
            while (held) {
                holding.wait();
            }
        }
    }

    private static void shut(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // it is gone already
        }
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            // nobody can connect to it any more
        }
        release();
        cut();
    }
}
