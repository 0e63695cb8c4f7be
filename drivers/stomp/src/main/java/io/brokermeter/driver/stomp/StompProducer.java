package io.brokermeter.driver.stomp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;

import io.brokermeter.driver.wire.Endpoint;
import io.brokermeter.driver.wire.TokenWindow;
import io.brokermeter.driver.wire.WriteBuffer;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.DriverException;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import org.jspecify.annotations.Nullable;

/**
 * Sends from the calling thread: the frame goes into the connection's buffer, and to the socket at {@link #flush()} or
 * when enough has come together. All headers stand ready in one array, in which only a counter moves on.
 *
 * <p>A message is confirmed by its receipt, by the receipt of a later one where not every one asks for a receipt, by the
 * receipt of its transaction's commit, or, where the user wants no receipts, when it is written.
 */
final class StompProducer extends Endpoint implements Producer {

    private static final int WRITE_AT = 64 * 1024;
    private static final Set<String> RESERVED =
        Set.of("destination", "destination-type", "content-length", "receipt", "transaction");

    private final StompConnection connection;
    private final int index;
    private final Destination destination;
    private final TokenWindow window;
    private final boolean transacted;
    private final long ttlMillis;
    private final boolean expires;
    /** A receipt for every so many messages; 0 for none. */
    private final int every;

    // the heads of frames; under the connection's lock
    /** For each variant. */
    private final SendHead[] heads;
    /** That of the last message. */
    private SendHead head;
    private int sinceReceipt;
    /** Where in the stream the empty line and the end of the last message are, as long as it has no receipt. */
    private long tailHead;
    private long tailEnd;
    private String transaction = "";
    private byte[] transactionLine = new byte[0];
    private boolean begun;

    private volatile @Nullable Throwable cause;
    private volatile boolean closing;
    /** Whether the broker may have been asked to commit, without having answered yet. */
    private volatile boolean committing;

    /** @throws IllegalArgumentException with one sentence, when the protocol's version cannot carry a header */
    StompProducer(
            StompConnection connection, int index, Destination destination, ProducerSettings settings,
            SendListener listener) {
        this.connection = connection;
        this.index = index;
        this.destination = destination;
        this.window = new TokenWindow(listener, settings.maxPending());
        this.transacted = settings.transacted();
        this.ttlMillis = settings.ttlMillis();
        this.expires = ttlMillis > 0 && connection.dialect().expiresAtMoment();
        this.every = transacted || !connection.stomp().receipts() ? 0 : connection.stomp().receiptsEvery();
        byte[] envelope = connection.frame("").with(Payload.PROPERTY, "").head();
        byte[] envelopeName = Arrays.copyOfRange(envelope, 1, envelope.length - 1);
        this.heads = new SendHead[settings.variants().size()];
        for (int i = 0; i < heads.length; i++) {
            heads[i] = new SendHead(prefix(settings, settings.variants().get(i)), envelopeName, expires, every > 0 ? index : -1);
        }
        this.head = heads[0];
    }

    private byte[] prefix(ProducerSettings settings, MessageVariant variant) {
        Frame frame = connection.frame("SEND", destination, false);
        for (Map.Entry<String, String> header : variant.headers().entrySet()) {
            if (RESERVED.contains(header.getKey())) {
                throw new IllegalArgumentException("The header " + header.getKey()
                    + " cannot be set; it is part of how a message is sent.");
            }
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
        String contentType = connection.stomp().contentType();
        if (contentType != null) {
            frame.with("content-type", contentType);
        }
        if (ttlMillis > 0 && !expires) {
            frame.with("expiration", Long.toString(ttlMillis));
        }
        return frame.head();
    }

    @Override
    public void send(Payload payload, long token) throws Exception {
        int length = payload.length();
        boolean write;
        connection.lock.lock();
        try {
            check();
            if (transacted && !begun) {
                begin();
            }
            head = heads[payload.variant()];
            head.fit(length, payload.envelope(), transactionLine);
            long number = window.sent();
            window.add(token);
            append(payload.bytes(), length, number);
            write = connection.out.pending() >= WRITE_AT;
        } finally {
            connection.lock.unlock();
        }
        if (write) {
            // not only as much as the socket takes: what waits for it must not grow without limit
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

    private void append(byte[] body, int length, long number) {
        if (expires) {
            head.expireAt(System.currentTimeMillis() + ttlMillis);
        }
        WriteBuffer writes = connection.out;
        int end = head.end();
        ByteBuffer out = writes.room(end + length + 1);
        if (every > 0) {
            head.count(number);
        }
        if (every == 0 || ++sinceReceipt >= every) {
            sinceReceipt = 0;
            out.put(head.bytes(), 0, end);
        } else {
            out.put(head.bytes(), 0, head.plainEnd());
            tailHead = writes.end();
            out.put((byte) '\n');
        }
        out.put(body, 0, length).put((byte) 0);
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

    /** Makes the last message ask for a receipt, if none after the last receipt did. */
    private void askForTail() {
        connection.lock.lock();
        try {
            if (sinceReceipt == 0) {
                return;
            }
            sinceReceipt = 0;
            WriteBuffer writes = connection.out;
            int length = head.receiptLength();
            ByteBuffer out = writes.room(length);
            if (tailHead >= writes.start() && tailEnd == writes.end()) {
                // It is the last in the buffer: its receipt goes between its headers and the empty line.
                int at = (int) (tailHead - writes.start());
                out.put(at + length, out, at, out.position() - at);
                out.put(at, head.bytes(), head.plainEnd(), length);
                out.position(out.position() + length);
                writes.appended();
                return;
            }
            // It is on its way already: a frame without effect asks for it.
            String line = new String(head.bytes(), head.plainEnd(), length, StandardCharsets.US_ASCII).strip();
            String name = connection.newTransaction();
            connection.append(connection.frame("BEGIN").with("transaction", name).whole());
            connection.append(connection.frame("ABORT").with("transaction", name)
                .with("receipt", line.substring("receipt:".length())).whole());
        } finally {
            connection.lock.unlock();
        }
    }

    // ---- transactions

    private void begin() {
        transaction = connection.newTransaction();
        transactionLine = ("transaction:" + transaction + "\n").getBytes(StandardCharsets.US_ASCII);
        begun = true;
        connection.append(connection.frame("BEGIN").with("transaction", transaction).whole());
    }

    @Override
    public void commit() throws Exception {
        if (!transacted) {
            throw new UnsupportedOperationException("This producer has no transactions.");
        }
        Request request;
        connection.lock.lock();
        try {
            if (!begun) {
                return;
            }
            begun = false;
            connection.check();
            committing = true;
            request = connection.request(connection.frame("COMMIT").with("transaction", transaction),
                "The broker did not commit a transaction on " + destination);
        } catch (IOException e) {
            window.failAll(e);
            throw e;
        } finally {
            connection.lock.unlock();
        }
        try {
            connection.flush();
            connection.await(request, connection.commitLimitNanos());
        } catch (Exception e) {
            if (e instanceof BrokerError) {
                window.failAll(e);
            } else {
                window.giveUpAll(e);
            }
            throw e;
        } finally {
            committing = false;
        }
        window.confirmBefore(window.sent());
    }

    @Override
    public void rollback() throws Exception {
        if (!transacted) {
            throw new UnsupportedOperationException("This producer has no transactions.");
        }
        Request request;
        connection.lock.lock();
        try {
            if (!begun) {
                return;
            }
            begun = false;
            connection.check();
            request = connection.request(connection.frame("ABORT").with("transaction", transaction),
                "The broker did not roll back a transaction on " + destination);
        } finally {
            connection.lock.unlock();
        }
        try {
            connection.flush();
            connection.await(request, connection.commitLimitNanos());
        } catch (Exception e) {
            // the next commit must not take them for its own
            window.giveUpAll(e);
            throw e;
        }
        window.forgetAll();
    }

    // ---- receipts, by the reader

    /** The broker has the message with this number. */
    void receipt(long number) {
        if (every > 1 && number < window.sent()) {
            window.confirmUpTo(number);
        } else {
            window.confirm(number);
        }
        connection.touch(this);
    }

    /** The broker does not take the message with this number. */
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
        // a transaction that nobody asked to commit is gone with its connection
        window.finish(reason, transacted && (!committing || reason instanceof BrokerError));
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
        Request request = null;
        connection.lock.lock();
        try {
            closing = true;
            if (begun && connection.isAlive()) {
                begun = false;
                committing = true;
                request = connection.request(connection.frame("COMMIT").with("transaction", transaction),
                    "The broker did not commit the last transaction on " + destination);
            }
        } finally {
            connection.lock.unlock();
        }
        if (request != null) {
            Request asked = request;
            if (connection.awaitClosing(() -> asked.done) && asked.refusal == null) {
                window.confirmBefore(window.sent());
            }
            committing = !(asked.refusal instanceof BrokerError);
        }
    }
}
