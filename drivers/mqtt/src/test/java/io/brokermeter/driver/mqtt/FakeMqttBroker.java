package io.brokermeter.driver.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.brokermeter.contract.ConnectionLog;
import io.brokermeter.contract.Sends;
import io.brokermeter.spi.Connection;
import io.brokermeter.spi.ConnectionSettings;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.ProducerSettings;

/** The broker's side of connections, controlled by a test. */
final class FakeMqttBroker implements AutoCloseable {

    static final byte[] ACCEPTED = Bytes.packet(0x20, new byte[] {0, 0, 0});

    private final ServerSocket server;
    private final MqttDriver driver = new MqttDriver();
    private Duration timeout = Duration.ofSeconds(40);
    private final Deque<Socket> sockets = new ArrayDeque<>();
    private Socket socket;
    private DataInputStream in;

    FakeMqttBroker() throws IOException {
        server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        server.setSoTimeout(60_000);
    }

    /** Sets the connect timeout of later connections. */
    void timeout(Duration limit) {
        timeout = limit;
    }

    ConnectionSettings settings(Map<String, String> parameters) {
        return new ConnectionSettings("mqtt://127.0.0.1:" + server.getLocalPort(), "user", null, null, timeout, parameters);
    }

    /** Connects the driver, and answers CONNECT. */
    Connection connect(byte[] answer, ConnectionLog log, Map<String, String> parameters) throws Exception {
        return connect(answer, log, settings(parameters));
    }

    /** Connects the driver with these settings, and answers CONNECT. */
    Connection connect(byte[] answer, ConnectionLog log, ConnectionSettings settings) throws Exception {
        var connection = aside(() -> driver.connect(settings, log));
        accept();
        send(answer);
        return connection.get();
    }

    /** Runs an action that waits for this broker's answers on another thread. */
    static <T> CompletableFuture<T> aside(Callable<T> action) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return action.call();
            } catch (Exception e) {
                throw new CompletionException(e);
            }
        });
    }

    /** Opens a consumer on the connection that was accepted last, and answers SUBSCRIBE. */
    Consumer consumer(Connection connection, Destination destination, ConsumerSettings how, DeliveryListener listener) throws Exception {
        var subscribing = aside(() -> connection.consumer(destination, how, listener));
        grantSubscription();
        return subscribing.get();
    }

    /** Reads a SUBSCRIBE of version 5, and grants the quality of service that it asks for. */
    void grantSubscription() throws IOException {
        byte[] subscribe = packet();
        assertThat(subscribe[0]).isEqualTo((byte) 0x82);
        send(Bytes.packet(0x90, new byte[] {subscribe[1], subscribe[2], 0, (byte) (subscribe[subscribe.length - 1] & 3)}));
    }

    /** Closes a consumer, and answers UNSUBSCRIBE. */
    void close(Consumer consumer) throws Exception {
        var closing = closing(consumer);
        byte[] unsubscribe = packet();
        assertThat(unsubscribe[0]).isEqualTo((byte) 0xa2);
        send(Bytes.packet(0xb0, new byte[] {unsubscribe[1], unsubscribe[2], 0, 0}));
        closing.get();
    }

    /** Closes a consumer on another thread. */
    static CompletableFuture<?> closing(Consumer consumer) {
        return aside(() -> {
            consumer.close();
            return consumer;
        });
    }

    /** Accepts a connection and reads its CONNECT. */
    byte[] accept() throws IOException {
        turnTo(server.accept());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(60_000);
        sockets.push(socket);
        return packet();
    }

    private void turnTo(Socket next) throws IOException {
        socket = next;
        in = new DataInputStream(next.getInputStream());
    }

    /** Reads the next packet; returns its first byte and all bytes after the length. */
    byte[] packet() throws IOException {
        int header = in.readUnsignedByte();
        int length = 0;
        int shift = 0;
        int digit;
        do {
            digit = in.readUnsignedByte();
            length |= (digit & 0x7f) << shift;
            shift += 7;
        } while (digit > 0x7f);
        var packet = new byte[1 + length];
        packet[0] = (byte) header;
        in.readFully(packet, 1, length);
        return packet;
    }

    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    /** Sends the bytes one at a time. */
    void trickle(byte[] bytes) throws Exception {
        for (byte each : bytes) {
            send(new byte[] {each});
            Thread.sleep(1);
        }
    }

    void hangUp() throws IOException {
        socket.close();
    }

    /** Closes the connection that was accepted last, and turns to the one before it. */
    void hangUpLast() throws IOException {
        sockets.pop().close();
        turnTo(sockets.element());
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket each : sockets) {
            each.close();
        }
    }

    /** Returns a producer whose connection is closed, for tests that only need an instance. */
    static MqttProducer producerOfNobody() {
        try (var broker = new FakeMqttBroker()) {
            var connection = broker.connect(ACCEPTED, new ConnectionLog(), Map.of());
            return (MqttProducer) connection.producer(new Destination(Destination.Kind.TOPIC, "t"),
                ProducerSettings.of(its -> its.maxPending = 10), new Sends());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
