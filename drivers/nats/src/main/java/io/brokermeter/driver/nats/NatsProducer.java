package io.brokermeter.driver.nats;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import io.brokermeter.driver.wire.ClientConnection;
import io.brokermeter.driver.wire.TokenWindow;
import io.brokermeter.spi.AwakeDeadline;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.parameter.PropertyText;
import io.nats.client.Connection;
import io.nats.client.Dispatcher;
import io.nats.client.Message;
import io.nats.client.impl.Headers;
import org.jspecify.annotations.Nullable;

/**
 * A producer that publishes to one subject. With JetStream the reply subject of each message belongs to this producer and ends with the
 * number of the send; the server's answer goes there. Without JetStream a message counts as confirmed when the client has accepted it for
 * writing.
 */
final class NatsProducer implements Producer, ClientConnection.Losing {

    private static final long PATIENCE_NANOS = 100_000_000;
    /** The same once another producer has waited in vain: a thousand of them take no longer than one limit. */
    private static final long SILENT_PATIENCE_NANOS = 5_000_000;
    private static final int MOST_UNCONFIRMED = 1 << 20;

    private final NatsConnection owner;
    private final Connection connection;
    private final String subject;
    /** The headers of each variant; null for none. */
    private final @Nullable Headers[] headers;
    private final SendListener listener;
    private final @Nullable String inbox;
    private final @Nullable Dispatcher answers;
    private final TokenWindow window;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile @Nullable Throwable lost;

    /** @param inbox subject prefix of the server's answers; null if there are none */
    NatsProducer(
            NatsConnection owner, Connection connection, Destination destination, ProducerSettings settings,
            SendListener listener, @Nullable String inbox) {
        this.owner = owner;
        this.connection = connection;
        this.subject = destination.name();
        this.listener = listener;
        this.inbox = inbox == null ? null : inbox + ".";
        this.window = new TokenWindow(listener, settings.maxPending());
        this.headers = new Headers[settings.variants().size()];
        for (int i = 0; i < headers.length; i++) {
            if (!settings.variants().get(i).headers().isEmpty()) {
                Headers made = new Headers();
                settings.variants().get(i).headers().forEach(made::put);
                headers[i] = made;
            }
        }
        if (inbox == null) {
            answers = null;
        } else {
            Dispatcher dispatcher = connection.createDispatcher(this::answered);
            dispatcher.setPendingLimits(0, 0);
            dispatcher.subscribe(inbox + ".*");
            answers = dispatcher;
        }
    }

    @Override
    public void send(Payload payload, long token) throws Exception {
        Throwable cause = lost;
        if (cause != null) {
            throw new IOException("The connection is lost (" + cause.getMessage() + ").", cause);
        }
        String replies = inbox;
        // The client writes later, from the array that it was given.
        byte[] body = payload.copy();
        Headers beside = headers(payload);
        if (replies == null) {
            connection.publish(subject, beside, body);
            listener.confirmed(token);
            return;
        }
        if (window.count() >= MOST_UNCONFIRMED) {
            awaitRoom();
        }
        long number = window.sent();
        window.add(token);
        try {
            connection.publish(subject, replies + number, beside, body);
        } catch (RuntimeException e) {
            if (window.withdraw()) {
                throw e;
            }
        }
        Throwable late = lost;
        if (late != null) {
            window.giveUpAll(late);
        }
    }

    private void awaitRoom() throws TimeoutException {
        long deadline = System.nanoTime() + owner.limit().toNanos();
        while (window.count() >= MOST_UNCONFIRMED && lost == null) {
            if (System.nanoTime() - deadline > 0) {
                throw new TimeoutException("JetStream confirmed nothing within " + owner.limit().toMillis() / 1e3
                    + " s while " + MOST_UNCONFIRMED + " messages were unconfirmed.");
            }
            LockSupport.parkNanos(20_000);
        }
    }

    private @Nullable Headers headers(Payload payload) {
        Headers known = headers[payload.variant()];
        byte[] envelope = payload.envelope();
        if (envelope == null) {
            return known;
        }
        // The client writes the headers later, too.
        Headers all = known == null ? new Headers() : new Headers(known);
        return all.put(Payload.PROPERTY, PropertyText.encode(envelope));
    }

    @Override
    public void flush() throws Exception {
        if (lost == null) {
            try {
                connection.flushBuffer();
            } catch (IllegalStateException e) {
                throw new IOException("The connection is closed.", e);
            }
        }
    }

    private void answered(Message message) {
        String to = message.getSubject();
        int length = inbox == null ? 0 : inbox.length();
        long number = Long.parseLong(to, length, to.length(), 10);
        byte[] data = message.getData();
        if (message.isStatusMessage()) {
            window.refuse(number, number, new IOException("No stream takes messages of the subject " + subject + "."));
        } else if (isError(data)) {
            window.refuse(number, number, new IOException("JetStream refuses the message: "
                + new String(data, StandardCharsets.UTF_8)));
        } else {
            window.confirm(number);
            window.report();
        }
    }

    /** Returns whether an answer is {@code {"error":...}} and not {@code {"stream":...}}. */
    private static boolean isError(byte[] data) {
        return data.length > 2 && data[2] == 'e';
    }

    /** Returns the server's last permission error, since a forbidden message gets no answer. */
    @Override
    public String stallReason() {
        return Permissions.last(connection);
    }

    /** Handles the loss of the connection: reports all unconfirmed messages as unknown. */
    @Override
    public void lost(Throwable cause) {
        lost = cause;
        window.giveUpAll(cause);
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        Dispatcher dispatcher = answers;
        if (dispatcher != null) {
            awaitAnswers();
            if (lost == null) {
                try {
                    connection.closeDispatcher(dispatcher);
                } catch (RuntimeException e) {
                    // the connection is closed, and its dispatchers with it
                }
            }
        }
        window.finish(new IOException("The producer was closed before the server confirmed the message."), false);
        owner.closed(this);
    }

    private void awaitAnswers() {
        try {
            flush();
        } catch (Exception e) {
            // messages that were not written get no answer
        }
        long limit = owner.closeLimit().toNanos();
        long left = window.count();
        AwakeDeadline deadline = new AwakeDeadline(limit);
        long now = 0;
        long heard = 0;
        while (left > 0 && lost == null && now < limit && now - heard < patienceNanos(limit)) {
            LockSupport.parkNanos(200_000);
            now = deadline.waited();
            long count = window.count();
            if (count < left) {
                left = count;
                heard = now;
                owner.heard();
            }
        }
        if (left > 0 && lost == null) {
            owner.unheard(now - heard >= limit);
        }
    }

    private long patienceNanos(long limit) {
        return Math.min(limit, owner.isSilent() ? SILENT_PATIENCE_NANOS : Math.max(PATIENCE_NANOS, limit / 4));
    }
}
