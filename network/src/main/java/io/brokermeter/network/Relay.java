package io.brokermeter.network;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** One connection of a client through the proxy, and that of the proxy to the server. Used by the proxy's loop alone. */
final class Relay {

    /** What a socket of the proxy holds at most, so that back-pressure is felt soon. */
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
    /** When it wants to be looked at; kept by the loop's queue. */
    long at = DelayedBytes.NEVER;
    /** Whether that moment matters to the microsecond. */
    boolean exact;

    /** What all connections of a proxy have in common: memory, and the bandwidth of each direction, up being to the server. */
    record Common(Blocks blocks, Bottleneck up, Bottleneck down) {}

    /**
     * @param client was accepted
     * @param opensAt when the connection to the server is made: after a round trip, as the client's would be
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
     * Does what can be done now, and says when to look again without news from a socket.
     *
     * @param behind how much earlier than now what is read had come
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
            // One end is gone. The other one learns it at once; what a connection breaks with is not delayed.
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

    /** Reads and delivers in one direction; returns whether it wants more. */
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

    /** Ends both connections without the farewell of TCP. */
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

    /** Ends both connections. */
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
