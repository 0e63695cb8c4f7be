package io.brokermeter.contract;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * A listener on 127.0.0.1 with a thread that accepts its connections. Java releases the port of a listener only when the thread in
 * {@code accept} has noticed that it is closed, so {@link #close} waits for that.
 */
public final class Acceptor implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofSeconds(90);

    private final ServerSocket server;
    private final Thread thread;

    /**
     * Opens a listener.
     *
     * @param port port, 0 for any free one
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

    /**
     * Closes the listener. Returns when the port is free; a connection that was accepted meanwhile has been passed to {@code serve} by
     * then.
     */
    @Override
    public void close() {
        try {
            server.close();
            if (!thread.join(LIMIT)) {
                throw new AssertionError("A connection was not accepted to its end within " + LIMIT.toSeconds() + " s.");
            }
        } catch (IOException e) {
            // the listener is closed nevertheless
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
