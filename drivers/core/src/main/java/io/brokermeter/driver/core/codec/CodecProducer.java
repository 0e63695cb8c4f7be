package io.brokermeter.driver.core.codec;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.brokermeter.driver.wire.TokenWindow;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.failure.DriverException;

/**
 * A producer that sends from the calling thread. A packet is appended to the connection's buffer; it is written to the socket at
 * {@link #flush()}, when enough bytes are pending, or when the caller's limit of unconfirmed messages is reached. {@link #send} waits for the
 * broker's credit, as Artemis' client does, until it comes or the producer or its connection ends.
 *
 * <p>The broker answers each message; the number of the answer is that of the send in this producer. A body of at least
 * {@link CodecUrl#minLargeMessageSize} goes in pieces of that size, as a large message.
 */
final class CodecProducer extends CoreChannel implements Producer {

    private static final int WRITE_AT = 64 * 1024;
    /** The only producer of its session. */
    private static final int PRODUCER = 0;
    /** Bytes behind the message: whether an answer is asked for, its number, the producer. */
    private static final int TRAILER = 1 + Long.BYTES + Integer.BYTES;
    /** Codes of exceptions after which the fate of a message is unknown. */
    private static final Set<Integer> OPEN_ENDS = Set.of(0, 2, 3, 4, 5, 6, 102, 115, 119);
    private static final long LOOK = TimeUnit.SECONDS.toNanos(1);

    private final Destination destination;
    private final TokenWindow tokens;
    private final CoreMessageTemplate template;
    private final int maxPending;
    private final int pieces;

    // guarded by the connection's lock
    private final ProducerCredit credit;

    // used by the reader thread: confirmed sends of one read that follow each other
    private long firstConfirmed;
    private int confirmed;

    private volatile boolean blocked;
    private volatile boolean closing;

    CodecProducer(CodecConnection connection, long channel, Destination destination, ProducerSettings settings, SendListener listener) {
        super(connection, channel, connection.url().confirmationWindow());
        this.destination = destination;
        this.tokens = new TokenWindow(listener, settings.maxPending());
        this.template = new CoreMessageTemplate(destination, connection.id(), settings);
        this.maxPending = settings.maxPending();
        this.pieces = connection.url().minLargeMessageSize();
        this.credit = new ProducerCredit(connection.url().producerWindow());
    }

    /** Tells the broker of the producer and asks for its first credit. */
    void begin() {
        connection.locked(() -> {
            new CorePacket(CorePackets.CREATE_PRODUCER, id).number(PRODUCER).nullableName(destination.name()).appendTo(connection.out);
            request(credit.first());
        });
        connection.flush();
    }

    private void request(int bytes) {
        if (bytes > 0) {
            new CorePacket(CorePackets.REQUEST_PRODUCER_CREDITS, id).number(bytes).name(destination.name()).appendTo(connection.out);
        }
    }

    // ---- sending

    @Override
    public void send(Payload payload, long token) throws Exception {
        if (payload.length() + Integer.BYTES > pieces) {
            sendInPieces(payload, token);
            return;
        }
        int size = template.size(payload);
        boolean write;
        connection.lock.lock();
        try {
            check();
            acquire(size);
            long number = tokens.sent();
            tokens.add(token);
            ByteBuffer out = connection.out.room(payload, CorePackets.HEADER + size - payload.length() + TRAILER);
            out.putInt(CorePackets.HEADER - Integer.BYTES + size + TRAILER).put(CorePackets.SEND).putLong(id);
            CoreMessageTemplate.beginBody(out, payload);
            out = connection.out.body(payload, 0, payload.length(), template.headersSize(payload) + TRAILER);
            template.writeHeaders(out, payload);
            out.put((byte) 1).putLong(number).putInt(PRODUCER);
            connection.out.appended();
            write = mustWrite();
        } finally {
            connection.lock.unlock();
        }
        if (write) {
            connection.flushOrWait();
        }
    }

    private boolean mustWrite() {
        return connection.out.pending() >= WRITE_AT || maxPending > 0 && tokens.count() >= maxPending;
    }

    /** As Artemis' client does, first each piece is sent and then its credit awaited. Nothing is thrown once a piece is on its way. */
    private void sendInPieces(Payload payload, long token) throws Exception {
        long number;
        connection.lock.lock();
        try {
            check();
            number = tokens.sent();
            tokens.add(token);
            int size = template.headersSize(payload);
            ByteBuffer out = connection.out.room(CorePackets.HEADER + size);
            out.putInt(CorePackets.HEADER - Integer.BYTES + size).put(CorePackets.SEND_LARGE).putLong(id);
            template.writeHeaders(out, payload);
            connection.out.appended();
            if (!acquireLater(size)) {
                return;
            }
        } finally {
            connection.lock.unlock();
        }
        for (int at = 0; at < payload.length();) {
            int length = Math.min(pieces, payload.length() - at);
            if (!sendPiece(payload, at, length, number)) {
                return;
            }
            at += length;
            if (connection.out.pending() >= WRITE_AT) {
                connection.flushOrWait();
            }
        }
        if (maxPending > 0 && tokens.count() >= maxPending) {
            connection.flushOrWait();
        }
    }

    private boolean sendPiece(Payload payload, int at, int length, long number) {
        boolean last = at + length == payload.length();
        int size = CorePackets.HEADER + Integer.BYTES + length + 1 + (last ? Long.BYTES : 0) + TRAILER;
        connection.lock.lock();
        try {
            if (isOver() || closing) {
                return false;
            }
            ByteBuffer out = connection.out.room(size - length);
            out.putInt(size - Integer.BYTES).put(CorePackets.SEND_CONTINUATION).putLong(id).putInt(length);
            out = connection.out.body(payload, at, length, size - length).put((byte) (last ? 0 : 1));
            if (last) {
                out.putLong(payload.length());
            }
            out.put((byte) (last ? 1 : 0)).putLong(number).putInt(PRODUCER);
            connection.out.appended();
            return acquireLater(size);
        } finally {
            connection.lock.unlock();
        }
    }

    private boolean acquireLater(int size) {
        try {
            acquire(size);
            return true;
        } catch (DriverException full) {
            return true; // the next message is refused, if the address is still full then
        } catch (IOException over) {
            return false; // the end of the producer or its connection reports the message
        }
    }

    /** Waits for credit for a message and uses it. Call under the lock, which is released meanwhile. */
    private void acquire(int size) throws IOException {
        request(credit.ask(size));
        if (!credit.covers(size)) {
            blocked = true;
            try {
                awaitCredit(size);
            } finally {
                blocked = false;
            }
        }
        credit.use(size);
        if (credit.takeRefusal()) {
            throw new DriverException("The broker takes no message on " + destination + ", since its address is full.", null);
        }
    }

    private void awaitCredit(int size) throws IOException {
        while (!credit.covers(size)) {
            if (connection.out.pending() > 0 && connection.out.writingSince() == 0) {
                connection.lock.unlock();
                try {
                    connection.flush();
                } finally {
                    connection.lock.lock();
                }
            } else {
                try {
                    connection.changed.awaitNanos(LOOK);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new IOException("Sending to " + destination + " was interrupted.", e);
                }
            }
            check();
        }
    }

    private void check() throws IOException {
        Throwable reason = cause();
        if (reason != null) {
            throw new IOException(reason.getMessage(), reason);
        }
        if (isOver() || closing) {
            throw new IOException("The producer on " + destination + " is closed.");
        }
    }

    @Override
    public void flush() {
        connection.flush();
    }

    // ---- packets of the broker

    @Override
    void packet(byte type, ByteBuffer in, int end) throws IOException {
        int start = in.position();
        switch (type) {
            case CorePackets.NULL_RESPONSE -> {
                long number = end - start < Long.BYTES ? -1 : in.getLong(start);
                if (number < 0) {
                    super.packet(type, in, end);
                } else {
                    confirm(number);
                }
            }
            case CorePackets.EXCEPTION -> refused(in, start, end);
            case CorePackets.PRODUCER_CREDITS, CorePackets.FAIL_PRODUCER_CREDITS -> {
                int bytes = in.getInt();
                connection.locked(() -> {
                    credit.arrived(bytes, type == CorePackets.FAIL_PRODUCER_CREDITS);
                    connection.changed.signalAll();
                });
            }
            default -> super.packet(type, in, end);
        }
    }

    private void confirm(long number) {
        if (number != firstConfirmed + confirmed) {
            confirmGathered();
            firstConfirmed = number;
        }
        confirmed++;
        connection.touch(this);
    }

    private void confirmGathered() {
        if (confirmed > 0) {
            tokens.confirm(firstConfirmed, firstConfirmed + confirmed - 1);
            firstConfirmed += confirmed;
            confirmed = 0;
        }
    }

    private void refused(ByteBuffer in, int start, int end) throws IOException {
        CoreRefusal refusal = CoreRefusal.read(in, "The broker refused a message on " + destination);
        long number = end - in.position() < Long.BYTES ? -1 : in.getLong();
        if (number < 0) {
            super.packet(CorePackets.EXCEPTION, in.position(start), end);
            return;
        }
        confirmGathered();
        if (OPEN_ENDS.contains(refusal.code())) {
            tokens.giveUp(number, refusal);
        } else {
            tokens.refuse(number, number, refusal);
        }
        connection.touch(this);
    }

    @Override
    protected void endOfBatch() {
        confirmGathered();
        tokens.report();
        if (closing) {
            connection.signal();
        }
    }

    // ---- the end

    @Override
    protected void ended(Throwable reason) {
        tokens.finish(reason, false);
    }

    @Override
    public String stallReason() {
        String reason = connection.stallReason();
        return !reason.isEmpty() ? reason
            : blocked ? "the broker grants no credit to send: the address or the broker's memory or disk is full" : "";
    }

    @Override
    public void close() {
        if (closing) {
            return;
        }
        closing = true;
        connection.signal(); // a send that waits for credit
        try {
            connection.awaitClosing(() -> tokens.count() == 0 || cause() != null);
        } finally {
            leave();
            tokens.finish(new IOException("The producer on " + destination + " was closed before the broker confirmed the message."),
                false);
        }
    }
}
