package io.brokermeter.driver.core.direct;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.brokermeter.driver.wire.Timer;
import io.brokermeter.driver.wire.Wire;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.EventLoop;
import org.apache.activemq.artemis.api.core.ActiveMQBuffer;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.buffers.impl.ChannelBufferWrapper;
import org.apache.activemq.artemis.core.protocol.core.CoreRemotingConnection;
import org.apache.activemq.artemis.core.protocol.core.impl.ChannelImpl;
import org.apache.activemq.artemis.core.protocol.core.impl.PacketImpl;
import org.apache.activemq.artemis.core.security.ActiveMQPrincipal;
import org.apache.activemq.artemis.spi.core.protocol.RemotingConnection;
import org.apache.activemq.artemis.spi.core.remoting.BufferHandler;
import org.apache.activemq.artemis.spi.core.remoting.Connection;
import org.apache.activemq.artemis.spi.core.remoting.ReadyListener;
import org.jspecify.annotations.Nullable;

/**
 * A TCP connection, with or without TLS, over a blocking {@link Wire}.
 *
 * <p>Writing: a packet is written at once, on the thread that sends it, with these exceptions. A message sent without waiting for its
 * answer stays in the buffer until {@link DirectTransport#flush()} while the transport {@linkplain DirectTransport#holdSends holds sends};
 * output of the reader thread waits for the end of the batch it is reading. Both are written earlier if the buffer is full or anything else
 * is sent. A write blocks while the broker does not read; a watch closes the connection if one write takes longer than
 * {@link DirectTransport#stallLimit()}, which ends all waiting.
 *
 * <p>Deadlock: the reader thread itself may block in a write. That is safe with a broker that continues to read while its own writes wait,
 * as Artemis does, and bounded by the same watch with any other broker.
 */
final class DirectConnection implements Connection {

    private static final int OUTGOING_BYTES = 64 << 10;
    private static final int TYPE_OFFSET = 4;
    private static final int CHANNEL_OFFSET = TYPE_OFFSET + 1;
    private static final long RETRY_PAUSE_NANOS = 1_000_000;
    private static final int LARGEST_KEPT_SCRATCH = 256 << 10;
    private static final long READER_PATIENCE_NANOS = 1_000_000_000;
    private static final long CLOSE_FLUSH_NANOS = 500_000_000;
    private static final AtomicLong IDS = new AtomicLong();

    /**
     * The buffer into which a thread encodes its packets. One buffer per thread is enough: the client encodes a packet, passes it to
     * {@code write}, which copies it, and only then encodes the next.
     */
    private static final ThreadLocal<@Nullable ByteBuf> SCRATCH = new ThreadLocal<>();

    private final String id = "lean-" + IDS.incrementAndGet();
    private final Wire wire;
    private final Map<String, Object> configuration;
    private final ConnectionEvents events;
    private final DirectTransport transport;
    private final OutgoingBytes outgoing;
    private final ReaderThread reader;
    private final String remoteAddress;
    private final String localAddress;
    private final Future<?> watch;
    private final AtomicBoolean open = new AtomicBoolean(true);
    private volatile @Nullable Throwable cause;
    private volatile @Nullable RemotingConnection protocol;
    /**
     * Whether the client has written a request about a session. Before that no thread waits for the answer to such a request, and the
     * protocol object may be incomplete, since the client sets it during that object's construction.
     */
    private volatile boolean asked;

    /**
     * @param channel the connected channel, of which only the addresses are read
     * @param wire carries the bytes over the channel; closed by this connection
     */
    DirectConnection(
            SocketChannel channel, Wire wire, Map<String, Object> configuration, BufferHandler handler, ConnectionEvents events,
            DirectTransport transport) throws IOException {
        this.wire = wire;
        this.configuration = configuration;
        this.events = events;
        this.transport = transport;
        this.outgoing = new OutgoingBytes(wire, OUTGOING_BYTES);
        this.remoteAddress = text(channel.getRemoteAddress());
        this.localAddress = text(channel.getLocalAddress());
        this.reader = new ReaderThread(this, wire, handler, transport);
        // Not the client's timer: its few threads send pings, and each blocks in a connection whose write is stalled.
        long period = Math.clamp(transport.stallLimit().toMillis() / 4, 100, 5_000);
        this.watch = Timer.every(TimeUnit.MILLISECONDS.toNanos(period), this::checkStall);
    }

    void start() {
        reader.start();
    }

    private static String text(SocketAddress address) {
        return address instanceof InetSocketAddress inet
            ? "/" + inet.getAddress().getHostAddress() + ":" + inet.getPort() : String.valueOf(address);
    }

    private void checkStall() {
        long stalled = outgoing.stalledNanos(System.nanoTime());
        if (stalled > transport.stallLimit().toNanos()) {
            failed(new IOException("The broker at " + remoteAddress.substring(1) + " has read nothing for "
                + TimeUnit.NANOSECONDS.toSeconds(stalled) + " s."));
        }
    }

    @Override
    public ActiveMQBuffer createTransportBuffer(int size) {
        var scratch = SCRATCH.get();
        if (scratch == null || scratch.capacity() < size) {
            scratch = Unpooled.buffer(Math.max(size, 2048));
            if (scratch.capacity() <= LARGEST_KEPT_SCRATCH) {
                SCRATCH.set(scratch);
            }
        }
        return new ChannelBufferWrapper(scratch.clear(), true);
    }

    @Override
    public void write(ActiveMQBuffer buffer) {
        write(buffer, false, false);
    }

    @Override
    public void write(ActiveMQBuffer buffer, boolean requestFlush) {
        append(buffer.byteBuf(), requestFlush);
    }

    @Override
    public void write(ActiveMQBuffer buffer, boolean flush, boolean batched) {
        var frame = buffer.byteBuf();
        append(frame, flush || !batched || !mayHold(frame));
    }

    @Override
    public void write(
            ActiveMQBuffer buffer, boolean flush, boolean batched, @Nullable ChannelFutureListener futureListener) {
        if (futureListener != null) {
            throw new UnsupportedOperationException("This transport has no Netty futures.");
        }
        write(buffer, flush, batched);
    }

    /**
     * Returns whether the frame may be held back. The client allows batching for this frame, so it is a message or an acknowledgement that
     * no thread waits for; only messages are held.
     */
    private boolean mayHold(ByteBuf frame) {
        return transport.holdsSends() && frame.readableBytes() > TYPE_OFFSET
            && frame.getByte(frame.readerIndex() + TYPE_OFFSET) == PacketImpl.SESS_SEND;
    }

    private void append(ByteBuf frame, boolean flush) {
        // before the check whether this is open: if the end of the connection finds no request, the requesting thread finds the end here
        if (!asked && isAboutSession(frame)) {
            asked = true;
        }
        if (!isOpen()) {
            drop(frame);
            return;
        }
        try {
            if (Thread.currentThread() == reader) {
                outgoing.append(frame, !reader.holdsBack(frame.readableBytes()), false);
            } else {
                outgoing.append(frame, flush, true);
            }
        } catch (IOException e) {
            failed(e);
        }
        if (!isOpen()) {
            drop(frame);
        }
    }

    /**
     * Drops a frame after the end of the connection. As with the client's own transport, a sender learns of the loss through the failure of
     * the connection. Only a request about a session is ended here, since the loss may have been reported before it began to wait.
     */
    private void drop(ByteBuf frame) {
        if (isAboutSession(frame)) {
            // a client that retries must not do so in a busy loop
            LockSupport.parkNanos(RETRY_PAUSE_NANOS);
            var known = cause;
            releaseCaller(known == null ? new IOException("The connection to " + remoteAddress.substring(1) + " is closed.") : known);
        }
    }

    private static boolean isAboutSession(ByteBuf frame) {
        return frame.readableBytes() >= CHANNEL_OFFSET + Long.BYTES
            && frame.getLong(frame.readerIndex() + CHANNEL_OFFSET) == ChannelImpl.CHANNEL_ID.SESSION.id;
    }

    @Override
    public void flush() {
        flushQuietly();
    }

    @Override
    public void checkFlushBatchBuffer() {
        flushQuietly();
    }

    void flushQuietly() {
        try {
            outgoing.flush();
        } catch (IOException e) {
            failed(e);
        }
    }

    /** Handles a failed read or write: ends the connection and notifies the client, unless the connection has ended already. */
    void failed(Throwable failure) {
        if (end()) {
            cause = failure;
            events.failed(this, failure);
            releaseCaller(failure);
        }
    }

    /** Handles the end of the broker's output: the broker closed the connection. */
    void ended() {
        if (end()) {
            var end = new EOFException("The broker at " + remoteAddress.substring(1) + " closed the connection.");
            cause = end;
            events.destroyed(this, true);
            releaseCaller(end);
        }
    }

    /** Returns why the connection failed; null if it did not, or if the broker closed it. */
    @Nullable Throwable failure() {
        return cause instanceof EOFException ? null : cause;
    }

    /**
     * Ends a request about a session that waits on this connection. While the client restores sessions it notices another loss only
     * afterwards, and would wait for its call timeout if this connection breaks meanwhile.
     */
    private void releaseCaller(Throwable reason) {
        if (asked && protocol instanceof CoreRemotingConnection core) {
            core.getChannel(ChannelImpl.CHANNEL_ID.SESSION.id, -1).returnBlocking(reason);
        }
    }

    /** Closes the socket and ends all waiting. Returns whether this call closed it. */
    boolean end() {
        if (!open.compareAndSet(true, false)) {
            return false;
        }
        watch.cancel(false);
        outgoing.close();
        transport.disconnected(this);
        wire.close();
        return true;
    }

    /**
     * Waits until the reader thread has left the client, so that a subsequent failover finds no listener in progress that could wait for
     * the failover. Waits for at most a second.
     */
    void awaitReader() {
        if (Thread.currentThread() == reader) {
            return;
        }
        long limit = System.nanoTime() + READER_PATIENCE_NANOS;
        while (reader.isDispatching() && System.nanoTime() - limit < 0) {
            LockSupport.parkNanos(100_000);
        }
    }

    @Override
    public void forceClose() {
        end();
    }

    /** Writes the buffered output, unless a write has been blocked for half a second, and closes the connection. */
    @Override
    public void close() {
        if (isOpen() && outgoing.stalledNanos(System.nanoTime()) < CLOSE_FLUSH_NANOS) {
            flushQuietly();
        }
        end();
        events.destroyed(this, false);
    }

    @Override
    public boolean isOpen() {
        return open.get();
    }

    @Override
    public @Nullable RemotingConnection getProtocolConnection() {
        return protocol;
    }

    @Override
    public void setProtocolConnection(RemotingConnection connection) {
        protocol = connection;
    }

    /** Returns true: a write that finds no room blocks by itself. */
    @Override
    public boolean isWritable(ReadyListener listener) {
        return true;
    }

    @Override
    public void fireReady(boolean ready) {}

    /** Does nothing: only brokers stop reading. */
    @Override
    public void setAutoRead(boolean autoRead) {}

    @Override
    public Object getID() {
        return id;
    }

    /** Throws: there is no event loop, and the client does not ask for it. */
    @Override
    public EventLoop getEventLoop() {
        throw new UnsupportedOperationException("This transport has no event loop.");
    }

    @Override
    public String getRemoteAddress() {
        return remoteAddress;
    }

    @Override
    public String getLocalAddress() {
        return localAddress;
    }

    @Override
    public TransportConfiguration getConnectorConfig() {
        return new TransportConfiguration(DirectConnectorFactory.class.getName(), configuration);
    }

    @Override
    public boolean isDirectDeliver() {
        return false;
    }

    @Override
    public @Nullable ActiveMQPrincipal getDefaultActiveMQPrincipal() {
        return null;
    }

    @Override
    public boolean isUsingProtocolHandling() {
        return true;
    }

    @Override
    public boolean isSameTarget(@Nullable TransportConfiguration... configs) {
        for (var config : configs) {
            if (config != null && DirectConnector.port(config.getParams()) == DirectConnector.port(configuration)
                && DirectConnector.host(config.getParams()).equals(DirectConnector.host(configuration))) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return "lean connection " + id + " " + localAddress + " to " + remoteAddress;
    }
}
