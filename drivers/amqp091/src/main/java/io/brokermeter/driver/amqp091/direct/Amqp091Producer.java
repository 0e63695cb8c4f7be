package io.brokermeter.driver.amqp091.direct;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

import io.brokermeter.driver.amqp091.model.PublisherConfirms;
import io.brokermeter.driver.amqp091.model.ReplyException;
import io.brokermeter.driver.amqp091.model.Topology;
import io.brokermeter.driver.wire.TokenWindow;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;

/**
 * A producer that sends from the calling thread. Frames are appended to the connection's buffer; they are written to the socket at
 * {@link #flush()}, when enough bytes are pending, or when the caller's limit of unconfirmed messages is reached. While the broker accepts
 * no messages {@link #send} blocks, and fails after {@value #LIMIT_SECONDS} s.
 */
final class Amqp091Producer extends Channel implements Producer {

    private static final int LIMIT_SECONDS = 30;
    private static final int USUAL_ENVELOPE = 28;
    private static final int WRITE_AT = 64 * 1024;

    private final Destination destination;
    private final ProducerSettings settings;
    private final TokenWindow pending;
    private final PublisherConfirms numbers;
    private final Topology.Route route;
    /** The template of each variant. */
    private final Amqp091MessageTemplate[] templates;
    private final boolean confirms;
    private final int maxPending;

    // guarded by the connection's lock
    private boolean held;
    private volatile boolean closing;
    /** Whether the broker may have been asked to commit and has not answered yet. */
    private volatile boolean committing;
    /** Whether the broker has confirmed the commit, but the sends are not reported yet. */
    private volatile boolean committed;

    // used by the reader thread
    private int returnCode;
    private String returnText = "";

    Amqp091Producer(
            Amqp091Connection connection, int number, Destination destination, Topology.Route route,
            ProducerSettings settings, SendListener listener) {
        super(connection, number);
        this.destination = destination;
        this.settings = settings;
        this.confirms = connection.options.confirms && !settings.transacted();
        // in a transaction nobody waits for single messages, so only a full buffer and the commit write
        this.maxPending = settings.transacted() ? 0 : settings.maxPending();
        this.pending = new TokenWindow(listener, settings.maxPending());
        this.numbers = new PublisherConfirms(pending);
        this.route = route;
        this.templates = new Amqp091MessageTemplate[settings.variants().size()];
        encode(settings.envelopeProperty() ? USUAL_ENVELOPE : 0);
    }

    private void encode(int envelope) {
        for (int i = 0; i < templates.length; i++) {
            templates[i] = new Amqp091MessageTemplate(
                number, connection.greeting.frameMax(), route, settings, settings.variants().get(i), envelope, connection.options);
        }
    }

    @Override
    String describe() {
        return destination.toString();
    }

    void begin() throws Exception {
        open();
        if (settings.transacted()) {
            call(Method.TX_SELECT, out -> {}, Method.TX_SELECT_OK);
        } else if (confirms) {
            call(Method.CONFIRM_SELECT, out -> out.put((byte) 0), Method.CONFIRM_SELECT_OK);
        }
    }

    @Override
    public void send(Payload payload, long token) throws Exception {
        byte[] envelope = payload.envelope();
        if (envelope != null && !templates[0].fits(envelope)) {
            encode(envelope.length);
        }
        Amqp091MessageTemplate template = templates[payload.variant()];
        boolean write;
        connection.lock.lock();
        try {
            checkOpen();
            if (held || !connection.blocked.isEmpty()) {
                awaitPermission();
            }
            template.write(connection.out, payload, token);
            connection.out.appended();
            pending.add(token);
            write = connection.out.pending() >= WRITE_AT || (maxPending > 0 && pending.count() >= maxPending);
        } finally {
            connection.lock.unlock();
        }
        if (write && isAnswered()) {
            connection.flushOrWait();
        } else if (write) {
            flush();
        }
    }

    private void checkOpen() throws IOException {
        if (closed || closing) {
            check();
            throw new IOException("The producer on " + destination + " is closed.");
        }
        if (isClosing()) {
            throw new IOException("The channel of the producer on " + destination
                + " is being closed, since the broker did not answer a commit or a rollback.");
        }
    }

    private void awaitPermission() throws Exception {
        long left = TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (held || !connection.blocked.isEmpty()) {
            if (left <= 0) {
                throw new IOException("The broker took no message on " + destination + " for " + LIMIT_SECONDS + " s: "
                    + stallReason() + ".");
            }
            left = connection.changed.awaitNanos(left);
            checkOpen();
        }
    }

    /** Handles the broker's request to stop or resume messages on this channel. Called under the lock. */
    void flow(boolean active) {
        held = !active;
    }

    /** Returns whether the broker confirms or commits messages, so that a written message is not yet a confirmed one. */
    private boolean isAnswered() {
        return confirms || settings.transacted();
    }

    @Override
    public void flush() {
        if (isAnswered()) {
            connection.flush();
        } else {
            long end = pending.sent();
            if (connection.flushAll()) {
                pending.confirmBefore(end);
            }
        }
    }

    @Override
    public void commit() throws Exception {
        try {
            commitWithin(Math.max(connection.requestLimitNanos(), TimeUnit.SECONDS.toNanos(LIMIT_SECONDS)));
        } catch (Exception e) {
            if (!closed) {
                // whether the transaction was committed is unknown, so nothing may follow it on this channel
                shut();
            }
            throw e;
        }
    }

    private void commitWithin(long limitNanos) throws Exception {
        boolean never = closed || !connection.isAlive();
        committed = false;
        committing = !never;
        try {
            call(Method.TX_COMMIT, out -> {}, Method.TX_COMMIT_OK, limitNanos);
            pending.confirmBefore(pending.sent());
        } catch (Exception e) {
            if (never || isRefusal(e)) {
                pending.failAll(e);
            } else {
                pending.giveUpAll(e);
            }
            throw e;
        } finally {
            committing = false;
            committed = false;
        }
    }

    @Override
    void replied(int code) {
        if (code == Method.TX_COMMIT_OK) {
            committed = true;
        }
    }

    /** Returns whether the broker closed only this channel, which then holds none of the unconfirmed messages. */
    private boolean isRefusal(Throwable failure) {
        return failure instanceof ReplyException && connection.isAlive();
    }

    @Override
    public void rollback() throws Exception {
        try {
            call(Method.TX_ROLLBACK, out -> {}, Method.TX_ROLLBACK_OK);
        } catch (Exception e) {
            if (!closed) {
                // the next transaction would include the messages of this one
                shut();
            }
            throw e;
        }
        pending.forgetAll();
    }

    @Override
    void method(int code, ByteBuffer in, int end) throws IOException {
        switch (code) {
            case Method.BASIC_ACK -> {
                numbers.confirm(in.getLong(), (in.get() & 1) != 0);
                connection.touch(this);
            }
            case Method.BASIC_NACK -> {
                numbers.refuse(in.getLong(), (in.get() & 1) != 0, new IOException(
                    "The broker refused a message on " + destination + " (nack): a queue is full or failed."));
                connection.touch(this);
            }
            case Method.BASIC_RETURN -> {
                returnCode = in.getShort() & 0xffff;
                returnText = Fields.shortText(in);
            }
            default -> super.method(code, in, end);
        }
    }

    @Override
    void properties(ByteBuffer in) {
        long token = Amqp091MessageTemplate.token(in);
        if (token >= 0) {
            pending.returned(token, new ReplyException(returnCode,
                "returned: " + returnText + " (" + returnCode + ") for a message on " + destination));
        }
        connection.touch(this);
    }

    @Override
    protected void endOfBatch() {
        pending.report();
        if (closing) {
            connection.signal();
        }
    }

    @Override
    protected void ended(Throwable reason) {
        if (committed) {
            // the committing thread has not seen the answer yet
            pending.confirmBefore(pending.sent());
        }
        // A transaction that was not being committed is gone with its channel. Without one the broker may have taken any of several
        // messages before the one for which it closes the channel.
        pending.finish(reason, settings.transacted() ? isRefusal(reason) || !committing : isRefusal(reason) && pending.count() == 1);
    }

    @Override
    public String stallReason() {
        String blocked = connection.blocked;
        if (!blocked.isEmpty()) {
            return "the broker blocks the connection: " + blocked;
        }
        if (held) {
            return "the broker stopped the channel (channel.flow)";
        }
        return connection.stallReason();
    }

    @Override
    public void close() {
        if (closing) {
            return;
        }
        try {
            if (settings.transacted() && pending.count() > 0 && !closed) {
                commitTail();
            }
            closing = true;
            if (isAnswered()) {
                connection.awaitClosing(() -> closed || pending.count() == 0);
            } else {
                awaitWritten();
            }
        } finally {
            closing = true;
            shut();
            pending.finish(new IOException("The producer on " + destination + " was closed before the broker confirmed"
                + " the message."), settings.transacted());
        }
    }

    private void commitTail() {
        try {
            commitWithin(connection.leftToCloseNanos());
        } catch (Exception e) {
            // the commit has reported each token
        }
    }

    /** Lets the helper thread write, so that a peer that does not read cannot delay the close. */
    private void awaitWritten() {
        long end = pending.sent();
        if (connection.awaitWritten()) {
            pending.confirmBefore(end);
        }
    }
}
