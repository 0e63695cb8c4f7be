package io.brokermeter.network;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;

/** A server of one connection that sends back what it gets. */
final class Echo {

    private Echo() {}

    /** Accepts the next connection of {@code server}; completed when its client has ended its side and got everything back. */
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
