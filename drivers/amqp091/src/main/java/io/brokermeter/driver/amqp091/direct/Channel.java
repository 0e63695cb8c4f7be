package io.brokermeter.driver.amqp091.direct;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.brokermeter.driver.amqp091.model.ReplyException;
import io.brokermeter.driver.wire.WireEndpoint;
import org.jspecify.annotations.Nullable;

/**
 * A channel of a connection. Its fields are guarded by the connection's lock; methods that the reader calls without the lock are marked.
 */
abstract class Channel extends WireEndpoint {

    /** Size in bytes of the largest message that RabbitMQ can be configured to accept. */
    private static final int LARGEST_BODY = 512 * 1024 * 1024;
    private static final int SMALL_BODY = 1024 * 1024;

    final Amqp091Connection connection;
    final int number;

    private boolean open;
    private boolean closing;
    volatile boolean closed;
    /** The reason why the channel was closed; null if it is open, or was closed at our request. */
    volatile @Nullable Throwable cause;

    /**
     * Held from a request to its answer. A thread that starts a consumer may not have seen its answer yet when the first messages arrive
     * and another thread commits them. Acquired before the connection's lock, and never by the reader.
     */
    private final ReentrantLock requests = new ReentrantLock();
    private int expected;
    private volatile byte @Nullable [] reply;
    /** The expected answers to requests whose callers gave up, in their order. */
    private final Deque<Integer> late = new ArrayDeque<>();

    // content; used by the reader thread
    private long bodyLeft = -1;
    private ByteBuffer parts = ByteBuffer.allocate(0);

    Channel(Amqp091Connection connection, int number) {
        this.connection = connection;
        this.number = number;
    }

    /** Returns what the channel is for, as used in error messages: {@code queue://Q}. */
    abstract String describe();

    /** Marks the channel as closed, and records the reason unless one is known. Call under the lock. */
    final void closed(Throwable reason) {
        closed = true;
        if (cause == null) {
            cause = reason;
        }
    }

    // ---- called by the reader, without the lock unless stated otherwise

    /** Handles a method that answers no request: a delivery, a confirmation. */
    void method(int code, ByteBuffer in, int end) throws IOException {
        throw new IOException("the broker sent method " + (code >> 16) + "." + (code & 0xffff) + ", which nobody asked for");
    }

    /** Handles the properties of the content whose body follows. */
    void properties(ByteBuffer in) throws IOException {}

    /** Notes that the answer to a request arrived, before the requesting thread sees it. Called under the connection's lock. */
    void replied(int code) {}

    /** Handles the whole body of a content; valid during the call only. */
    void content(ByteBuffer body) throws IOException {}

    @Override
    protected void endOfBatch() {}

    /** Handles the end of the channel, by the broker or with the connection. Called once, unless {@link #shut} was called before. */
    @Override
    protected void ended(Throwable reason) {}

    final void header(ByteBuffer in) throws IOException {
        in.getShort();
        in.getShort();
        long size = in.getLong();
        if (size < 0 || size > LARGEST_BODY) {
            throw new IOException("the broker announced a message of " + Long.toUnsignedString(size)
                + " bytes, and more than " + LARGEST_BODY + " are not taken");
        }
        properties(in);
        bodyLeft = size;
        parts.clear();
        if (size == 0) {
            bodyLeft = -1;
            content(parts.flip());
        }
    }

    final void body(ByteBuffer part) throws IOException {
        int length = part.remaining();
        if (length > bodyLeft) {
            throw new IOException("the broker sent a body that is longer than its header says");
        }
        if (length == bodyLeft && parts.position() == 0) {
            bodyLeft = -1;
            content(part);
            return;
        }
        if (parts.remaining() < length) {
            // grow with what has been received, not with what was announced
            int came = parts.position() + length;
            int whole = Math.toIntExact(parts.position() + bodyLeft);
            parts = ByteBuffer.allocate(Math.min(whole, Math.max(2 * came, SMALL_BODY))).put(parts.flip());
        }
        parts.put(part);
        bodyLeft -= length;
        if (bodyLeft == 0) {
            bodyLeft = -1;
            content(parts.flip());
            parts.clear();
        }
    }

    // ---- requests

    final void open() throws Exception {
        call(Method.CHANNEL_OPEN, out -> Fields.shortText(out, ""), Method.CHANNEL_OPEN_OK);
        open = true;
    }

    /**
     * Sends a request and waits for its answer, at most for the connect timeout.
     *
     * @return the arguments of the answer
     * @throws ReplyException if the broker closes the channel instead
     */
    final ByteBuffer call(int code, Consumer<ByteBuffer> arguments, int answer) throws Exception {
        return call(code, arguments, answer, connection.requestLimitNanos());
    }

    final ByteBuffer call(int code, Consumer<ByteBuffer> arguments, int answer, long limitNanos) throws Exception {
        requests.lock();
        try {
            return exchange(code, arguments, answer, limitNanos);
        } finally {
            requests.unlock();
        }
    }

    private ByteBuffer exchange(int code, Consumer<ByteBuffer> arguments, int answer, long limitNanos) throws Exception {
        connection.locked(() -> {
            check();
            reply = null;
            expected = answer;
            connection.method(number, code, arguments);
        });
        try {
            connection.await(() -> reply != null || closed, limitNanos, "The broker did not answer a request for " + describe());
            byte[] came = reply;
            if (came == null) {
                check();
                throw new IOException("The channel for " + describe() + " is closed.");
            }
            return ByteBuffer.wrap(came);
        } finally {
            connection.locked(() -> {
                if (reply == null && !closed) {
                    late.add(answer);
                }
                expected = 0;
                reply = null;
            });
        }
    }

    /** @throws IOException with the reason if the channel is closed; the broker's own words as a {@link ReplyException} */
    final void check() throws IOException {
        Throwable reason = cause;
        if (reason instanceof ReplyException refusal) {
            throw new ReplyException(refusal.code(), String.valueOf(refusal.getMessage()));
        }
        if (reason != null) {
            throw new IOException(reason.getMessage(), reason);
        }
        if (closed) {
            throw new IOException("The channel for " + describe() + " is closed.");
        }
        connection.check();
    }

    /** Returns whether we asked the broker to close the channel. Call under the lock. */
    final boolean isClosing() {
        return closing;
    }

    /** Processes a method that is the answer to a request; returns false if it is not. Call under the lock. */
    final boolean answered(int code, ByteBuffer in, int end) {
        if (code == Method.CHANNEL_CLOSE_OK && closing) {
            closed = true;
            return true;
        }
        Integer owed = late.peek();
        if (owed != null && owed == code) {
            // a later request must not take the answer for its own
            late.remove();
            return true;
        }
        if (expected == 0 || code != expected) {
            return false;
        }
        replied(code);
        byte[] arguments = new byte[end - in.position()];
        in.get(arguments);
        reply = arguments;
        return true;
    }

    /**
     * Closes the channel and waits for the broker's answer, at most as long as a close may take.
     *
     * @return whether the broker has answered, and so has processed everything sent before
     */
    final boolean shut() {
        boolean ask = connection.locked(() -> {
            boolean must = open && !closed && !closing && connection.isAlive();
            closing = true;
            if (must) {
                connection.method(number, Method.CHANNEL_CLOSE, Method::regularEnd);
            }
            return must;
        });
        if (ask) {
            connection.awaitClosing(() -> closed);
        }
        return closed && cause == null && connection.isAlive();
    }
}
