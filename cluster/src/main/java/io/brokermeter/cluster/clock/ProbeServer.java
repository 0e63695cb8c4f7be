package io.brokermeter.cluster.clock;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.BindException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The coordinator's end of the clock probes: stamps when each request arrived and when its answer left. UDP is served by one daemon thread;
 * TCP, on the same port number for agents that UDP does not reach, by a virtual thread for each connection. Answers those who have the
 * session's key, each request once and with as many bytes, and nobody else: anything invalid is ignored silently.
 */
public final class ProbeServer implements Closeable {

    private static final int TRIES = 20;
    private static final int MOST_CONNECTIONS = 2_048;
    private static final int FIRST_FRAME_MILLIS = 5_000;
    private static final int IDLE_MILLIS = 60_000;
    private static final int BACKLOG = 256;
    private static final long PAUSE_MILLIS = 20;

    private final byte[] key;
    private final LongSupplier clock;
    private final DatagramChannel channel;
    private final ServerSocket listener;
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
    private final Replays replays = new Replays();
    private final AtomicLong answered = new AtomicLong();
    private final AtomicLong ignored = new AtomicLong();
    private volatile boolean closed;

    private ProbeServer(byte[] key, LongSupplier clock, DatagramChannel channel, ServerSocket listener) {
        this.key = key;
        this.clock = clock;
        this.channel = channel;
        this.listener = listener;
    }

    /**
     * Binds the sockets and starts the threads.
     *
     * @param bind the address at which agents reach the server, preferably not a wildcard address; port 0 takes one that is free for UDP
     *     and TCP
     * @param key the secret of the session, at least 16 bytes; it is copied
     * @throws IOException when the address or its port cannot be bound
     */
    public static ProbeServer start(InetSocketAddress bind, byte[] key) throws IOException {
        return start(bind, key, System::nanoTime);
    }

    /** Starts a server with another clock. */
    static ProbeServer start(InetSocketAddress bind, byte[] key, LongSupplier clock) throws IOException {
        ProbeFrame frame = new ProbeFrame(key);
        for (int i = 1;; i++) {
            ServerSocket listener = new ServerSocket();
            try {
                listener.bind(bind, BACKLOG);
                DatagramChannel channel = channel(bind);
                try {
                    channel.bind(new InetSocketAddress(bind.getAddress(), listener.getLocalPort()));
                } catch (IOException e) {
                    channel.close();
                    throw e;
                }
                ProbeServer server = new ProbeServer(key.clone(), clock, channel, listener);
                Thread.ofPlatform().daemon().name("brokermeter-clock-server").start(() -> server.reflect(frame));
                Thread.ofPlatform().daemon().name("brokermeter-clock-accept").start(server::accept);
                return server;
            } catch (IOException e) {
                listener.close();
                if (bind.getPort() != 0 || i == TRIES || !(e instanceof BindException)) {
                    throw new IOException("The clock's probes cannot be answered on " + bind + ": " + e.getMessage(), e);
                }
            }
        }
    }

    /** Opens a channel of the protocol family of an address. */
    static DatagramChannel channel(InetSocketAddress address) throws IOException {
        return DatagramChannel
            .open(address.getAddress() instanceof Inet4Address ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6);
    }

    /** Returns the address on which it listens, for UDP and TCP. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    /** Returns the number of requests that were answered. */
    public long answered() {
        return answered.get();
    }

    /** Returns the number of datagrams and connections that were ignored: of strangers, seen before, or beyond the limit of connections. */
    public long ignored() {
        return ignored.get();
    }

    private void reflect(ProbeFrame frame) {
        while (!closed) {
            try {
                SocketAddress from = channel.receive(frame.empty());
                long received = clock.getAsLong();
                if (from == null || !frame.isRequest(frame.length()) || !replays.first(frame.client(), frame.sequence())) {
                    ignored.incrementAndGet();
                    continue;
                }
                frame.answer(received, clock);
                channel.send(frame.full(), from);
                answered.incrementAndGet();
            } catch (IOException e) {
                // A datagram that could not be sent is a lost packet. A closed channel ends the loop.
                if (!channel.isOpen() || !pause()) {
                    return;
                }
            }
        }
    }

    private static boolean pause() {
        try {
            Thread.sleep(PAUSE_MILLIS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void accept() {
        while (!closed) {
            try {
                Socket socket = listener.accept();
                if (connections.size() >= MOST_CONNECTIONS) {
                    ignored.incrementAndGet();
                    socket.close();
                    continue;
                }
                connections.add(socket);
                Thread.ofVirtual().name("brokermeter-clock-connection").start(() -> serve(socket));
            } catch (IOException e) {
                if (listener.isClosed() || !pause()) {
                    return;
                }
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            ProbeFrame frame = new ProbeFrame(key);
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(FIRST_FRAME_MILLIS);
            InputStream in = socket.getInputStream();
            while (!closed) {
                int length = in.readNBytes(frame.array(), 0, ProbeFrame.SIZE);
                long received = clock.getAsLong();
                if (length == 0) {
                    return;
                }
                if (!frame.isRequest(length) || !replays.first(frame.client(), frame.sequence())) {
                    ignored.incrementAndGet();
                    return;
                }
                frame.answer(received, clock);
                socket.getOutputStream().write(frame.array(), 0, ProbeFrame.SIZE);
                answered.incrementAndGet();
                socket.setSoTimeout(IDLE_MILLIS);
            }
        } catch (IOException e) {
            // The agent left, or it is a stranger that sends nothing: neither is reported.
        } finally {
            connections.remove(socket);
        }
    }

    /** Closes the sockets and ends the threads, without waiting for them. */
    @Override
    public void close() throws IOException {
        closed = true;
        try (channel; listener) {
            for (Socket socket : connections) {
                socket.close();
            }
        }
    }
}
