package io.brokermeter.driver.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

import io.brokermeter.contract.Await;
import io.brokermeter.contract.tls.CertificateAuthority;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of the contract of wires, plain and over TLS. */
class WireTest {

    private static final int CHUNK = 300_000;

    enum Kind {
        PLAIN, TLS
    }

    private static SSLContext context;

    /** The two ends of a connection. */
    private static final class Ends implements AutoCloseable {

        final Wire near;
        final Wire far;

        Ends(Kind kind) throws Exception {
            if (kind == Kind.PLAIN) {
                Pair pair = new Pair();
                near = pair.wire;
                far = Wire.over(pair.far);
                return;
            }
            try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
                Socket accepted = server.accept();
                var served = parallel(() -> secured(accepted, false));
                near = secured(client, true);
                far = served.get(60, TimeUnit.SECONDS);
            }
        }

        private static Wire secured(Socket plain, boolean client) throws IOException {
            var socket = (SSLSocket) context.getSocketFactory().createSocket(plain, "127.0.0.1", plain.getPort(), true);
            socket.setUseClientMode(client);
            socket.startHandshake();
            return new TlsWire(plain, socket);
        }

        @Override
        public void close() {
            near.close();
            far.close();
        }
    }

    @BeforeAll
    static void makeCertificates(@TempDir Path directory) throws Exception {
        CertificateAuthority authority = CertificateAuthority.of("wires");
        char[] password = CertificateAuthority.PASSWORD.toCharArray();
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store(authority.server("127.0.0.1").keyStore(directory.resolve("own.p12")), password), password);
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store(authority.trustStore(directory.resolve("trusted.p12")), password));
        context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    }

    private static KeyStore store(Path file, char[] password) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, password);
        }
        return store;
    }

    /** Runs a task on a separate thread, since wires block. */
    private static <T> CompletableFuture<T> parallel(Callable<T> task) {
        var done = new CompletableFuture<T>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                done.complete(task.call());
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
        return done;
    }

    private static byte[] bytes(int count, long seed) {
        byte[] bytes = new byte[count];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static Object write(Wire wire, byte[] bytes, boolean direct, Random random) throws IOException {
        ByteBuffer buffer = direct ? ByteBuffer.allocateDirect(CHUNK) : ByteBuffer.allocate(CHUNK);
        for (int at = 0; at < bytes.length;) {
            int count = Math.min(random.nextInt(CHUNK + 1), bytes.length - at);
            buffer.clear().put(bytes, at, count).flip();
            wire.write(buffer);
            assertThat(buffer.hasRemaining()).isFalse();
            at += count;
        }
        wire.end();
        return bytes;
    }

    private static byte[] readToTheEnd(Wire wire, int expected, boolean direct, Random random) throws IOException {
        ByteBuffer buffer = direct ? ByteBuffer.allocateDirect(CHUNK) : ByteBuffer.allocate(CHUNK);
        var all = ByteBuffer.allocate(expected + CHUNK);
        for (;;) {
            buffer.clear().limit(1 + random.nextInt(CHUNK));
            int count = wire.read(buffer);
            if (count < 0) {
                break;
            }
            assertThat(count).isPositive().isEqualTo(buffer.position());
            all.put(buffer.flip());
        }
        byte[] read = new byte[all.flip().remaining()];
        all.get(read);
        return read;
    }

    /**
     * At each end one thread reads and another one writes, in pieces of any size. The end of the stream is received after the last byte.
     */
    @ParameterizedTest
    @EnumSource
    void carriesBytesInBothDirectionsAtOnce(Kind kind) throws Exception {
        for (int seed = 0; seed < 4; seed++) {
            byte[] there = bytes(4_000_000, seed);
            byte[] back = bytes(3_000_000, -1 - seed);
            int s = seed;
            try (var ends = new Ends(kind)) {
                var sent = parallel(() -> write(ends.near, there, s % 2 == 0, new Random(s)));
                var answered = parallel(() -> write(ends.far, back, s % 2 == 1, new Random(10 + s)));
                var arrived = parallel(() -> readToTheEnd(ends.far, there.length, s % 2 == 1, new Random(20 + s)));
                assertThat(readToTheEnd(ends.near, back.length, s % 2 == 0, new Random(30 + s))).isEqualTo(back);
                assertThat(arrived.get(60, TimeUnit.SECONDS)).isEqualTo(there);
                sent.get(60, TimeUnit.SECONDS);
                answered.get(60, TimeUnit.SECONDS);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void endsOneDirectionAlone(Kind kind) throws Exception {
        try (var ends = new Ends(kind)) {
            ends.near.end();
            var buffer = ByteBuffer.allocate(10);
            assertThat(ends.far.read(buffer)).isEqualTo(-1);
            ends.far.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
            assertThat(ends.near.read(buffer)).isEqualTo(3);
            assertThat(buffer.flip()).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2, 3}));
        }
    }

    private static void assertFails(CompletableFuture<?> call) {
        assertThatThrownBy(() -> call.get(60, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class).cause()
            .isInstanceOf(IOException.class);
    }

    @ParameterizedTest
    @EnumSource
    void closeEndsAReadUnderWay(Kind kind) throws Exception {
        for (int i = 0; i < 20; i++) {
            try (var ends = new Ends(kind)) {
                var begins = new CountDownLatch(1);
                var reading = parallel(() -> {
                    begins.countDown();
                    return ends.near.read(ByteBuffer.allocate(10));
                });
                begins.await();
                ends.near.close();
                ends.near.close();
                assertFails(reading);
            }
        }
    }

    /** The peer does not read, so that a write does not end by itself, and a TLS closure alert could not be written. */
    @ParameterizedTest
    @EnumSource
    void closeEndsAWriteUnderWay(Kind kind) throws Exception {
        try (var ends = new Ends(kind)) {
            var written = new AtomicLong();
            var writing = parallel(() -> {
                for (;;) {
                    ends.near.write(ByteBuffer.allocate(CHUNK));
                    written.incrementAndGet();
                }
            });
            Await.until(() -> written.get() > 0, () -> "nothing was written");
            parallel(() -> {
                ends.near.close();
                return "";
            }).get(60, TimeUnit.SECONDS);
            assertFails(writing);
        }
    }

    @ParameterizedTest
    @EnumSource
    void saysNothingWhenThePeerIsGone(Kind kind) throws Exception {
        try (var ends = new Ends(kind)) {
            ends.far.close();
            assertFails(parallel(() -> {
                for (;;) {
                    ends.near.write(ByteBuffer.allocate(CHUNK));
                }
            }));
            ends.near.end();
            ends.near.close();
            ends.near.end();
            assertThatThrownBy(() -> ends.near.write(ByteBuffer.allocate(1))).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> ends.near.read(ByteBuffer.allocate(1))).isInstanceOf(IOException.class);
        }
    }
}
