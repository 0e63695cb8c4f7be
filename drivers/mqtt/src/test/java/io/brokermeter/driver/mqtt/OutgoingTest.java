package io.brokermeter.driver.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;

import io.brokermeter.contract.Await;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class OutgoingTest {

    /** More than any socket takes from a peer that does not read. */
    private static final int MUCH = 64 * 1024 * 1024;

    private final ReentrantLock lock = new ReentrantLock();

    private void append(Outgoing out, int bytes) {
        lock.lock();
        try {
            out.room(bytes).put(new byte[bytes]);
            out.appended();
        } finally {
            lock.unlock();
        }
    }

    @Test
    void aWholeFlushFailsWhenItWasAnotherThreadThatCouldNotWrite() throws Exception {
        try (var server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            var channel = SocketChannel.open(server.getLocalAddress()); var peer = server.accept()) {
            var out = new Outgoing(new PlainWire(channel), lock);
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
                    out.flushFully();
                } catch (IOException e) {
                    whole.set(e);
                }
            });
            Await.until(() -> waiting.getState() == Thread.State.WAITING, () -> "it does not wait but is " + waiting.getState());
            peer.close();
            channel.close();
            writing.join();
            waiting.join();
            assertThat(helper.get()).isNotNull();
            assertThat(whole.get()).isNotNull();
            assertThat(out.written()).isZero();
            assertThatThrownBy(out::flushFully).isInstanceOf(IOException.class);
        }
    }

    @Test
    void aWholeFlushReturnsWhenEverythingIsWritten() throws Exception {
        try (var server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            var channel = SocketChannel.open(server.getLocalAddress()); var peer = server.accept()) {
            var out = new Outgoing(new PlainWire(channel), lock);
            append(out, 10_000);
            assertThat(out.end()).isEqualTo(10_000);
            out.flushFully();
            assertThat(out.written()).isEqualTo(10_000);
            assertThat(out.end()).isEqualTo(10_000);
            assertThat(peer.socket().getInputStream().readNBytes(10_000)).hasSize(10_000);
        }
    }
}
