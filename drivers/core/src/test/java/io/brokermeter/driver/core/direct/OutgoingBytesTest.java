package io.brokermeter.driver.core.direct;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import io.brokermeter.driver.wire.Wire;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class OutgoingBytesTest {

    private static final int CAPACITY = 4096;

    private ServerSocketChannel server;
    private SocketChannel ours;
    private SocketChannel theirs;
    private OutgoingBytes outgoing;

    @BeforeEach
    void connect() throws IOException {
        server = ServerSocketChannel.open();
        server.setOption(StandardSocketOptions.SO_RCVBUF, 4096);
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        ours = SocketChannel.open();
        ours.setOption(StandardSocketOptions.SO_SNDBUF, 4096);
        ours.connect(server.getLocalAddress());
        theirs = server.accept();
        outgoing = new OutgoingBytes(Wire.over(ours), CAPACITY);
    }

    @AfterEach
    void disconnect() throws IOException {
        ours.close();
        theirs.close();
        server.close();
    }

    @Test
    void keepsFramesOfManyThreadsWholeAndInOrderPastASlowReader() throws Exception {
        int threads = 4;
        int frames = 2_000;
        var failure = new AtomicReference<@Nullable Throwable>();
        var writers = new ArrayList<Thread>();
        for (int thread = 0; thread < threads; thread++) {
            int sender = thread;
            writers.add(Thread.ofPlatform().start(() -> {
                try {
                    send(sender, frames, sender == 0);
                } catch (IOException | RuntimeException e) {
                    failure.set(e);
                }
            }));
        }
        var next = new int[threads];
        var in = new DataInputStream(theirs.socket().getInputStream());
        for (int frame = 0; frame < threads * frames; frame++) {
            int length = in.readInt();
            int sender = in.readInt();
            assertThat(in.readInt()).isEqualTo(next[sender]++);
            var body = in.readNBytes(length - 8);
            assertThat(body).hasSize(length - 8).containsOnly((byte) sender);
            if (frame % 100 == 0) {
                LockSupport.parkNanos(1_000_000);
            }
        }
        for (var writer : writers) {
            writer.join();
        }
        assertThat(failure.get()).isNull();
        assertThat(next).containsOnly(frames);
    }

    private void send(int sender, int frames, boolean asReader) throws IOException {
        var random = ThreadLocalRandom.current();
        for (int sequence = 0; sequence < frames; sequence++) {
            // one frame in 50 may be larger than the buffer
            int body = 1 + (random.nextInt(50) == 0 ? random.nextInt(3 * CAPACITY) : random.nextInt(300));
            var frame = Unpooled.buffer(12 + body).writeInt(8 + body).writeInt(sender).writeInt(sequence);
            for (int i = 0; i < body; i++) {
                frame.writeByte(sender);
            }
            outgoing.append(frame, random.nextBoolean(), !asReader);
        }
        outgoing.flush();
    }

    @Test
    void holdsWhatIsNotFlushed() throws Exception {
        outgoing.append(Unpooled.wrappedBuffer(new byte[] {1}), false, true);
        theirs.configureBlocking(false);
        assertThat(theirs.read(java.nio.ByteBuffer.allocate(8))).isZero();

        outgoing.append(Unpooled.wrappedBuffer(new byte[] {2}), true, true);
        theirs.configureBlocking(true);
        assertThat(theirs.socket().getInputStream().readNBytes(2)).containsExactly(1, 2);
    }

    /** A flush holds nothing back, so a message is held exactly until the engine flushes. */
    @Test
    void aFlushLetsEverythingOutWithoutAnotherCall() throws Exception {
        for (byte each = 0; each < 3; each++) {
            outgoing.append(Unpooled.wrappedBuffer(new byte[] {each}), false, true);
        }
        outgoing.flush();
        assertThat(theirs.socket().getInputStream().readNBytes(3)).containsExactly(0, 1, 2);
    }

    @Test
    void tellsOfAWriteThatMakesNoEndAndLetsItGoAtClose() throws Exception {
        var ended = new AtomicReference<@Nullable Throwable>();
        var waiting = Thread.ofPlatform().start(() -> {
            try {
                while (true) {
                    outgoing.append(Unpooled.wrappedBuffer(new byte[CAPACITY]), true, true);
                    if (!ours.isOpen()) {
                        return;
                    }
                }
            } catch (IOException e) {
                ended.set(e);
            }
        });
        while (outgoing.stalledNanos(System.nanoTime()) < 50_000_000) {
            Thread.sleep(5);
        }
        outgoing.append(Unpooled.wrappedBuffer(new byte[CAPACITY]), true, false);
        var another = Thread.ofPlatform().start(() -> {
            try {
                outgoing.append(Unpooled.wrappedBuffer(new byte[100 * CAPACITY]), true, true);
            } catch (IOException e) {
                ended.set(e);
            }
        });
        while (another.getState() != Thread.State.WAITING) {
            Thread.sleep(5);
        }

        outgoing.close();
        ours.close();

        another.join();
        waiting.join();
        assertThat(ended.get()).isInstanceOf(IOException.class);
    }
}
