package io.brokermeter.driver.wire;

import java.io.IOException;

import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.failure.DriverException;
import org.jspecify.annotations.Nullable;

/** A producer with many unconfirmed messages, each of them a command with its own answer. */
public abstract class InTurnProducer extends WireEndpoint implements Producer, InTurnConnection.Command {

    private static final int WRITE_AT = 64 * 1024;

    private final InTurnConnection connection;
    private final Destination destination;
    private final TokenWindow window;
    private long answered;
    private volatile boolean closing;

    /** @param maxPending expected maximum of unreported sends, a hint; 0 for no limit */
    protected InTurnProducer(InTurnConnection connection, Destination destination, int maxPending, SendListener listener) {
        this.connection = connection;
        this.destination = destination;
        this.window = new TokenWindow(listener, maxPending);
    }

    /**
     * Appends a message, and calls {@link InTurnConnection#expect} with this object, unless it throws. Called under the connection's lock.
     */
    protected abstract void append(Payload payload);

    /** Returns why the broker refused the message, or null if it accepted the message. Called by the reader thread. */
    protected abstract @Nullable Throwable refusal(LineBuffer answer);

    /** Removes the closed producer from its connection. */
    protected abstract void closed();

    @Override
    public final void send(Payload payload, long token) throws Exception {
        boolean write;
        connection.lock.lock();
        try {
            connection.check();
            if (closing) {
                throw new IOException("The producer on " + destination + " is closed.");
            }
            append(payload);
            window.add(token);
            write = connection.out.pending() >= WRITE_AT;
        } finally {
            connection.lock.unlock();
        }
        if (write) {
            connection.flushAll();
        }
    }

    @Override
    public final void flush() {
        connection.flush();
    }

    @Override
    public final void answered(LineBuffer in) {
        long number = answered++;
        Throwable refusal = refusal(in);
        if (refusal == null) {
            window.confirmUpTo(number);
        } else {
            window.refuse(number, number, refusal);
        }
        connection.touch(this);
    }

    @Override
    protected final void endOfBatch() {
        window.report();
    }

    @Override
    protected final void ended(Throwable reason) {
        window.finish(reason, false);
    }

    @Override
    public final String stallReason() {
        return connection.stallReason();
    }

    @Override
    public final void close() {
        if (!closing) {
            closing = true;
            connection.awaitClosing(() -> window.count() == 0);
            ended(new DriverException(
                "The producer on " + destination + " was closed before the broker confirmed the message.", null));
            closed();
        }
    }
}
