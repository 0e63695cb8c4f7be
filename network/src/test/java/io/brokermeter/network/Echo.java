package io.brokermeter.network;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;

/** A server that accepts one connection and sends back what it receives. */
final class Echo {

    private Echo() {}

    /**
     * Accepts the next connection of {@code server}. The future completes when its client has ended its side and everything was sent back.
     */
    static CompletableFuture<Void> on(ServerSocket server) {
        return CompletableFuture.runAsync(() -> {
            try (Socket socket = server.accept()) {
                socket.setTcpNoDelay(true);
                socket.getInputStream().transferTo(socket.getOutputStream());
                socket.shutdownOutput();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }, task -> Thread.ofPlatform().daemon().start(task));
    }
}
