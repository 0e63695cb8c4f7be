package io.brokermeter.driver.kafka.link;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

import org.apache.kafka.common.Node;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.RequestHeader;
import org.jspecify.annotations.Nullable;

/** The sockets of a broker that speaks through Kafka's own classes. */
public abstract class FakeServer implements AutoCloseable {

    private final int id;
    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();

    protected FakeServer(int id) throws IOException {
        this.id = id;
        Thread.ofVirtual().start(this::accept);
    }

    protected final int id() {
        return id;
    }

    public final Node node() {
        return new Node(id, "127.0.0.1", server.getLocalPort());
    }

    /**
     * Answers a request; null for never.
     *
     * @throws IOException to end the connection
     */
    protected abstract @Nullable ApiMessage answer(RequestHeader header, ByteBuffer request) throws IOException;

    /** Called when a request is none that the broker can answer. */
    protected abstract void trouble(RuntimeException what);

    /** Says that the broker knows some requests in their versions up to 11. */
    protected static ApiMessage versions(ApiKeys... keys) {
        var known = new ApiVersionsResponseData.ApiVersionCollection();
        for (ApiKeys key : keys) {
            known.add(new ApiVersionsResponseData.ApiVersion().setApiKey(key.id).setMinVersion((short) 0).setMaxVersion((short) 11));
        }
        return new ApiVersionsResponseData().setApiKeys(known);
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
                sockets.add(socket);
                Thread.ofVirtual().start(() -> serve(socket));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            var in = new DataInputStream(socket.getInputStream());
            var out = new DataOutputStream(socket.getOutputStream());
            while (true) {
                byte[] frame = new byte[in.readInt()];
                in.readFully(frame);
                ByteBuffer request = ByteBuffer.wrap(frame);
                RequestHeader header = RequestHeader.parse(request);
                ApiMessage answer = answer(header, request);
                if (answer == null) {
                    continue;
                }
                ByteBuffer body = MessageUtil.toByteBufferAccessor(answer, header.apiVersion()).buffer();
                out.writeInt(Integer.BYTES + body.remaining());
                out.writeInt(header.correlationId());
                out.write(body.array(), body.arrayOffset() + body.position(), body.remaining());
                out.flush();
            }
        } catch (IOException e) {
            // the end of the connection
        } catch (RuntimeException e) {
            trouble(e);
        }
    }

    /** Returns the addresses from which clients have connected. */
    public final Set<String> clients() {
        return sockets.stream().map(socket -> socket.getInetAddress().getHostAddress()).collect(Collectors.toSet());
    }

    /** Returns the number of connections that there have been. */
    public final int connections() {
        return sockets.size();
    }

    /** Ends all connections. */
    public final void cut() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    @Override
    public final void close() throws IOException {
        server.close();
        cut();
    }
}
