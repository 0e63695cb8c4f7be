package io.brokermeter.driver.core.direct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import io.brokermeter.driver.wire.Wire;
import org.apache.activemq.artemis.core.protocol.ClientPacketDecoder;
import org.apache.activemq.artemis.core.protocol.core.CoreRemotingConnection;
import org.apache.activemq.artemis.core.protocol.core.impl.ChannelImpl;
import org.apache.activemq.artemis.core.protocol.core.impl.PacketImpl;
import org.apache.activemq.artemis.core.protocol.core.impl.RemotingConnectionImpl;
import org.apache.activemq.artemis.core.protocol.core.impl.wireformat.RollbackMessage;
import org.apache.activemq.artemis.spi.core.remoting.BufferHandler;
import org.apache.activemq.artemis.spi.core.remoting.Connection;
import org.junit.jupiter.api.Test;

class DirectConnectionTest {

    private static final class Told implements ConnectionEvents {

        private final Queue<String> all = new ConcurrentLinkedQueue<>();

        @Override
        public void destroyed(DirectConnection connection, boolean failed) {
            all.add(failed ? "closed by the broker" : "closed");
        }

        @Override
        public void failed(DirectConnection connection, Throwable cause) {
            all.add(cause.toString());
        }
    }

    private static Thread reader(Socket peer) {
        return Thread.getAllStackTraces().keySet().stream().filter(ReaderThread.class::isInstance)
            .filter(thread -> thread.getName().endsWith(":" + peer.getLocalPort())).findFirst().orElseThrow();
    }

    /** The client registers its protocol object with the transport in the constructor of that object, before its fields are set. */
    @Test
    void aConnectionThatBreaksWhileTheClientIsMadeIsLostWithItsCause() throws Exception {
        var told = new Told();
        var uncaught = new ConcurrentLinkedQueue<Throwable>();
        BufferHandler handler = (_, _) -> {};
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var channel = SocketChannel.open(server.getLocalSocketAddress());
                var peer = server.accept()) {
            var connection = new DirectConnection(channel, Wire.over(channel), Map.of(), handler, told, DirectTransport.detached());
            connection.start();
            var reader = reader(peer);
            reader.setUncaughtExceptionHandler((_, e) -> uncaught.add(e));
            var broken = (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {Connection.class},
                (_, method, arguments) -> {
                    var result = method.invoke(connection, arguments);
                    if (method.getName().equals("setProtocolConnection")) {
                        peer.close();
                        reader.join(60_000);
                    }
                    return result;
                });

            var client = new RemotingConnectionImpl(new ClientPacketDecoder(), broken, 60_000, 60_000, null, null, Runnable::run);

            assertThat(reader.isAlive()).isFalse();
            assertThat(uncaught).isEmpty();
            assertThat(told.all).containsExactly("closed by the broker");
            assertThat(connection.isOpen()).isFalse();
            var session = client.getChannel(ChannelImpl.CHANNEL_ID.SESSION.id, -1);
            assertThat(catchThrowable(() -> session.sendBlocking(new RollbackMessage(), PacketImpl.NULL_RESPONSE)))
                .as("what who asks then is told").rootCause().isInstanceOf(EOFException.class)
                .hasMessage("The broker at 127.0.0.1:" + peer.getLocalPort() + " closed the connection.");
        }
    }

    /** The protocol object of the client is complete only when the client writes its first request about a session. */
    @Test
    void leavesAClientAloneThatIsBeingMade() throws Exception {
        var told = new Told();
        var touched = new AtomicInteger();
        BufferHandler handler = (_, _) -> {};
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var channel = SocketChannel.open(server.getLocalSocketAddress());
                var peer = server.accept()) {
            var connection = new DirectConnection(channel, Wire.over(channel), Map.of(), handler, told, DirectTransport.detached());
            connection.start();
            var reader = reader(peer);
            connection.setProtocolConnection((CoreRemotingConnection) Proxy.newProxyInstance(getClass().getClassLoader(),
                new Class<?>[] {CoreRemotingConnection.class}, (_, _, _) -> {
                    touched.incrementAndGet();
                    throw new NullPointerException("It has no parts yet.");
                }));
            peer.close();
            reader.join(60_000);

            assertThat(told.all).containsExactly("closed by the broker");
            assertThat(touched).hasValue(0);
        }
    }

    /** The first four bytes of the answer of a server of another protocol are a length of several hundred megabytes, here a TLS alert. */
    @Test
    void makesNoRoomForWhatNoBrokerSends() throws Exception {
        var told = new Told();
        BufferHandler handler = (_, _) -> {};
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var channel = SocketChannel.open(server.getLocalSocketAddress());
                var peer = server.accept()) {
            var connection = new DirectConnection(channel, Wire.over(channel), Map.of(), handler, told, DirectTransport.detached());
            connection.start();
            var reader = reader(peer);
            peer.getOutputStream().write(new byte[] {0x15, 3, 3, 0, 2, 2, 40});
            reader.join(60_000);

            assertThat(told.all).singleElement().asString().contains("frame of impossible length 352518912");
        }
    }

    @Test
    void readsFramesThatAreLargerThanTheRoomThatIsMadeAtOnce() throws Exception {
        var sizes = new int[] {20, 5_000_000, 7, 1 << 20, 40, 3 << 20};
        var read = new ConcurrentLinkedQueue<Integer>();
        var wrong = new AtomicInteger();
        BufferHandler handler = (_, buffer) -> {
            read.add(buffer.readableBytes());
            byte first = buffer.getByte(buffer.readerIndex());
            for (int i = 0; i < buffer.readableBytes(); i += 997) {
                wrong.addAndGet(buffer.getByte(buffer.readerIndex() + i) == first ? 0 : 1);
            }
        };
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var channel = SocketChannel.open(server.getLocalSocketAddress());
                var peer = server.accept()) {
            var connection = new DirectConnection(channel, Wire.over(channel), Map.of(), handler, new Told(), DirectTransport.detached());
            connection.start();
            var reader = reader(peer);
            var out = new DataOutputStream(new BufferedOutputStream(peer.getOutputStream()));
            for (int i = 0; i < sizes.length; i++) {
                var body = new byte[sizes[i]];
                // none of these bytes is a packet type that the reader inspects
                Arrays.fill(body, (byte) (100 + i));
                out.writeInt(sizes[i]);
                out.write(body);
            }
            out.flush();
            peer.shutdownOutput();
            reader.join(60_000);
            connection.end();

            assertThat(read).containsExactlyElementsOf(Arrays.stream(sizes).boxed().toList());
            assertThat(wrong).hasValue(0);
        }
    }
}
