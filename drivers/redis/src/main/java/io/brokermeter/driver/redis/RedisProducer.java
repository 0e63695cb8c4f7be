package io.brokermeter.driver.redis;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import io.brokermeter.driver.wire.ClientConnection;
import io.brokermeter.driver.wire.ConsumerThread;
import io.brokermeter.driver.wire.TokenWindow;
import io.brokermeter.driver.wire.WriteBuffer;
import io.brokermeter.spi.AwakeDeadline;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import org.jspecify.annotations.Nullable;

/** A producer that adds to one stream. Commands are written without waiting; the answers arrive in the order of the commands. */
final class RedisProducer implements Producer, ClientConnection.Losing {

    /** The number of bytes that are written before the caller asks for it. */
    private static final int WRITE_AT = 64 * 1024;
    private static final byte[] LINE_END = {'\r', '\n'};
    /** Room in bytes for a decimal number of a message, the length of its body or its envelope, and for three ends of lines. */
    private static final int NUMBER = 10 + 3 * LINE_END.length;
    private static final byte[] NOTHING = {};
    /** The longest wait of a close for threads that have finished their work, in nanoseconds. */
    static final long END_LIMIT = TimeUnit.SECONDS.toNanos(1);

    private final RedisConnection owner;
    /** Replaced by the reader when the server has closed it and nothing was pending. */
    private volatile RedisSocket socket;
    private final TokenWindow window;
    /** What comes before the length of the body. */
    private final byte[][] heads;
    /** What comes before the length of the envelope; empty if there is none. */
    private final byte[] property;
    /** What comes behind the body and the envelope. */
    private final byte[][] tails;
    /** The number of answers; used by the reader. */
    private long answered;
    private final Thread reader;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean ended;
    private volatile @Nullable Throwable lost;

    /** @param maxLength approximate number of messages that the stream keeps, 0 for all */
    RedisProducer(
            RedisConnection owner, RedisSocket socket, Destination destination, ProducerSettings settings, SendListener listener,
            int maxLength) {
        this.owner = owner;
        this.socket = socket;
        this.window = new TokenWindow(listener, settings.maxPending());
        List<String> head = new ArrayList<>(List.of("XADD", destination.name()));
        if (maxLength > 0) {
            head.addAll(List.of("MAXLEN", "~", Integer.toString(maxLength)));
        }
        head.addAll(List.of("*", "b"));
        property = settings.envelopeProperty() ? prefix(RedisSocket.words(Payload.PROPERTY)) : NOTHING;
        int variants = settings.variants().size();
        heads = new byte[variants][];
        tails = new byte[variants][];
        for (int i = 0; i < variants; i++) {
            List<String> headers = new ArrayList<>();
            settings.variants().get(i).headers().forEach((name, value) -> headers.addAll(List.of(name, value)));
            int more = 1 + (settings.envelopeProperty() ? 2 : 0) + headers.size();
            heads[i] = prefix(RedisSocket.command(more, head.toArray(String[]::new)));
            tails[i] = RedisSocket.words(headers.toArray(String[]::new));
        }
        reader = ConsumerThread.unstarted("redis-answers", this::read);
    }

    /** Returns words of a command with the first byte of the next one. */
    private static byte[] prefix(byte[] words) {
        byte[] prefix = Arrays.copyOf(words, words.length + 1);
        prefix[words.length] = '$';
        return prefix;
    }

    void start() {
        reader.start();
    }

    /** Returns the socket that is used at present. */
    RedisSocket socket() {
        return socket;
    }

    @Override
    public void send(Payload payload, long token) throws Exception {
        Throwable cause = lost;
        if (cause != null) {
            throw new IOException("The connection is lost (" + cause.getMessage() + ").", cause);
        }
        window.add(token);
        // read after the message is counted, see reopened
        RedisSocket to = socket;
        int unwritten = 0;
        try {
            unwritten = append(to, payload);
        } catch (RuntimeException | Error e) {
            // no room for it
            if (window.withdraw()) {
                throw e;
            }
        }
        if (unwritten >= WRITE_AT) {
            write(to);
        }
        Throwable late = lost;
        if (late != null) {
            window.giveUpAll(late);
        }
    }

    /** Returns the number of bytes that are not written. */
    private int append(RedisSocket to, Payload payload) {
        byte[] head = heads[payload.variant()];
        byte[] tail = tails[payload.variant()];
        byte[] envelope = payload.envelope() == null ? NOTHING : payload.envelope();
        int length = payload.length();
        int behind = property.length + envelope.length + tail.length + NUMBER;
        WriteBuffer.decimal(to.room(payload, head.length + NUMBER + behind).put(head), length).put(LINE_END);
        ByteBuffer out = to.body(payload, behind).put(LINE_END);
        if (property.length > 0) {
            WriteBuffer.decimal(out.put(property), envelope.length).put(LINE_END).put(envelope).put(LINE_END);
        }
        out.put(tail);
        return to.appended();
    }

    private void write(RedisSocket to) {
        try {
            to.flush();
        } catch (IOException e) {
            owner.lost(e);
        }
    }

    @Override
    public void flush() {
        if (lost == null) {
            write(socket);
        }
    }

    private void read() {
        while (true) {
            try {
                read(socket);
            } catch (IOException | RuntimeException e) {
                if (ended || !reopened(e)) {
                    return;
                }
            }
        }
    }

    /** Reads the answers that come together. */
    private void read(RedisSocket from) throws IOException {
        from.await(true);
        RespReader in = from.in();
        try {
            do {
                if (in.isError()) {
                    window.refuse(answered, answered, in.error());
                }
                answered++;
            } while (in.next());
        } finally {
            window.confirmBefore(answered);
        }
    }

    /**
     * Replaces the connection after its end when nothing was pending on it: a server closes what is idle for its {@code timeout}. Otherwise,
     * or when there is no other connection, it is lost. A send is counted before it looks for the connection, so one that does not see the
     * new connection is seen here.
     */
    private boolean reopened(Exception end) {
        RedisSocket before = socket;
        RedisSocket fresh = null;
        try {
            fresh = window.count() == 0 && lost == null ? owner.open() : null;
        } catch (IOException e) {
            // the end of the connection is the reason
        }
        if (fresh == null) {
            owner.lost(end);
            return false;
        }
        before.drop();
        socket = fresh;
        if (window.count() > 0) {
            owner.lost(end);
        }
        if (ended || lost != null) {
            fresh.drop();
            return false;
        }
        return true;
    }

    @Override
    public void lost(Throwable cause) {
        lost = cause;
        socket.drop();
        window.giveUpAll(cause);
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        AwakeDeadline deadline = new AwakeDeadline(owner.closeLimit().toNanos());
        // on a thread of its own, since a server that does not read would block the write
        Thread writing = window.count() > 0 && lost == null ? Thread.ofVirtual().start(this::flush) : null;
        while (window.count() > 0 && lost == null && !deadline.isOver()) {
            LockSupport.parkNanos(200_000);
        }
        if (window.count() > 0 && lost == null) {
            owner.foundMute();
        }
        ended = true;
        socket.drop();
        window.finish(new IOException("The producer was closed before Redis confirmed the message."), false);
        ConsumerThread.join(reader, END_LIMIT);
        ConsumerThread.join(writing, END_LIMIT);
        owner.closed(this);
    }
}
