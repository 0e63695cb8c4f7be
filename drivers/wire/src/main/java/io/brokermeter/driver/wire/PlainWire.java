package io.brokermeter.driver.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** TCP without encryption, on a blocking channel. */
final class PlainWire implements Wire {

    private final SocketChannel channel;

    PlainWire(SocketChannel channel) {
        this.channel = channel;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        return channel.read(into);
    }

    @Override
    public void write(ByteBuffer from) throws IOException {
        while (from.hasRemaining()) {
            channel.write(from);
        }
    }

    @Override
    public void write(ByteBuffer[] from, int count) throws IOException {
        for (int first = 0; first < count;) {
            channel.write(from, first, count - first);
            while (first < count && !from[first].hasRemaining()) {
                first++;
            }
        }
    }

    @Override
    public void end() {
        try {
            channel.shutdownOutput();
        } catch (IOException e) {
            // the peer is gone, which the reader notices
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // closed all the same
        }
    }
}
