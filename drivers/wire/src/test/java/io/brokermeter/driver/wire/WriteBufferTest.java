package io.brokermeter.driver.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import io.brokermeter.contract.Await;
import io.brokermeter.spi.Payload;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WriteBufferTest {

    /** A number of bytes that is larger than any socket buffers for a peer that does not read. */
    private static final int MUCH = 64 * 1024 * 1024;

    private final ReentrantLock lock = new ReentrantLock();

    private void append(WriteBuffer out, int bytes) {
        lock.lock();
        try {
            out.append(new byte[bytes], bytes);
        } finally {
            lock.unlock();
        }
    }

    @Test
    void aWholeFlushFailsWhenItWasAnotherThreadThatCouldNotWrite() throws Exception {
        try (var pair = new Pair()) {
            var out = new WriteBuffer(pair.wire, lock);
            append(out, MUCH);
            var helper = new AtomicReference<IOException>();
            var writing = Thread.ofPlatform().start(() -> {
                try {
                    out.flush();
                } catch (IOException e) {
                    helper.set(e);
                }
            });
            Await.until(() -> out.writingSince() != 0 && out.pending() == 0, () -> "nobody writes");
            var whole = new AtomicReference<Throwable>();
            var waiting = Thread.ofPlatform().start(() -> {
                try {
                    out.flushAll();
                } catch (IOException e) {
                    whole.set(e);
                }
            });
            Await.until(() -> waiting.getState() == Thread.State.WAITING, () -> "it does not wait but is " + waiting.getState());
            pair.close();
            writing.join();
            waiting.join();
            assertThat(helper.get()).isNotNull();
            assertThat(whole.get()).isNotNull();
            assertThat(out.written()).isZero();
            assertThatThrownBy(out::flushAll).isInstanceOf(IOException.class);
            append(out, 1);
            assertThatThrownBy(out::flush).hasMessage("a write failed before");
            long began = System.nanoTime();
            out.awaitOthers(TimeUnit.MINUTES.toNanos(1));
            assertThat(System.nanoTime() - began).as("a wait for what nobody can write").isLessThan(TimeUnit.MINUTES.toNanos(1));
        }
    }

    /** A slow network may need minutes for a large message, which must not be mistaken for a peer that does not read. */
    @Test
    void aWriteUnderWayIsAsOldAsItsLastProgress() throws Exception {
        var sizes = new ArrayList<Integer>();
        var since = new ArrayList<Long>();
        var made = new AtomicReference<WriteBuffer>();
        var out = new WriteBuffer(new Wire() {

            @Override
            public int read(ByteBuffer into) {
                return -1;
            }

            @Override
            public void write(ByteBuffer from) {
                sizes.add(from.remaining());
                since.add(made.get().writingSince());
                from.position(from.limit());
                LockSupport.parkNanos(1_000_000);
            }

            @Override
            public void end() {}

            @Override
            public void close() {}
        }, lock);
        made.set(out);
        append(out, 1_000_000);
        out.flushAll();
        assertThat(sizes.stream().mapToInt(size -> size).sum()).isEqualTo(1_000_000);
        assertThat(sizes).hasSizeGreaterThan(2);
        for (int i = 1; i < since.size(); i++) {
            assertThat(since.get(i) - since.get(i - 1)).isPositive();
        }
        assertThat(out.written()).isEqualTo(1_000_000);
        assertThat(out.writingSince()).isZero();
    }

    @Test
    void aWholeFlushReturnsWhenEverythingIsWritten() throws Exception {
        try (var pair = new Pair()) {
            var out = new WriteBuffer(pair.wire, lock);
            append(out, 100_000);
            assertThat(out.pending()).isEqualTo(100_000);
            assertThat(out.end()).isEqualTo(100_000);
            out.flushAll();
            assertThat(out.written()).isEqualTo(100_000);
            assertThat(out.start()).isEqualTo(100_000);
            assertThat(out.end()).isEqualTo(100_000);
            assertThat(pair.far.socket().getInputStream().readNBytes(100_000)).hasSize(100_000);
        }
    }

    /** What bodies of any size and their parts are, copied or written from where they lie, with frames of other threads between them. */
    @ParameterizedTest
    @CsvSource({"65536, 28, 900000, 0", "65536, 0, 900000, 131000", "65536, 28, 900000, 400000", "65536, 28, 16384, 0",
        "65536, 28, 16412, 0",
        "40000, 40000, 100000, 70000", "1048576, 28, 3000000, 0", "65536, 28, 900000, 500", "7, 3, 20000, 0"})
    void bodiesAreWrittenFromWhereTheyLieInTheirPlace(int period, int from, int size, int partSize) throws Exception {
        byte[] repeated = new byte[period];
        new Random(1).nextBytes(repeated);
        byte[] body = new byte[size];
        for (int i = 0; i < size; i++) {
            body[i] = i < from ? (byte) i : repeated[i % period];
        }
        var payload = new Payload(body);
        payload.pattern(ByteBuffer.allocateDirect(period).put(repeated), from);
        var expected = new ByteArrayOutputStream();
        try (var pair = new Pair()) {
            var out = new WriteBuffer(pair.wire, lock);
            for (int message = 0; message < 3; message++) {
                lock.lock();
                try {
                    out.room(payload, 4).putInt(message);
                    expected.writeBytes(new byte[] {0, 0, 0, (byte) message});
                    int step = partSize == 0 ? size : partSize;
                    for (int at = 0; at < size; at += step) {
                        int length = Math.min(step, size - at);
                        out.body(payload, at, length, 1).put((byte) -1);
                        expected.write(body, at, length);
                        expected.write(-1);
                    }
                    out.appended();
                } finally {
                    lock.unlock();
                }
                // what the sender changes before the write must be copied, and nothing else
                Arrays.fill(body, 0, from, (byte) (message + 1));
                assertThat(out.end()).isEqualTo(expected.size());
                if (message == 1) {
                    append(out, 5);
                    expected.writeBytes(new byte[5]);
                }
            }
            assertThat(out.pending()).isEqualTo(expected.size());
            var writing = Thread.ofPlatform().start(() -> {
                try {
                    out.flushAll();
                } catch (IOException e) {
                    // the other side reads too little then
                }
            });
            assertThat(pair.far.socket().getInputStream().readNBytes(expected.size())).isEqualTo(expected.toByteArray());
            writing.join();
            assertThat(out.written()).isEqualTo(expected.size());
            assertThat(out.isWhole()).isTrue();
        }
    }

    @Test
    void nothingStaysOfABodyThatFoundNoRoom() throws Exception {
        var payload = new Payload(new byte[1 << 20]);
        payload.pattern(ByteBuffer.allocateDirect(1 << 16), 0);
        try (var pair = new Pair()) {
            var out = new WriteBuffer(pair.wire, lock);
            append(out, 7);
            lock.lock();
            try {
                out.room(payload, 4).putInt(1);
                out.body(payload, 0, 1 << 20, 1);
                assertThatThrownBy(() -> out.room(Integer.MAX_VALUE))
                    .isInstanceOfAny(ArithmeticException.class, OutOfMemoryError.class);
            } finally {
                lock.unlock();
            }
            append(out, 3);
            assertThat(out.end()).isEqualTo(10);
            out.flushAll();
            assertThat(out.written()).isEqualTo(10);
        }
    }

    @Test
    void anInterruptedThreadWritesAndStaysInterrupted() throws Exception {
        try (var pair = new Pair()) {
            var out = new WriteBuffer(pair.wire, lock);
            append(out, 10);
            Thread.currentThread().interrupt();
            out.flush();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(pair.near.isOpen()).isTrue();
            assertThat(out.written()).isEqualTo(10);
        }
    }

    @Test
    void manyThreadsWriteWholeFramesInTheirOrderAndNothingStays() throws Exception {
        int threads = 4;
        int frames = 50_000;
        try (var pair = new Pair()) {
            var out = new WriteBuffer(pair.wire, lock);
            var broken = new AtomicReference<Throwable>();
            var senders = new ArrayList<Thread>();
            for (int i = 0; i < threads; i++) {
                int id = i;
                senders.add(Thread.ofPlatform().start(() -> {
                    var random = ThreadLocalRandom.current();
                    try {
                        for (int number = 0; number < frames; number++) {
                            lock.lock();
                            try {
                                int body = random.nextInt(20);
                                out.room(12 + body).putInt(id).putInt(number).putInt(body).put(new byte[body]);
                                out.appended();
                            } finally {
                                lock.unlock();
                            }
                            int dice = random.nextInt(100);
                            if (dice < 50) {
                                out.flush();
                            } else if (dice < 52) {
                                out.flushAll();
                                assertThat(out.written()).isPositive();
                            }
                        }
                        // the thread that is writing now also writes what is left
                        out.flush();
                    } catch (Throwable e) {
                        broken.set(e);
                    }
                }));
            }
            var in = new DataInputStream(new java.io.BufferedInputStream(pair.far.socket().getInputStream(), 1 << 16));
            int[] next = new int[threads];
            for (int i = 0; i < threads * frames; i++) {
                int id = in.readInt();
                assertThat(in.readInt()).isEqualTo(next[id]++);
                in.skipNBytes(in.readInt());
            }
            for (var sender : senders) {
                sender.join();
            }
            assertThat(broken.get()).isNull();
            assertThat(out.pending()).isZero();
            assertThat(out.written()).isEqualTo(out.end());
        }
    }
}
