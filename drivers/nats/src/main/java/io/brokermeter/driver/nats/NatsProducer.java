package io.brokermeter.driver.nats;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import io.brokermeter.driver.wire.TokenWindow;
import io.brokermeter.driver.wire.WireEndpoint;
import io.brokermeter.driver.wire.WriteBuffer;
import io.brokermeter.spi.AwakeDeadline;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.PropertyText;

/**
 * A producer that publishes to one subject from the calling thread. Messages are appended to the connection's buffer, and written at
 * {@link #flush()} or when enough bytes are pending. With JetStream the reply subject of each message leads to this producer and ends with
 * the number of the send; the server's answer goes there. Without JetStream a message counts as confirmed when it is taken to be written.
 */
final class NatsProducer extends WireEndpoint implements Producer {

    private static final int WRITE_AT = 64 * 1024;
    private static final long PATIENCE_NANOS = 100_000_000;
    /** The same once another producer has waited in vain: a thousand of them take no longer than one limit. */
    private static final long SILENT_PATIENCE_NANOS = 5_000_000;
    private static final int MOST_UNCONFIRMED = 1 << 20;
    private static final short LINE_END = '\r' << 8 | '\n';
    private static final byte[] VERSION = ascii("NATS/1.0\r\n");
    private static final byte[] PROPERTY = ascii(Payload.PROPERTY + ": ");
    /** Room in bytes for three numbers and their line ends. */
    private static final int MOST_NUMBERS = 80;
    private static final int NO_RESPONDERS = 503;

    private final NatsConnection owner;
    private final NatsLink link;
    private final int index;
    private final Destination destination;
    private final boolean core;
    /** The line of a message without headers, up to the number of the send, or up to its length if no server answers. */
    private final byte[] plain;
    /** The same for a message with headers. */
    private final byte[] headed;
    /** The headers of each variant with the line before them, without the empty line at their end. */
    private final byte[][] headers;
    private final long maxPayload;
    private final SendListener listener;
    /** The sends that JetStream has not answered. */
    private final TokenWindow window;
    private final AtomicBoolean closed = new AtomicBoolean();

    // guarded by the connection's lock
    private byte[] digits = new byte[64];

    private volatile boolean ended;

    /** @throws IllegalArgumentException with one sentence for a header that NATS cannot carry */
    NatsProducer(
            NatsConnection owner, NatsLink link, int index, Destination destination, ProducerSettings settings, SendListener listener,
            boolean core) {
        this.owner = owner;
        this.link = link;
        this.index = index;
        this.destination = destination;
        this.core = core;
        String line = "PUB " + destination.name() + " " + (core ? "" : link.inboxOf(index));
        this.plain = line.getBytes(StandardCharsets.UTF_8);
        this.headed = ("H" + line).getBytes(StandardCharsets.UTF_8);
        this.headers = settings.variants().stream().map(NatsProducer::block).toArray(byte[][]::new);
        this.maxPayload = link.info.number("max_payload");
        this.listener = listener;
        this.window = new TokenWindow(listener, settings.maxPending());
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] block(MessageVariant variant) {
        StringBuilder block = new StringBuilder(new String(VERSION, StandardCharsets.US_ASCII));
        for (Map.Entry<String, String> header : variant.headers().entrySet()) {
            if (header.getKey().isEmpty() || header.getKey().chars().anyMatch(c -> c <= ' ' || c > '~' || c == ':')
                || header.getValue().chars().anyMatch(Character::isISOControl)) {
                throw new IllegalArgumentException("NATS cannot carry the header '" + header.getKey()
                    + "': its name must be of printable ASCII without blanks and colons, and its value of one line.");
            }
            block.append(header.getKey()).append(": ").append(header.getValue()).append("\r\n");
        }
        return block.toString().getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void send(Payload payload, long token) throws Exception {
        if (!core && window.count() >= MOST_UNCONFIRMED) {
            awaitRoom();
        }
        boolean write;
        link.lock.lock();
        try {
            link.check();
            if (closed.getPlain()) {
                throw new DriverException("The producer on " + destination + " is closed.", null);
            }
            append(payload, window.sent());
            if (!core) {
                window.add(token);
            }
            write = link.out.pending() >= WRITE_AT;
        } finally {
            link.lock.unlock();
        }
        if (core) {
            listener.confirmed(token);
        }
        if (write) {
            // the output for a server that does not read must not grow without limit
            if (core) {
                link.flushAll();
            } else {
                link.flushOrWait();
            }
        }
    }

    private void append(Payload payload, long number) throws DriverException {
        byte[] block = headers[payload.variant()];
        byte[] envelope = payload.envelope();
        int beside = envelope == null ? 0 : PROPERTY.length + 2 * envelope.length + 2;
        int before = beside == 0 && block.length == VERSION.length ? 0 : block.length + beside + 2;
        int length = payload.length();
        if (before + length > maxPayload) {
            throw new DriverException("The NATS server takes messages of at most " + maxPayload + " bytes (its max_payload); one of "
                + length + " bytes" + (before == 0 ? "" : " with " + before + " bytes of headers") + " is too large.", null);
        }
        ByteBuffer out = link.out.room(payload, headed.length + before + MOST_NUMBERS);
        out.put(before == 0 ? plain : headed);
        if (!core) {
            WriteBuffer.decimal(out, number).put((byte) ' ');
        }
        if (before > 0) {
            WriteBuffer.decimal(out, before).put((byte) ' ');
        }
        WriteBuffer.decimal(out, before + length).putShort(LINE_END);
        if (before > 0) {
            out.put(block);
            if (envelope != null) {
                if (digits.length < 2 * envelope.length) {
                    digits = new byte[2 * envelope.length];
                }
                PropertyText.encode(envelope, digits, 0);
                out.put(PROPERTY).put(digits, 0, 2 * envelope.length).putShort(LINE_END);
            }
            out.putShort(LINE_END);
        }
        link.out.body(payload, 0, length, Short.BYTES).putShort(LINE_END);
        link.out.appended();
    }

    private void awaitRoom() throws TimeoutException {
        flush();
        long deadline = System.nanoTime() + link.requestLimitNanos();
        while (window.count() >= MOST_UNCONFIRMED && !ended) {
            if (System.nanoTime() - deadline > 0) {
                throw new TimeoutException("JetStream confirmed nothing within " + link.requestLimitNanos() / 1e9
                    + " s while " + MOST_UNCONFIRMED + " messages were unconfirmed.");
            }
            LockSupport.parkNanos(20_000);
        }
    }

    @Override
    public void flush() {
        link.flush();
    }

    // ---- called by the reader thread

    /** Handles JetStream's answer to a send. */
    void answered(NatsReader in, long number) {
        if (in.status() == NO_RESPONDERS) {
            window.refuse(number, number, new IOException("No stream takes messages of the subject " + destination.name() + "."));
        } else if (isError(in.body())) {
            window.refuse(number, number, new IOException("JetStream refuses the message: "
                + StandardCharsets.UTF_8.decode(in.body())));
        } else {
            window.confirm(number);
        }
        link.touch(this);
    }

    /** Returns whether an answer is {@code {"error":...}} and not {@code {"stream":...}}. */
    private static boolean isError(ByteBuffer data) {
        return data.remaining() > 2 && data.get(data.position() + 2) == 'e';
    }

    @Override
    protected void endOfBatch() {
        window.report();
    }

    /** Reports all unconfirmed messages as unknown; nothing is reported afterwards. */
    @Override
    protected void ended(Throwable reason) {
        ended = true;
        window.finish(reason, false);
    }

    /** Returns why nothing is written, or the server's last permission error, since a forbidden message gets no answer. */
    @Override
    public String stallReason() {
        String reason = link.stallReason();
        return reason.isEmpty() ? link.violation() : reason;
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        if (core) {
            link.awaitWritten();
        } else {
            awaitAnswers();
        }
        ended(new IOException("The producer was closed before the server confirmed the message."));
        link.remove(index);
    }

    private void awaitAnswers() {
        link.help();
        long limit = link.leftToCloseNanos();
        long left = window.count();
        AwakeDeadline deadline = new AwakeDeadline(limit);
        long now = 0;
        long heard = 0;
        while (left > 0 && !ended && now < limit && now - heard < patienceNanos(limit)) {
            LockSupport.parkNanos(200_000);
            now = deadline.waited();
            long count = window.count();
            if (count < left) {
                left = count;
                heard = now;
                owner.silent = false;
            }
        }
        if (left > 0 && !ended) {
            owner.silent = true;
        }
    }

    private long patienceNanos(long limit) {
        return Math.min(limit, owner.silent ? SILENT_PATIENCE_NANOS : Math.max(PATIENCE_NANOS, limit / 4));
    }
}
