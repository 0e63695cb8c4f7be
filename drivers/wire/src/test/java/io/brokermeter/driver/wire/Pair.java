package io.brokermeter.driver.wire;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** The two ends of a connection over the loopback interface. */
final class Pair implements AutoCloseable {

    final SocketChannel near;
    final SocketChannel far;
    final Wire wire;

    Pair() throws IOException {
        try (var server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            near = SocketChannel.open(server.getLocalAddress());
            far = server.accept();
        }
        wire = new PlainWire(near);
    }

    @Override
    public void close() throws IOException {
        near.close();
        far.close();
    }
}
