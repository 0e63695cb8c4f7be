package io.brokermeter.network;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** A connection of a client to the proxy, and the proxy's connection to the server for it. Used by the proxy's loop alone. */
final class Relay {

    /** The size of the proxy's socket buffers, in bytes; small, so that back-pressure takes effect soon. */
    static final int SOCKET_BUFFER = 256 << 10;

    private final SocketChannel client;
    private final SocketChannel server;
    private final SelectionKey clientKey;
    private final SelectionKey serverKey;
    private final DelayedBytes up;
    private final DelayedBytes down;
    private final long opensAt;
    private boolean connecting;
    private boolean connected;
    private boolean dark;
    private boolean closed;
    private boolean readsClient;
    private boolean readsServer;
    /** The next moment at which the relay has work to do; the order of the loop's queue. */
    long at = DelayedBytes.NEVER;
    /** Whether {@link #at} must be met to the microsecond. */
    boolean exact;

    /** The resources that all connections of a proxy share: memory, and the bandwidth of each direction; up leads to the server. */
    record Common(Blocks blocks, Bottleneck up, Bottleneck down) {}

    /**
     * @param client the accepted connection
     * @param opensAt the moment at which to connect to the server: after a round trip, when the client would be connected
     */
    Relay(SocketChannel client, NetworkRule rule, Common common, Selector selector, long opensAt, long seed) throws IOException {
        this.client = client;
        this.opensAt = opensAt;
        client.configureBlocking(false);
        client.setOption(StandardSocketOptions.TCP_NODELAY, true);
        client.setOption(StandardSocketOptions.SO_SNDBUF, SOCKET_BUFFER);
        server = SocketChannel.open();
        try {
            server.configureBlocking(false);
            server.setOption(StandardSocketOptions.TCP_NODELAY, true);
            server.setOption(StandardSocketOptions.SO_SNDBUF, SOCKET_BUFFER);
            server.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BUFFER);
            clientKey = client.register(selector, 0, this);
            serverKey = server.register(selector, 0, this);
        } catch (IOException | RuntimeException e) {
            server.close();
            throw e;
        }
        up = new DelayedBytes(client, server, Linux.descriptor(server), rule, common.blocks(), common.up(), seed);
        down = new DelayedBytes(server, client, Linux.descriptor(client), rule, common.blocks(), common.down(), ~seed);
    }

    void rule(NetworkRule rule) {
        up.rule(rule);
        down.rule(rule);
    }

    void dark(boolean now) {
        dark = now;
    }

    boolean isClosed() {
        return closed;
    }

    /**
     * Does the work that is possible now, and sets {@link #at} to the next moment with work that no event of a socket reports.
     *
     * @param behind how much earlier than now the bytes to be read had come, in nanoseconds
     */
    void work(SocketAddress target, long now, long behind) {
        try {
            if (closed) {
                return;
            }
            if (dark) {
                interest(clientKey, 0);
                interest(serverKey, 0);
                at = DelayedBytes.NEVER;
                return;
            }
            if (!connected && !connect(target, now)) {
                return;
            }
            readsClient = step(up, clientKey, now, behind);
            readsServer = step(down, serverKey, now, behind);
            if (up.isShut() && down.isShut()) {
                close();
                return;
            }
            interest(clientKey, (readsClient ? SelectionKey.OP_READ : 0) | (down.isBlocked() ? SelectionKey.OP_WRITE : 0));
            interest(serverKey, (readsServer ? SelectionKey.OP_READ : 0) | (up.isBlocked() ? SelectionKey.OP_WRITE : 0));
            long next = Math.min(up.next(readsClient, now), down.next(readsServer, now));
            at = Math.min(next, Math.min(up.nextLook(), down.nextLook()));
            exact = at == next;
        } catch (IOException | RuntimeException e) {
            // One end is gone. The other end is reset at once; the break of a connection is not delayed.
            reset();
        }
    }

    private boolean connect(SocketAddress target, long now) throws IOException {
        if (now < opensAt) {
            at = opensAt;
            exact = true;
            return false;
        }
        at = DelayedBytes.NEVER;
        connected = connecting ? server.finishConnect() : server.connect(target);
        connecting = true;
        if (!connected) {
            interest(serverKey, SelectionKey.OP_CONNECT);
        }
        return connected;
    }

    /** Reads and delivers in one direction; returns whether it can read more. */
    private static boolean step(DelayedBytes pipe, SelectionKey source, long now, long behind) throws IOException {
        pipe.deliver(now);
        long room = pipe.hasEnded() ? 0 : pipe.room(now);
        if (room > 0 && (source.readyOps() & SelectionKey.OP_READ) != 0) {
            pipe.read(room, behind);
            pipe.deliver(System.nanoTime());
            room = pipe.hasEnded() ? 0 : pipe.room(now);
        }
        return room > 0;
    }

    private static void interest(SelectionKey key, int ops) {
        if (key.interestOps() != ops) {
            key.interestOps(ops);
        }
    }

    /** Closes both connections with a TCP reset. */
    void reset() {
        for (SocketChannel one : new SocketChannel[] {client, server}) {
            try {
                one.setOption(StandardSocketOptions.SO_LINGER, 0);
            } catch (IOException | UnsupportedOperationException e) {
                // it is gone already
            }
        }
        close();
    }

    /** Closes both connections. */
    void close() {
        closed = true;
        at = DelayedBytes.NEVER;
        for (SocketChannel one : new SocketChannel[] {client, server}) {
            try {
                one.close();
            } catch (IOException e) {
                // it is gone already
            }
        }
        up.release();
        down.release();
    }
}
