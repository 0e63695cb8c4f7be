package io.brokermeter.driver.core.codec;

import java.io.IOException;
import java.nio.ByteBuffer;

import io.brokermeter.driver.wire.WireEndpoint;
import io.brokermeter.spi.failure.DriverException;
import org.jspecify.annotations.Nullable;

/**
 * A session on a channel of its own, or the channel on which sessions are created. It has one request at a time whose answer a thread
 * awaits. With a confirmation window it tells the broker from time to time how many packets have come, since the broker keeps them so long.
 */
class CoreChannel extends WireEndpoint {

    final CodecConnection connection;
    final long id;
    private final int window;

    // used by the reader thread
    private int lastReceived = -1;
    private int unconfirmed;

    // written under the connection's lock
    private boolean asking;
    private volatile byte answerType;
    private volatile @Nullable ByteBuffer answer;
    private int unheeded;
    private boolean left;
    /** Why the session has ended; null while it has not. */
    private volatile @Nullable Throwable cause;

    /** @param window confirmation window of the session in bytes, -1 for none */
    CoreChannel(CodecConnection connection, long id, int window) {
        this.connection = connection;
        this.id = id;
        this.window = window;
    }

    final int window() {
        return window;
    }

    // ---- packets of the broker; reader thread

    /** Counts a packet that the broker keeps until it is confirmed. */
    final void count(int size) {
        if (window < 0) {
            return;
        }
        lastReceived++;
        unconfirmed += size;
        if (unconfirmed >= window) {
            unconfirmed = 0;
            int last = lastReceived;
            connection.locked(() -> {
                if (!left && cause == null) {
                    new CorePacket(CorePackets.PACKETS_CONFIRMED, id).number(last).appendTo(connection.out);
                }
            });
            connection.owe();
        }
    }

    /**
     * Handles a packet on this channel; the position of {@code in} is at its fields.
     *
     * @param end position behind the packet
     */
    void packet(byte type, ByteBuffer in, int end) throws IOException {
        switch (type) {
            case CorePackets.EXCEPTION, CorePackets.NULL_RESPONSE -> {
                if (!answered(type, in, end) && type == CorePackets.EXCEPTION) {
                    failed(CoreRefusal.read(in, "The broker reports an error"));
                }
            }
            case CorePackets.PACKETS_CONFIRMED -> {} // each message is answered as well
            default -> answered(type, in, end);
        }
    }

    private boolean answered(byte type, ByteBuffer in, int end) {
        return connection.locked(() -> {
            if (!asking) {
                return false;
            }
            if (unheeded > 0) {
                unheeded--;
                return true;
            }
            asking = false;
            answerType = type;
            answer = ByteBuffer.allocate(end - in.position()).put(in.duplicate().limit(end)).flip();
            connection.changed.signalAll();
            return true;
        });
    }

    /** Handles an exception of the broker that answers no request. */
    void failed(CoreRefusal reason) {}

    // ---- requests

    /** Appends a packet that nobody awaits an answer to, unless the session has ended. Call without the lock. */
    final void tell(CorePacket packet) {
        connection.locked(() -> {
            if (!left && cause == null) {
                packet.appendTo(connection.out);
            }
        });
    }

    /**
     * Sends a packet and waits for the broker's answer.
     *
     * @param what what is asked for, as it stands in sentences: {@code queue://q}
     * @return the fields of the answer
     * @throws CoreRefusal if the broker refuses
     * @throws IOException if the connection ends, or the answer does not come in time
     */
    final ByteBuffer request(CorePacket packet, String what) throws IOException, InterruptedException {
        connection.locked(() -> {
            connection.check();
            asking = true;
            answer = null;
            packet.appendTo(connection.out);
        });
        connection.await(() -> answer != null || cause != null, connection.requestLimitNanos(),
            "The broker did not answer when asked for " + what);
        ByteBuffer fields = answer;
        Throwable reason = cause;
        if (fields == null) {
            throw new DriverException(reason == null ? "The session has ended." : String.valueOf(reason.getMessage()), reason);
        }
        if (answerType == CorePackets.EXCEPTION) {
            throw CoreRefusal.read(fields, "The broker refused " + what);
        }
        return fields;
    }

    /**
     * Closes the session and waits for the broker's answer, in the time that a close may take.
     *
     * @return false if the broker did not answer although the connection is alive
     */
    final boolean leave() {
        boolean ask = connection.locked(() -> {
            boolean must = !left && cause == null && connection.isAlive();
            if (must) {
                askToClose();
            }
            return must;
        });
        boolean done = !ask || connection.awaitClosing(this::isReleased);
        connection.forget(this);
        return done || !connection.isAlive();
    }

    /** Appends the packet that closes the session. Call under the lock, once. */
    final void askToClose() {
        left = true;
        asking = true;
        answer = null;
        unheeded = farewell();
        new CorePacket(CorePackets.CLOSE_SESSION, id).appendTo(connection.out);
    }

    /** Appends what goes before the packet that closes the session; returns the number of answers to that. Called under the lock. */
    int farewell() {
        return 0;
    }

    /** Returns whether the broker has answered {@link #askToClose}, or the session has ended otherwise. Call under the lock. */
    final boolean isReleased() {
        return answer != null || cause != null;
    }

    /** Returns whether the session is closed on our side or has ended, so that no packet may follow. Call under the lock. */
    final boolean isOver() {
        return left || cause != null;
    }

    /** Returns why the session has ended; null while it has not. Any thread. */
    final @Nullable Throwable cause() {
        return cause;
    }

    /** Notes that the session has ended with the connection. Call under the lock. */
    final void terminated(Throwable reason) {
        if (cause == null) {
            cause = reason;
        }
    }

    @Override
    protected void ended(Throwable reason) {}
}
