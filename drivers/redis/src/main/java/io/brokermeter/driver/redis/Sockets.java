package io.brokermeter.driver.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

import io.brokermeter.driver.tls.Tls;
import io.brokermeter.spi.parameter.ServerUrl;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.JedisSocketFactory;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** Creates the TLS socket of a {@link PipelinedConnection}, and can close the plain socket below it. */
final class Sockets implements JedisSocketFactory {

    private final ServerUrl.Server server;
    private final Tls tls;
    private final int millis;
    private volatile @Nullable Socket below;

    /** @param millis time limit of the connect and of each read, in milliseconds */
    Sockets(ServerUrl.Server server, Tls tls, int millis) {
        this.server = server;
        this.tls = tls;
        this.millis = millis;
    }

    @Override
    public Socket createSocket() throws JedisConnectionException {
        Socket plain = null;
        try {
            plain = connected();
            below = plain;
            return tls.over(plain, server.host(), server.port());
        } catch (IOException e) {
            close(plain);
            throw new JedisConnectionException(e.getMessage(), e);
        }
    }

    private Socket connected() throws IOException {
        IOException last = null;
        for (InetAddress address : InetAddress.getAllByName(server.host())) {
            Socket socket = new Socket();
            try {
                socket.setTcpNoDelay(true);
                socket.setKeepAlive(true);
                socket.connect(new InetSocketAddress(address, server.port()), millis);
                socket.setSoTimeout(millis);
                return socket;
            } catch (IOException e) {
                close(socket);
                last = e;
            }
        }
        throw last != null ? last : new IOException("The host has no address.");
    }

    /** Closes the plain socket, which ends reads and writes; a TLS close_notify would wait for a write in progress. */
    void close() {
        close(below);
    }

    private static void close(@Nullable Socket socket) {
        try {
            if (socket != null) {
                socket.close();
            }
        } catch (IOException e) {
            // closed all the same
        }
    }
}
