package io.brokermeter.cluster.group;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The server socket that JGroups accepts from: hands over connections that the {@link ListeningPort} accepted and whose TLS handshakes, if
 * any, are complete.
 */
final class AcceptedSockets extends ServerSocket {

    private static final int MOST_WAITING = 256;

    private final int port;
    private final Object lock = new Object();
    private final Deque<Socket> waiting = new ArrayDeque<>();
    private boolean closed;

    AcceptedSockets(int port) throws IOException {
        this.port = port;
    }

    /**
     * Offers a connection to the thread that accepts.
     *
     * @return false if this socket is closed or 256 connections wait already; the caller still owns the connection then
     */
    boolean let(Socket socket) {
        synchronized (lock) {
            if (closed || waiting.size() == MOST_WAITING) {
                return false;
            }
            waiting.add(socket);
            lock.notifyAll();
            return true;
        }
    }

    @Override
    public Socket accept() throws IOException {
        synchronized (lock) {
            while (!closed && waiting.isEmpty()) {
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new SocketException("interrupted");
                }
            }
            if (closed) {
                throw new SocketException("closed");
            }
            return waiting.remove();
        }
    }

    @Override
    public void close() throws IOException {
        Deque<Socket> left;
        synchronized (lock) {
            closed = true;
            left = new ArrayDeque<>(waiting);
            waiting.clear();
            lock.notifyAll();
        }
        for (Socket one : left) {
            one.close();
        }
        super.close();
    }

    @Override
    public boolean isClosed() {
        synchronized (lock) {
            return closed;
        }
    }

    /** Does nothing: the {@link ListeningPort} is bound already. */
    @Override
    public void bind(SocketAddress endpoint) {}

    @Override
    public void bind(SocketAddress endpoint, int backlog) {}

    @Override
    public int getLocalPort() {
        return port;
    }
}
