package io.brokermeter.engine.health;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.LockSupport;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Measures the part of every time of this process that does not depend on the broker: from reading the clock until data is written to
 * a socket, and from the arrival of data at another socket until a thread reads the clock. One thread sends another a few bytes over
 * TCP on the loopback interface, {@value #PER_SECOND} times a second; both do nothing else.
 *
 * <p>Right before each message that is measured goes one that is not, since a message under load finds caches that the message before
 * it has used.
 */
final class WakeProbe implements AutoCloseable {

    private static final int PER_SECOND = 5;
    private static final long PAUSE = 1_000_000_000L / PER_SECOND;
    /** The pause between the message that warms the caches and the one that is measured, in nanoseconds. */
    private static final long GAP = 2_000_000;
    /** The number of messages that are sent before any is measured, so that the code is compiled. */
    private static final int REHEARSALS = 300;
    private static final int MESSAGE = 64;

    private final Histogram times = new Histogram(1, 60_000_000_000L, 3);
    private volatile @Nullable SocketChannel sending;
    private volatile @Nullable SocketChannel receiving;
    private volatile boolean measuring;
    private volatile boolean closed;

    /** Connects and starts the threads; if that is impossible, nothing is ever measured. Blocks for some milliseconds. */
    void start() {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
            SocketChannel out = SocketChannel.open(server.getLocalAddress());
            sending = out;
            SocketChannel in = server.accept();
            receiving = in;
            if (closed || !in.getRemoteAddress().equals(out.getLocalAddress())) {
                // Another process connected first, or it was closed meanwhile, when there was nothing to be closed.
                close();
                return;
            }
            out.setOption(StandardSocketOptions.TCP_NODELAY, true);
            Thread.ofPlatform().daemon().name("brokermeter-probe-in").start(() -> receive(in));
            Thread.ofPlatform().daemon().name("brokermeter-probe-out").start(() -> send(out));
        } catch (IOException | RuntimeException e) {
            close();
        }
    }

    /** Starts measuring and discards earlier times. */
    void begin() {
        synchronized (times) {
            times.reset();
        }
        measuring = true;
    }

    /** Stops measuring. */
    void freeze() {
        measuring = false;
    }

    /** Returns the median time in microseconds; -1 if nothing was measured. */
    double medianMicros() {
        synchronized (times) {
            return times.getTotalCount() == 0 ? -1 : times.getValueAtPercentile(50) / 1e3;
        }
    }

    private void send(SocketChannel out) {
        ByteBuffer message = ByteBuffer.allocateDirect(MESSAGE);
        try {
            for (int i = 0; i < REHEARSALS && !closed; i++) {
                write(out, message, 0);
            }
            while (!closed) {
                LockSupport.parkNanos(PAUSE - GAP);
                write(out, message, 0);
                LockSupport.parkNanos(GAP);
                write(out, message, measuring ? System.nanoTime() : 0);
            }
        } catch (IOException e) {
            // It was closed.
        }
    }

    private static void write(SocketChannel out, ByteBuffer message, long stamp) throws IOException {
        message.clear().putLong(0, stamp);
        while (message.hasRemaining()) {
            out.write(message);
        }
    }

    private void receive(SocketChannel in) {
        ByteBuffer message = ByteBuffer.allocateDirect(MESSAGE);
        try {
            while (true) {
                message.clear();
                while (message.hasRemaining()) {
                    if (in.read(message) < 0) {
                        return;
                    }
                }
                long now = System.nanoTime();
                long stamp = message.getLong(0);
                if (stamp != 0) {
                    synchronized (times) {
                        times.recordValue(Math.min(Math.max(0, now - stamp), times.getHighestTrackableValue()));
                    }
                }
            }
        } catch (IOException e) {
            // It was closed.
        }
    }

    @Override
    public void close() {
        closed = true;
        for (SocketChannel channel : new SocketChannel[] {sending, receiving}) {
            if (channel != null) {
                try {
                    channel.close();
                } catch (IOException e) {
                    // Nothing is left to be written.
                }
            }
        }
    }
}
