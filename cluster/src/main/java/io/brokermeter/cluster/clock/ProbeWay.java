package io.brokermeter.cluster.clock;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.Socket;
import java.nio.channels.DatagramChannel;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * One path of the probes to the server and back, over UDP or one TCP connection: one thread sends, a thread of its own receives and reads
 * the clock before anything else. Each object is a separate client of the server, with a random number and a sequence of its own.
 */
abstract sealed class ProbeWay implements Closeable {

    /** Receives the four stamps of a probe, on the receiving thread. */
    @FunctionalInterface
    interface Taker {
        void take(long t1, long t2, long t3, long t4);
    }

    private static final int CONNECT_MILLIS = 2_000;
    /** The most probes that may wait for their answers over TCP: more would wait in its buffers. */
    private static final int MOST_WAITING = 256;

    private final ProbeFrame out;
    private final ProbeFrame in;
    private final LongSupplier clock;
    private final Taker taker;
    private final Pending pending = new Pending();
    private final long client = new SecureRandom().nextLong();
    private long sequence;
    private volatile long sent;
    private final AtomicLong answers = new AtomicLong();

    ProbeWay(byte[] key, LongSupplier clock, Taker taker) {
        this.out = new ProbeFrame(key);
        this.in = new ProbeFrame(key);
        this.clock = clock;
        this.taker = taker;
    }

    /** Prepares the next request, so that only the stamp and the system call are left to {@link #send}. */
    final void prepare() {
        out.request(client, sequence + 1);
    }

    /** Sends the request that was prepared. One that cannot be sent counts as a lost packet. */
    final void send() {
        if (!ready(sent - answers.get())) {
            return;
        }
        sequence++;
        try {
            pending.put(sequence, clock.getAsLong());
            write(out);
        } catch (IOException e) {
            // A closed port or a missing route is detected by the absence of answers.
        }
        sent = sequence;
    }

    /** Handles an answer of {@code length} bytes that was received at {@code t4}. */
    final void came(ProbeFrame frame, int length, long t4) {
        if (frame.isAnswer(length, client)) {
            long t1 = pending.take(frame.sequence());
            if (t1 != Pending.NONE) {
                answers.incrementAndGet();
                taker.take(t1, frame.received(), frame.sent(), t4);
            }
        }
    }

    final long now() {
        return clock.getAsLong();
    }

    final ProbeFrame in() {
        return in;
    }

    /** Returns the number of requests sent. */
    final long sent() {
        return sent;
    }

    /** Returns the number of answers received. */
    final long answers() {
        return answers.get();
    }

    /** Returns whether another request can be sent without blocking while {@code waiting} ones have no answer. */
    abstract boolean ready(long waiting);

    abstract void write(ProbeFrame frame) throws IOException;

    /** Receives answers until this path is closed or broken. */
    abstract void receive();

    /** Returns whether this path may still work by itself. */
    abstract boolean open();

    @Override
    public abstract void close();

    final void startReceiving() {
        Thread.ofPlatform().daemon().name("brokermeter-clock-receive").start(this::receive);
    }

    /** The path over UDP. */
    static final class Udp extends ProbeWay {
        private final DatagramChannel channel;

        Udp(InetSocketAddress server, @Nullable InetSocketAddress bind, byte[] key, LongSupplier clock, Taker taker) throws IOException {
            super(key, clock, taker);
            channel = ProbeServer.channel(server);
            try {
                if (bind != null) {
                    channel.bind(bind);
                }
                channel.connect(server);
            } catch (IOException | RuntimeException e) {
                channel.close();
                throw e;
            }
        }

        @Override
        boolean ready(long waiting) {
            return true;
        }

        @Override
        void write(ProbeFrame frame) throws IOException {
            channel.write(frame.full());
        }

        @Override
        void receive() {
            ProbeFrame frame = in();
            while (channel.isOpen()) {
                try {
                    int length = channel.read(frame.empty());
                    long t4 = now();
                    came(frame, length, t4);
                } catch (PortUnreachableException e) {
                    // Reported for each probe that found no server.
                } catch (IOException e) {
                    if (!channel.isOpen()) {
                        return;
                    }
                }
            }
        }

        @Override
        boolean open() {
            return channel.isOpen();
        }

        @Override
        public void close() {
            try {
                channel.close();
            } catch (IOException e) {
                // It is gone either way.
            }
        }
    }

    /** The path over a TCP connection, which the receiving thread opens. */
    static final class Tcp extends ProbeWay {
        private final InetSocketAddress server;
        private final @Nullable InetSocketAddress bind;
        private final Socket socket = new Socket();
        private volatile boolean broken;
        private volatile @Nullable OutputStream out;

        Tcp(InetSocketAddress server, @Nullable InetSocketAddress bind, byte[] key, LongSupplier clock, Taker taker) {
            super(key, clock, taker);
            this.server = server;
            this.bind = bind;
        }

        @Override
        boolean ready(long waiting) {
            return out != null && waiting < MOST_WAITING;
        }

        @Override
        void write(ProbeFrame frame) throws IOException {
            OutputStream stream = out;
            if (stream != null) {
                stream.write(frame.array(), 0, ProbeFrame.SIZE);
            }
        }

        @Override
        void receive() {
            try (socket) {
                if (bind != null) {
                    // Only the address: UDP has the port.
                    socket.bind(new InetSocketAddress(bind.getAddress(), 0));
                }
                socket.setTcpNoDelay(true);
                socket.connect(server, CONNECT_MILLIS);
                out = socket.getOutputStream();
                InputStream stream = socket.getInputStream();
                ProbeFrame frame = in();
                while (true) {
                    int length = stream.readNBytes(frame.array(), 0, ProbeFrame.SIZE);
                    long t4 = now();
                    if (length < ProbeFrame.SIZE) {
                        return;
                    }
                    came(frame, length, t4);
                }
            } catch (IOException e) {
                // Refused, or ended: the client checks whether it is open.
            } finally {
                broken = true;
                out = null;
            }
        }

        @Override
        boolean open() {
            return !broken;
        }

        @Override
        public void close() {
            try {
                socket.close();
            } catch (IOException e) {
                // It is gone either way.
            }
        }
    }
}
