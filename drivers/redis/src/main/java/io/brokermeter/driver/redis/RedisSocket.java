package io.brokermeter.driver.redis;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.locks.ReentrantLock;

import io.brokermeter.driver.wire.Timer;
import io.brokermeter.driver.wire.Wire;
import io.brokermeter.driver.wire.WriteBuffer;
import io.brokermeter.spi.Payload;
import org.jspecify.annotations.Nullable;

/**
 * A socket to Redis after its login. Commands are appended by one thread and written by {@link #flush}; their answers, which come in the
 * order of the commands, are read by one thread, which may be another one. Any thread may drop the socket.
 */
final class RedisSocket {

    /** The looks at a wait within its limit. A standstill of this process counts as one of them. */
    private static final int LOOKS = 10;

    private final Wire wire;
    private final RespReader in;
    private final ReentrantLock lock = new ReentrantLock();
    private final WriteBuffer out;
    private final Duration limit;
    /** The {@link System#nanoTime()} at which the wait for the server began; 0 while there is none. */
    private volatile long waiting;
    private volatile boolean late;
    private volatile @Nullable ScheduledFuture<?> ticks;

    // used by the timer
    private long seen;
    private int looks;

    /**
     * @param in what has been read from the wire
     * @param limit the longest wait for the server, from {@link #limited} on
     */
    RedisSocket(Wire wire, RespReader in, Duration limit) {
        this.wire = wire;
        this.in = in;
        this.limit = limit;
        this.out = new WriteBuffer(wire, lock);
    }

    /** Encodes a command. */
    static byte[] command(String... words) {
        return command(0, words);
    }

    /**
     * Encodes the beginning of a command.
     *
     * @param more number of words that are appended to it
     */
    static byte[] command(int more, String... words) {
        var bytes = new ByteArrayOutputStream();
        bytes.writeBytes(("*" + (words.length + more) + "\r\n").getBytes(StandardCharsets.US_ASCII));
        bytes.writeBytes(words(words));
        return bytes.toByteArray();
    }

    /** Encodes words of a command. */
    static byte[] words(String... words) {
        var bytes = new ByteArrayOutputStream();
        for (String word : words) {
            byte[] text = word.getBytes(StandardCharsets.UTF_8);
            bytes.writeBytes(("$" + text.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
            bytes.writeBytes(text);
            bytes.writeBytes(new byte[] {'\r', '\n'});
        }
        return bytes.toByteArray();
    }

    private void look() {
        long since = waiting;
        if (since == 0 || since != seen) {
            seen = since;
            looks = 0;
        } else if (++looks >= LOOKS - 1) {
            late = true;
            wire.close();
        }
    }

    /** Ends the socket from now on when it waits too long for the server. Returns this socket. */
    RedisSocket limited() {
        ticks = Timer.every(Math.max(1_000_000, limit.toNanos() / LOOKS), this::look);
        return this;
    }

    /** Begins to append, and returns the buffer with room for so many bytes. {@link #appended} must follow, on the same thread. */
    ByteBuffer room(int bytes) {
        lock.lock();
        try {
            return out.room(bytes);
        } catch (RuntimeException | Error e) {
            lock.unlock();
            throw e;
        }
    }

    /** Begins to append a message, and returns the buffer with room for so many bytes besides its body. {@link #appended} must follow. */
    ByteBuffer room(Payload payload, int others) {
        lock.lock();
        try {
            return out.room(payload, others);
        } catch (RuntimeException | Error e) {
            lock.unlock();
            throw e;
        }
    }

    /** Appends a body after {@link #room(Payload, int)}, and returns the buffer with room for so many bytes more. */
    ByteBuffer body(Payload payload, int bytes) {
        try {
            return out.body(payload, 0, payload.length(), bytes);
        } catch (RuntimeException | Error e) {
            lock.unlock();
            throw e;
        }
    }

    /** Ends what {@link #room} began; returns the number of bytes that are not written. */
    int appended() {
        out.appended();
        int pending = out.pending();
        lock.unlock();
        return pending;
    }

    /** Appends a command, or a part of one. */
    void append(byte[] encoded) {
        room(encoded.length).put(encoded);
        appended();
    }

    /** Writes what was appended. Blocks while the socket is full. */
    void flush() throws IOException {
        out.flush();
    }

    /** Returns the reader at the answer that {@link #await} has read. */
    RespReader in() {
        return in;
    }

    /**
     * Reads the next element of the answers. Blocks until it has arrived.
     *
     * @param whole whether to read a list with all its elements, or its head alone
     */
    void await(boolean whole) throws IOException {
        in.whole(whole);
        try {
            while (!in.next()) {
                waiting = System.nanoTime() | 1;
                in.fill(wire);
            }
        } catch (IOException e) {
            throw reason(e);
        } finally {
            if (waiting != 0) {
                waiting = 0;
            }
        }
    }

    /**
     * Writes what was appended, and reads the next element of the answers.
     *
     * @throws RedisError if it is an error
     */
    void ask(boolean whole) throws IOException {
        waiting = System.nanoTime() | 1;
        try {
            out.flushAll();
        } catch (IOException e) {
            throw reason(e);
        } finally {
            waiting = 0;
        }
        answer(whole);
    }

    /** Reads the next element of the answers as {@link #await} does, and throws the server's error if it is one. */
    void answer(boolean whole) throws IOException {
        await(whole);
        if (in.isError()) {
            throw in.error();
        }
    }

    private IOException reason(IOException e) {
        return late ? (IOException) new SocketTimeoutException("Redis did not answer within " + limit.toMillis() + " ms").initCause(e) : e;
    }

    /** Sends one command and waits for its answer. */
    @Nullable Object ask(String... words) throws IOException {
        append(command(words));
        ask(true);
        return in.value();
    }

    /** Closes the socket, which ends reads and writes of other threads. */
    void drop() {
        ScheduledFuture<?> started = ticks;
        if (started != null) {
            started.cancel(false);
        }
        wire.close();
    }
}
