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
 * What every time of this process has in it that no broker can help: from reading the clock to having written to a socket, and from
 * the arrival of bytes at another socket to a thread of ours that reads the clock. Two threads that do nothing else send each other a few
 * bytes over TCP on the loopback interface, {@value #PER_SECOND} times a second.
 *
 * <p>A time that is measured includes a message of no importance right before it, as a message under load comes to caches that the
 * one before it has used.
 */
final class WakeProbe implements AutoCloseable {

    private static final int PER_SECOND = 5;
    private static final long PAUSE = 1_000_000_000L / PER_SECOND;
    /** Between the message that warms and the one that counts. */
    private static final long GAP = 2_000_000;
    /** So often the code runs once before anything counts, to be compiled. */
    private static final int REHEARSALS = 300;
    private static final int MESSAGE = 64;

    private final Histogram times = new Histogram(1, 60_000_000_000L, 3);
    private volatile @Nullable SocketChannel sending;
    private volatile @Nullable SocketChannel receiving;
    private volatile boolean measuring;
    private volatile boolean closed;

    /** Connects and begins; where that is impossible, nothing is ever measured. Blocks for some milliseconds. */
    void start() {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
            SocketChannel out = SocketChannel.open(server.getLocalAddress());
            sending = out;
            SocketChannel in = server.accept();
            receiving = in;
            if (!in.getRemoteAddress().equals(out.getLocalAddress())) {
                // Another process connected first.
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

    /** Times count from now on. */
    void begin() {
        synchronized (times) {
            times.reset();
        }
        measuring = true;
    }

    /** Times count no more. */
    void freeze() {
        measuring = false;
    }

    /** The median in microseconds; -1 when nothing was measured. */
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
                    // Nothing was to be written.
                }
            }
        }
    }
}
