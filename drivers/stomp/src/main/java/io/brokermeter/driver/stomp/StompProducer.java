package io.brokermeter.driver.stomp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

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
final class StompProducer implements Producer, Endpoint {

    private static final int WRITE_AT = 64 * 1024;
    private static final Set<String> RESERVED =
        Set.of("destination", "destination-type", "content-length", "receipt", "transaction");

    private final StompConnection connection;
    private final int index;
    private final Destination destination;
    private final SendListener listener;
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
    /** Where in which turn of the buffer the last message stands, as long as it has no receipt. */
    private int tailTurn = -1;
    private int tailHead;
    private int tailEnd;
    private String transaction = "";
    private byte[] transactionLine = new byte[0];
    private boolean begun;

    /** Sends so far; the sending thread writes. */
    private volatile long sent;
    /** Tokens by send number; the sending thread writes, and replaces them under this producer's monitor. */
    private long[] tokens;
    /** Whether a send out of turn was reported; under this producer's monitor. */
    private boolean[] done;
    /** Every send below is reported; under this producer's monitor. */
    private volatile long settled;
    /** The last send of an unbroken row that the broker has and the listener has not heard of. */
    private long confirmedToken;
    private boolean confirmed;
    private boolean finished;
    private boolean touched;

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
        this.listener = listener;
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
        int capacity = Math.clamp(Integer.highestOneBit(Math.max(64, settings.maxPending())) * 2L, 128, 1 << 16);
        tokens = new long[capacity];
        done = new boolean[capacity];
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
            if (sent - settled == tokens.length) {
                grow();
            }
            long number = sent;
            tokens[(int) number & (tokens.length - 1)] = token;
            sent = number + 1;
            append(payload.bytes(), length, number);
            write = connection.out.pending() >= WRITE_AT;
        } finally {
            connection.lock.unlock();
        }
        if (write && connection.drain() && every == 0 && !transacted) {
            confirmWritten();
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
        connection.checkAlive();
    }

    private void append(byte[] body, int length, long number) {
        if (expires) {
            head.expireAt(System.currentTimeMillis() + ttlMillis);
        }
        Outgoing outgoing = connection.out;
        int end = head.end();
        ByteBuffer out = outgoing.room(end + length + 1);
        if (every > 0) {
            head.count(number);
        }
        if (every == 0 || ++sinceReceipt >= every) {
            sinceReceipt = 0;
            out.put(head.bytes(), 0, end);
        } else {
            out.put(head.bytes(), 0, head.plainEnd());
            tailTurn = outgoing.turn();
            tailHead = out.position();
            out.put((byte) '\n');
        }
        out.put(body, 0, length).put((byte) 0);
        tailEnd = out.position();
        outgoing.appended();
    }

    private synchronized void grow() {
        long[] moreTokens = new long[tokens.length * 2];
        boolean[] moreDone = new boolean[moreTokens.length];
        for (long i = settled; i < sent; i++) {
            moreTokens[(int) i & (moreTokens.length - 1)] = tokens[(int) i & (tokens.length - 1)];
            moreDone[(int) i & (moreDone.length - 1)] = done[(int) i & (done.length - 1)];
        }
        tokens = moreTokens;
        done = moreDone;
    }

    @Override
    public void flush() throws Exception {
        if (every > 1) {
            askForTail();
        }
        if (every > 0 || transacted) {
            connection.flush();
        } else if (connection.drain()) {
            confirmWritten();
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
            Outgoing outgoing = connection.out;
            int length = head.receiptLength();
            ByteBuffer out = outgoing.room(length + 256);
            if (tailTurn == outgoing.turn() && out.position() == tailEnd) {
                // It is the last in the buffer: its receipt goes between its headers and the empty line.
                out.put(tailHead + length, out, tailHead, tailEnd - tailHead);
                out.put(tailHead, head.bytes(), head.plainEnd(), length);
                out.position(tailEnd + length);
                outgoing.appended();
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
            connection.checkAlive();
            committing = true;
            request = connection.request("The broker did not commit a transaction on " + destination);
            connection.append(connection.frame("COMMIT").with("transaction", transaction)
                .with("receipt", request.receipt()).whole());
        } catch (IOException e) {
            failAll(e);
            throw e;
        } finally {
            connection.lock.unlock();
        }
        try {
            connection.flush();
            connection.await(request, connection.commitLimitNanos());
        } catch (Exception e) {
            if (e instanceof BrokerError) {
                failAll(e);
            } else {
                giveUpAll(e);
            }
            throw e;
        } finally {
            committing = false;
        }
        confirmAll(sent);
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
            connection.checkAlive();
            request = connection.request("The broker did not roll back a transaction on " + destination);
            connection.append(connection.frame("ABORT").with("transaction", transaction)
                .with("receipt", request.receipt()).whole());
        } finally {
            connection.lock.unlock();
        }
        try {
            connection.flush();
            connection.await(request, connection.commitLimitNanos());
        } catch (Exception e) {
            // the next commit must not take them for its own
            giveUpAll(e);
            throw e;
        }
        forgetAll();
    }

    private synchronized void forgetAll() {
        settled = sent;
    }

    // ---- confirmations

    /** Every message up to now is written. Sending thread only. */
    private void confirmWritten() {
        confirmAll(sent);
    }

    private synchronized void confirmAll(long end) {
        if (settled < end && !finished) {
            long token = tokens[(int) (end - 1) & (tokens.length - 1)];
            settled = end;
            listener.confirmedUpTo(token);
        }
    }

    private synchronized void failAll(Throwable reason) {
        if (finished) {
            return;
        }
        for (long number = settled; number < sent; number++) {
            listener.failed(tokens[(int) number & (tokens.length - 1)], reason);
        }
        settled = sent;
    }

    private synchronized void giveUpAll(Throwable reason) {
        if (finished) {
            return;
        }
        for (long number = settled; number < sent; number++) {
            listener.unknown(tokens[(int) number & (tokens.length - 1)], reason);
        }
        settled = sent;
    }

    /** The broker has the message with this number. Reader only. */
    synchronized void receipt(long number) {
        if (finished || number < settled || number >= sent) {
            return;
        }
        if (every > 1 || number == settled) {
            for (long each = settled; each < number; each++) {
                done[(int) each & (done.length - 1)] = false;
            }
            settled = number + 1;
            confirmedToken = tokens[(int) number & (tokens.length - 1)];
            confirmed = true;
            passDone();
            if (!touched) {
                touched = true;
                connection.touch(this);
            }
        } else if (!done[(int) number & (done.length - 1)]) {
            done[(int) number & (done.length - 1)] = true;
            listener.confirmed(tokens[(int) number & (tokens.length - 1)]);
        }
    }

    /** The broker does not take the message with this number. Reader only. */
    synchronized void refused(long number, String text) {
        int at = (int) number & (tokens.length - 1);
        if (finished || number < settled || number >= sent || done[at]) {
            return;
        }
        done[at] = true;
        listener.failed(tokens[at], BrokerError.of("The broker refused a message on " + destination, text));
        passDone();
        if (!touched) {
            touched = true;
            connection.touch(this);
        }
    }

    /** Moves {@link #settled} over sends that were reported by themselves. */
    private void passDone() {
        long number = settled;
        int at = (int) number & (tokens.length - 1);
        while (number < sent && done[at]) {
            done[at] = false;
            number++;
            at = (int) number & (tokens.length - 1);
        }
        settled = number;
    }

    @Override
    public void endOfRead() {
        report();
        if (closing) {
            connection.signal();
        }
    }

    private synchronized void report() {
        touched = false;
        if (confirmed) {
            confirmed = false;
            listener.confirmedUpTo(confirmedToken);
        }
    }

    // ---- the end

    @Override
    public void ended(Throwable reason) {
        if (cause == null) {
            cause = reason;
        }
        finish(reason);
    }

    private synchronized void finish(Throwable reason) {
        if (finished) {
            return;
        }
        report();
        finished = true;
        // a transaction that nobody asked to commit is gone with its connection
        boolean refused = transacted && (!committing || reason instanceof BrokerError);
        for (long number = settled; number < sent; number++) {
            int at = (int) number & (tokens.length - 1);
            if (done[at]) {
                continue;
            }
            if (refused) {
                listener.failed(tokens[at], reason);
            } else {
                listener.unknown(tokens[at], reason);
            }
        }
        settled = sent;
    }

    @Override
    public String stallReason() {
        return connection.writingFor() > TimeUnit.SECONDS.toNanos(1) ? "the broker does not read from its socket" : "";
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
            } else if (every > 0) {
                closing = true;
                if (every > 1 && !connection.isDead()) {
                    askForTail();
                }
                connection.awaitClosing(() -> sent == settled);
            } else {
                closing = true;
                long all = connection.out.total();
                if (sent != settled && connection.awaitClosing(() -> connection.out.written() >= all)) {
                    confirmWritten();
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
            if (begun && !connection.isDead()) {
                begun = false;
                committing = true;
                request = connection.request("The broker did not commit the last transaction on " + destination);
                connection.append(connection.frame("COMMIT").with("transaction", transaction)
                    .with("receipt", request.receipt()).whole());
            }
        } finally {
            connection.lock.unlock();
        }
        if (request != null) {
            Request asked = request;
            if (connection.awaitClosing(() -> asked.done) && asked.refusal == null) {
                confirmAll(sent);
            }
            committing = !(asked.refusal instanceof BrokerError);
        }
    }
}
