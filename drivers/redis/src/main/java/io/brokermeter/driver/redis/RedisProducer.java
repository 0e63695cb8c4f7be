package io.brokermeter.driver.redis;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import io.brokermeter.driver.wire.ClientConnection;
import io.brokermeter.driver.wire.ConsumerThread;
import io.brokermeter.driver.wire.TokenWindow;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Looks;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** A producer that adds to one stream. Commands are written without waiting; the answers arrive in the order of the commands. */
final class RedisProducer implements Producer, ClientConnection.Losing {

    private static final byte[] BODY = {'b'};
    private static final byte[] PROPERTY = bytes(Payload.PROPERTY);
    /** The longest wait of a close for threads that have finished their work, in nanoseconds. */
    static final long END_LIMIT = TimeUnit.SECONDS.toNanos(1);

    private final RedisConnection owner;
    /** Replaced by the reader when the server has closed it and nothing was pending. */
    private volatile PipelinedConnection pipe;
    private final TokenWindow window;
    /** The arguments of XADD for each variant, in which body and envelope are replaced at each send. */
    private final byte[][][] commands;
    private final int bodyAt;
    private final int envelopeAt;
    private final Thread reader;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean ended;
    private volatile @Nullable Throwable lost;

    /** @param maxLength approximate number of messages that the stream keeps, 0 for all */
    RedisProducer(
            RedisConnection owner, PipelinedConnection pipe, Destination destination, ProducerSettings settings, SendListener listener,
            int maxLength) {
        this.owner = owner;
        this.pipe = pipe;
        this.window = new TokenWindow(listener, settings.maxPending());
        List<byte[]> head = new ArrayList<>();
        head.add(bytes(destination.name()));
        if (maxLength > 0) {
            head.addAll(List.of(bytes("MAXLEN"), bytes("~"), bytes(Integer.toString(maxLength))));
        }
        head.add(bytes("*"));
        head.add(BODY);
        bodyAt = head.size();
        head.add(BODY);
        if (settings.envelopeProperty()) {
            head.add(PROPERTY);
            head.add(PROPERTY);
        }
        envelopeAt = settings.envelopeProperty() ? bodyAt + 2 : -1;
        commands = new byte[settings.variants().size()][][];
        for (int i = 0; i < commands.length; i++) {
            List<byte[]> words = new ArrayList<>(head);
            settings.variants().get(i).headers().forEach((name, value) -> {
                words.add(bytes(name));
                words.add(bytes(value));
            });
            commands[i] = words.toArray(byte[][]::new);
        }
        pipe.setTimeoutInfinite();
        reader = Thread.ofPlatform().daemon().name("redis-answers").unstarted(this::read);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    void start() {
        reader.start();
    }

    /** Returns the connection that is used at present. */
    PipelinedConnection pipe() {
        return pipe;
    }

    @Override
    public void send(Payload payload, long token) throws Exception {
        Throwable cause = lost;
        if (cause != null) {
            throw new IOException("The connection is lost (" + cause.getMessage() + ").", cause);
        }
        window.add(token);
        // read after the message is counted, see reopened
        PipelinedConnection to = pipe;
        byte[][] command = commands[payload.variant()];
        command[bodyAt] = payload.exact();
        byte[] envelope = payload.envelope();
        if (envelopeAt >= 0 && envelope != null) {
            command[envelopeAt] = envelope;
        }
        try {
            to.sendCommand(Command.XADD, command);
        } catch (JedisConnectionException e) {
            owner.lost(e);
            if (window.withdraw()) {
                throw new IOException("The connection is lost (" + e.getMessage() + ").", e);
            }
        }
        Throwable late = lost;
        if (late != null) {
            window.giveUpAll(late);
        }
    }

    @Override
    public void flush() throws Exception {
        if (lost == null) {
            try {
                pipe.push();
            } catch (JedisConnectionException e) {
                owner.lost(e);
            }
        }
    }

    private void read() {
        long number = 0;
        while (true) {
            Throwable refusal = null;
            try {
                pipe.answer();
            } catch (JedisDataException e) {
                refusal = e;
            } catch (RuntimeException e) {
                if (ended || !reopened(e)) {
                    return;
                }
                continue;
            }
            if (refusal == null) {
                window.confirmBefore(number + 1);
            } else {
                window.refuse(number, number, refusal);
            }
            number++;
        }
    }

    /**
     * Replaces the connection after its end when nothing was pending on it: a server closes what is idle for its {@code timeout}. Otherwise,
     * or when there is no other connection, it is lost. A send is counted before it looks for the connection, so one that wrote to the old
     * connection is seen here, and one that comes later cannot write to it.
     */
    private boolean reopened(RuntimeException end) {
        PipelinedConnection before = pipe;
        PipelinedConnection fresh = null;
        try {
            fresh = window.count() == 0 && lost == null ? owner.open() : null;
        } catch (JedisException e) {
            // the end of the connection is the reason
        }
        if (fresh == null) {
            owner.lost(end);
            return false;
        }
        fresh.setTimeoutInfinite();
        before.drop();
        if (window.count() > 0) {
            owner.lost(end);
        }
        pipe = fresh;
        if (ended || lost != null) {
            fresh.drop();
            return false;
        }
        return true;
    }

    @Override
    public void lost(Throwable cause) {
        lost = cause;
        pipe.drop();
        window.giveUpAll(cause);
    }

    private void flushTail() {
        try {
            flush();
        } catch (Exception e) {
            // messages without an answer are given up
        }
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        long limit = owner.closeLimit().toNanos();
        Looks looks = new Looks();
        // on a thread of its own, since a server that does not read would block the write
        Thread writing = window.count() > 0 && lost == null ? Thread.ofVirtual().start(this::flushTail) : null;
        while (window.count() > 0 && lost == null && looks.look() < limit) {
            LockSupport.parkNanos(200_000);
        }
        if (window.count() > 0 && lost == null) {
            owner.foundMute();
        }
        ended = true;
        pipe.drop();
        window.finish(new IOException("The producer was closed before Redis confirmed the message."), false);
        ConsumerThread.join(reader, END_LIMIT);
        ConsumerThread.join(writing, END_LIMIT);
        owner.closed(this);
    }
}
