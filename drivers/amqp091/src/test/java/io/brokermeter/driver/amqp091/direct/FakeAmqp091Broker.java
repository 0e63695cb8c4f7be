package io.brokermeter.driver.amqp091.direct;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

import io.brokermeter.contract.Await;

/** A broker that is controlled by a test. It accepts any login and answers the usual requests of producers and consumers by itself. */
final class FakeAmqp091Broker implements AutoCloseable {

    private final ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
    private final BlockingQueue<Integer> published = new LinkedBlockingQueue<>();
    private final BlockingQueue<Integer> methods = new LinkedBlockingQueue<>();
    private final int heartbeat;
    private volatile DataOutputStream out;
    private volatile Socket socket;
    private volatile boolean mute;
    private volatile boolean endsWithTheCommit;
    private volatile boolean reading = true;

    FakeAmqp091Broker(int heartbeat) throws IOException {
        this.heartbeat = heartbeat;
        Thread.ofVirtual().start(this::serve);
    }

    int port() {
        return server.getLocalPort();
    }

    /** Stops reading after the next frame. */
    void stopReading() {
        reading = false;
    }

    /** Closes the socket without a closing handshake. */
    void cut() throws IOException {
        socket.close();
    }

    /** Sends a message whose header announces {@code length} bytes, followed only by {@code body}. */
    void deliver(int channel, long length, byte[] body) throws IOException {
        method(channel, Method.BASIC_DELIVER, to -> {
            Fields.shortText(to, "brokermeter");
            to.putLong(1).put((byte) 0);
            Fields.shortText(to, "");
            Fields.shortText(to, "q");
        });
        synchronized (this) {
            // in one write, since the peer may close the connection after the first frame
            var frames = ByteBuffer.allocate(30 + body.length).put((byte) 2).putShort((short) channel).putInt(14)
                .putInt(60 << 16).putLong(length).putShort((short) 0).put((byte) 0xce).put((byte) 3).putShort((short) channel)
                .putInt(body.length).put(body).put((byte) 0xce);
            out.write(frames.array(), 0, frames.position());
            out.flush();
        }
    }

    /** Stops answering. */
    void mute() {
        mute = true;
    }

    /** Resumes answering. */
    void unmute() {
        mute = false;
    }

    /** Ends the connection after the next answer to a commit. */
    void endWithTheCommit() {
        endsWithTheCommit = true;
    }

    /** Closes a channel with an error. */
    void closeChannel(int channel, int code, String text) throws IOException {
        method(channel, Method.CHANNEL_CLOSE, to -> {
            to.putShort((short) code);
            Fields.shortText(to, text);
            to.putInt(0);
        });
    }

    /** Waits until at least {@code count} messages have been published. */
    void awaitPublished(int count) {
        Await.until(() -> published.size() >= count, () -> published.size() + " of " + count + " were published");
    }

    int published() {
        return published.size();
    }

    void awaitMethod(int code) {
        awaitMethods(code, 1);
    }

    void awaitMethods(int code, int count) {
        Await.until(() -> methods.stream().filter(each -> each == code).count() >= count, () -> "not among " + methods);
    }

    void method(int channel, int code, Consumer<ByteBuffer> arguments) throws IOException {
        var payload = ByteBuffer.allocate(4096).putInt(code);
        arguments.accept(payload);
        synchronized (this) {
            out.writeByte(1);
            out.writeShort(channel);
            out.writeInt(payload.position());
            out.write(payload.array(), 0, payload.position());
            out.writeByte(0xce);
            out.flush();
        }
    }

    void raw(byte[] bytes) throws IOException {
        synchronized (this) {
            out.write(bytes);
            out.flush();
        }
    }

    private void serve() {
        try (Socket accepted = server.accept()) {
            socket = accepted;
            var in = new DataInputStream(accepted.getInputStream());
            out = new DataOutputStream(accepted.getOutputStream());
            in.readNBytes(8);
            method(0, Method.CONNECTION_START, to -> {
                to.put((byte) 0).put((byte) 9);
                Fields.table(to, Map.of("product", "Fake", "version", "1.0", "many", Map.of("a", 1, "b", 2L, "c", true)));
                Fields.longText(to, "AMQPLAIN PLAIN");
                Fields.longText(to, "en_US");
            });
            while (true) {
                if (!reading) {
                    Await.until(accepted::isClosed, () -> "the test goes on");
                }
                int type = in.readUnsignedByte();
                int channel = in.readUnsignedShort();
                var payload = ByteBuffer.wrap(in.readNBytes(in.readInt()));
                in.readByte();
                if (type == 1) {
                    int code = payload.getInt();
                    methods.add(code);
                    if (!mute) {
                        answer(channel, code, payload);
                    }
                    if (code == Method.TX_COMMIT && endsWithTheCommit) {
                        return;
                    }
                }
            }
        } catch (IOException e) {
            // the test is over
        }
    }

    private void answer(int channel, int code, ByteBuffer payload) throws IOException {
        switch (code) {
            case Method.CONNECTION_START_OK -> method(0, Method.CONNECTION_TUNE,
                to -> to.putShort((short) 100).putInt(8192).putShort((short) heartbeat));
            case Method.CONNECTION_OPEN -> method(0, Method.CONNECTION_OPEN_OK, to -> to.put((byte) 0));
            case Method.CONNECTION_CLOSE -> method(0, Method.CONNECTION_CLOSE_OK, to -> {});
            case Method.CHANNEL_OPEN -> method(channel, Method.CHANNEL_OPEN_OK, to -> to.putInt(0));
            case Method.CHANNEL_CLOSE -> method(channel, Method.CHANNEL_CLOSE_OK, to -> {});
            case Method.QUEUE_DECLARE -> method(channel, Method.QUEUE_DECLARE_OK, to -> {
                payload.getShort();
                Fields.shortText(to, Fields.shortText(payload));
                to.putInt(0).putInt(0);
            });
            case Method.EXCHANGE_DECLARE -> method(channel, Method.EXCHANGE_DECLARE_OK, to -> {});
            case Method.QUEUE_BIND -> method(channel, Method.QUEUE_BIND_OK, to -> {});
            case Method.BASIC_QOS -> method(channel, Method.BASIC_QOS_OK, to -> {});
            case Method.BASIC_CONSUME -> method(channel, Method.BASIC_CONSUME_OK, to -> Fields.shortText(to, "brokermeter"));
            case Method.CONFIRM_SELECT -> method(channel, Method.CONFIRM_SELECT_OK, to -> {});
            case Method.TX_SELECT -> method(channel, Method.TX_SELECT_OK, to -> {});
            case Method.TX_COMMIT -> method(channel, Method.TX_COMMIT_OK, to -> {});
            case Method.BASIC_PUBLISH -> published.add(channel);
            default -> {}
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
