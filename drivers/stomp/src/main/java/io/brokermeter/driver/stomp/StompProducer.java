package io.brokermeter.driver.stomp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.brokermeter.driver.wire.TokenWindow;
import io.brokermeter.driver.wire.WireEndpoint;
import io.brokermeter.driver.wire.WriteBuffer;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.PropertyText;
import org.jspecify.annotations.Nullable;

/**
 * A producer that sends from the calling thread. Frames are appended to the connection's buffer; they are written to the socket at
 * {@link #flush()} or when enough bytes are pending. The constant headers are encoded once.
 *
 * <p>A message is confirmed by its receipt, by the receipt of a later message if only some messages request receipts, by the receipt of its
 * transaction's commit, or, if the user wants no receipts, when it is written.
 */
final class StompProducer extends WireEndpoint implements Producer {

    private static final int WRITE_AT = 64 * 1024;
    /** The two line breaks before a body. */
    private static final short EMPTY_LINE = '\n' << 8 | '\n';
    private static final byte[] EXPIRES = ascii("\nexpires:");
    /** Room in bytes for the length, the time of expiry and the receipt. */
    private static final int MOST_NUMBERS = 160;
    private static final Set<String> RESERVED =
        Set.of("destination", "destination-type", "content-length", "receipt", "transaction");

    private final StompConnection connection;
    private final int index;
    private final Destination destination;
    private final TokenWindow window;
    private final boolean transacted;
    private final long ttlMillis;
    private final boolean expires;
    /** A receipt is requested with every n-th message; 0 for none. */
    private final int every;

    /** The frame up to the length of the body, for each variant. */
    private final byte[][] heads;
    private final byte[] envelopeName;
    private final byte[] receipt;

    // guarded by the connection's lock
    private byte[] digits = new byte[64];
    private int sinceReceipt;
    /**
     * The positions in the output stream of the end of the headers and of the end of the last message, as long as it requests no receipt.
     */
    private long tailHead;
    private long tailEnd;
    private String transaction = "";
    private byte[] transactionLine = AckFrames.NOTHING;
    private boolean begun;

    private volatile @Nullable Throwable cause;
    private volatile boolean closing;
    /** The commit that the broker may have been asked for, until its sends are reported. */
    private volatile @Nullable AwaitedReceipt commit;

    /** @throws IllegalArgumentException with one sentence, if the protocol's version cannot carry a header */
    StompProducer(
            StompConnection connection, int index, Destination destination, ProducerSettings settings,
            SendListener listener) {
        check(settings);
        this.connection = connection;
        this.index = index;
        this.destination = destination;
        this.window = new TokenWindow(listener, settings.maxPending());
        this.transacted = settings.transacted();
        this.ttlMillis = settings.ttlMillis();
        this.expires = ttlMillis > 0 && connection.dialect.expiresAtMoment();
        this.every = transacted || !connection.stomp.receipts() ? 0 : connection.stomp.receiptsEvery();
        this.envelopeName = ascii("\n" + connection.version.escape(Payload.PROPERTY, true) + ":");
        this.receipt = ascii("\nreceipt:" + index + "-");
        this.heads = settings.variants().stream().map(variant -> head(settings, variant)).toArray(byte[][]::new);
    }

    /** @throws IllegalArgumentException with one sentence, for headers that are reserved for the frame */
    static void check(ProducerSettings settings) {
        for (MessageVariant variant : settings.variants()) {
            for (String name : variant.headers().keySet()) {
                if (RESERVED.contains(name)) {
                    throw new IllegalArgumentException("The header " + name + " cannot be set; it is part of how a message is sent.");
                }
            }
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private byte[] head(ProducerSettings settings, MessageVariant variant) {
        Frame frame = connection.frame("SEND", destination, false);
        for (Map.Entry<String, String> header : variant.headers().entrySet()) {
            frame.with(header.getKey(), header.getValue());
        }
        if (settings.persistent()) {
            frame.with("persistent", "true");
        }
        String group = variant.group();
        if (group != null) {
            frame.with("JMSXGroupID", group);
        }
        if (variant.priority() >= 0) {
            frame.with("priority", Integer.toString(variant.priority()));
        }
        if (settings.delayMillis() > 0) {
            frame.with("AMQ_SCHEDULED_DELAY", Long.toString(settings.delayMillis()));
        }
        String contentType = connection.stomp.contentType();
        if (contentType != null) {
            frame.with("content-type", contentType);
        }
        if (ttlMillis > 0 && !expires) {
            frame.with("expiration", Long.toString(ttlMillis));
        }
        return frame.head("content-length:");
    }

    @Override
    public void send(Payload payload, long token) throws Exception {
        boolean write;
        connection.lock.lock();
        try {
            check();
            if (transacted && !begun) {
                begin();
            }
            append(payload, window.sent());
            window.add(token);
            write = connection.out.pending() >= WRITE_AT;
        } finally {
            connection.lock.unlock();
        }
        if (write) {
            // not only as much as the socket accepts: the pending output must not grow without limit
            flushAll();
        }
    }

    private void check() throws IOException {
        Throwable reason = cause;
        if (reason != null) {
            throw new IOException(reason.getMessage(), reason);
        }
        if (closing) {
            throw new IOException("The producer on " + destination + " is closed.");
        }
        connection.check();
    }

    private void append(Payload payload, long number) {
        byte[] head = heads[payload.variant()];
        byte[] envelope = payload.envelope();
        int length = payload.length();
        WriteBuffer writes = connection.out;
        ByteBuffer out = writes.room(payload, head.length + transactionLine.length + MOST_NUMBERS
            + (envelope == null ? 0 : envelopeName.length + 2 * envelope.length));
        WriteBuffer.decimal(out.put(head), length);
        if (envelope != null) {
            if (digits.length < 2 * envelope.length) {
                digits = new byte[2 * envelope.length];
            }
            PropertyText.encode(envelope, digits, 0);
            out.put(envelopeName).put(digits, 0, 2 * envelope.length);
        }
        if (expires) {
            WriteBuffer.decimal(out.put(EXPIRES), System.currentTimeMillis() + ttlMillis);
        }
        out.put(transactionLine);
        if (every > 0 && ++sinceReceipt >= every) {
            sinceReceipt = 0;
            WriteBuffer.decimal(out.put(receipt), number);
        } else {
            tailHead = writes.end();
        }
        out.putShort(EMPTY_LINE);
        writes.body(payload, 0, length, 1).put((byte) 0);
        tailEnd = writes.end();
        writes.appended();
    }

    @Override
    public void flush() throws Exception {
        if (every > 1) {
            askForTail();
        }
        if (every > 0 || transacted) {
            connection.flush();
        } else {
            flushAll();
        }
    }

    private void flushAll() {
        long end = window.sent();
        if (connection.flushAll() && every == 0 && !transacted) {
            window.confirmBefore(end);
        }
    }

    /** Makes the last message request a receipt, unless the last receipt includes it already. */
    private void askForTail() {
        connection.locked(() -> {
            if (sinceReceipt == 0) {
                return;
            }
            sinceReceipt = 0;
            WriteBuffer writes = connection.out;
            String name = index + "-" + (window.sent() - 1);
            byte[] line = ascii("\nreceipt:" + name);
            ByteBuffer out = writes.room(line.length);
            if (tailHead >= writes.start() && tailEnd == writes.end() && writes.isWhole()) {
                // The message is the last in the buffer: its receipt header is inserted between its headers and the empty line.
                int at = (int) (tailHead - writes.start());
                out.put(at + line.length, out, at, out.position() - at);
                out.put(at, line).position(out.position() + line.length);
                writes.appended();
                return;
            }
            // The message is on its way already: a frame without effect requests the receipt.
            String nothing = connection.newTransaction();
            connection.append(connection.frame("BEGIN").with("transaction", nothing).whole());
            connection.append(connection.frame("ABORT").with("transaction", nothing).with("receipt", name).whole());
        });
    }

    // ---- transactions

    private void begin() {
        transaction = connection.newTransaction();
        transactionLine = ascii("\ntransaction:" + transaction);
        begun = true;
        connection.append(connection.frame("BEGIN").with("transaction", transaction).whole());
    }

    /** Appends the frame that ends the transaction; returns empty if no transaction has begun. */
    private Optional<AwaitedReceipt> end(String command, String failed) throws IOException {
        if (!transacted) {
            throw new UnsupportedOperationException("This producer has no transactions.");
        }
        return connection.locked(() -> {
            if (!begun) {
                return Optional.empty();
            }
            begun = false;
            connection.check();
            AwaitedReceipt request = connection.receipts.request(connection.frame(command).with("transaction", transaction),
                failed + destination);
            commit = command.equals("COMMIT") ? request : null;
            return Optional.of(request);
        });
    }

    private void await(AwaitedReceipt request) throws Exception {
        connection.flush();
        connection.receipts.await(request, connection.commitLimitNanos());
    }

    @Override
    public void commit() throws Exception {
        Optional<AwaitedReceipt> request;
        try {
            request = end("COMMIT", "The broker did not commit a transaction on ");
        } catch (IOException e) {
            window.failAll(e);
            throw e;
        }
        if (request.isEmpty()) {
            return;
        }
        try {
            await(request.get());
            window.confirmBefore(window.sent());
        } catch (Exception e) {
            if (e instanceof BrokerError) {
                window.failAll(e);
            } else {
                window.giveUpAll(e);
            }
            throw e;
        } finally {
            commit = null;
        }
    }

    @Override
    public void rollback() throws Exception {
        Optional<AwaitedReceipt> request = end("ABORT", "The broker did not roll back a transaction on ");
        if (request.isEmpty()) {
            return;
        }
        try {
            await(request.get());
        } catch (Exception e) {
            // the next commit must not include them
            window.giveUpAll(e);
            throw e;
        }
        window.forgetAll();
    }

    // ---- receipts, called by the reader thread

    /** Handles the receipt of a message, which confirms it and, if only some messages request receipts, all before it. */
    void receipt(long number) {
        if (every > 1 && number < window.sent()) {
            window.confirmUpTo(number);
        } else {
            window.confirm(number);
        }
        connection.touch(this);
    }

    /** Reports a message as refused by the broker. */
    void refused(long number, String text) {
        window.refuse(number, number, BrokerError.of("The broker refused a message on " + destination, text));
        connection.touch(this);
    }

    @Override
    protected void endOfBatch() {
        window.report();
        if (closing) {
            connection.signal();
        }
    }

    // ---- the end

    @Override
    protected void ended(Throwable reason) {
        if (cause == null) {
            cause = reason;
        }
        finish(reason);
    }

    private void finish(Throwable reason) {
        AwaitedReceipt asked = commit;
        if (asked != null && isDone(asked)) {
            // the committing thread has not seen the receipt yet
            window.confirmBefore(window.sent());
        }
        // a transaction whose commit was not requested is gone with its connection
        boolean failed = transacted && (asked == null || reason instanceof BrokerError || asked.refusal instanceof BrokerError);
        window.finish(reason, failed);
    }

    private boolean isDone(AwaitedReceipt asked) {
        return connection.locked(() -> asked.done && asked.refusal == null);
    }

    @Override
    public String stallReason() {
        return connection.stallReason();
    }

    @Override
    public void close() {
        if (closing) {
            return;
        }
        Throwable reason = new DriverException(
            "The producer on " + destination + " was closed before the broker confirmed the message.", null);
        try {
            if (transacted) {
                commitTail();
            } else {
                closing = true;
                long end = window.sent();
                if (every > 1 && connection.isAlive()) {
                    askForTail();
                }
                if (every > 0) {
                    connection.awaitClosing(() -> window.count() == 0);
                } else if (connection.awaitWritten()) {
                    window.confirmBefore(end);
                }
            }
        } finally {
            closing = true;
            finish(reason);
            connection.remove(index);
        }
    }

    private void commitTail() {
        try {
            closing = true;
            Optional<AwaitedReceipt> asked = end("COMMIT", "The broker did not commit the last transaction on ");
            if (asked.isPresent()) {
                AwaitedReceipt request = asked.get();
                // the result is reported at the end
                connection.awaitClosing(() -> request.done);
            }
        } catch (IOException e) {
            // the connection is gone, and the transaction with it
        }
    }
}
