package io.brokermeter.contract;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * A listener on 127.0.0.1 and the thread that accepts its connections. Java gives a listener's port back only when the thread in
 * {@code accept} has seen that it is closed, so {@link #close} waits for that.
 */
public final class Acceptor implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final ServerSocket server;
    private final Thread thread;

    /**
     * @param port 0 for any free one
     * @param serve called with each connection on the accepting thread
     */
    public Acceptor(int port, Consumer<Socket> serve) throws IOException {
        this.server = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
        this.thread = Thread.ofPlatform().daemon().name("acceptor").start(() -> {
            try {
                while (true) {
                    serve.accept(server.accept());
                }
            } catch (IOException e) {
                // closed
            }
        });
    }

    public int port() {
        return server.getLocalPort();
    }

    /** Returns when the port is free; a connection that was accepted meanwhile has been served by then. */
    @Override
    public void close() {
        try {
            server.close();
            if (!thread.join(LIMIT)) {
                throw new AssertionError("A connection was not accepted to its end within " + LIMIT.toSeconds() + " s.");
            }
        } catch (IOException e) {
            // closed all the same
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
