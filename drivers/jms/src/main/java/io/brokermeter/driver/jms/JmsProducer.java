package io.brokermeter.driver.jms;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import io.brokermeter.driver.jms.PendingSends.SendsAbandoned;
import io.brokermeter.spi.AwakeDeadline;
import io.brokermeter.spi.MessageVariant;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.ProducerSettings;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.parameter.PropertyText;
import jakarta.jms.BytesMessage;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.TransactionRolledBackException;
import org.jspecify.annotations.Nullable;

/**
 * A producer with a session of its own.
 *
 * <p>Outside transactions each message is sent asynchronously, and the broker's answer completes the send. In a transaction messages are
 * sent without waiting, and {@link #commit()} waits for the broker's answer to all of them.
 *
 * <p>When the connection is lost, or the broker has not answered in the time that {@link #close()} grants, all unanswered sends are
 * reported as unknown. A transaction that is open at close is committed. If the connection ends before a commit is requested, the sends of
 * the transaction have failed, since the broker rolls it back; if a commit was not answered, their fate is unknown.
 */
public class JmsProducer implements Producer {

    /** The longest wait of a close for the next confirmation before it gives up the missing ones, in nanoseconds. */
    private static final long CLOSE_PATIENCE_NANOS = 1_000_000_000;
    /** That wait after another producer of the connection waited in vain; closing a thousand producers then takes only seconds. */
    private static final long SILENT_PATIENCE_NANOS = 2_000_000;

    /**
     * Size in bytes of the largest body whose message is reused. Some clients send larger messages in pieces, and keep state of that in
     * them.
     */
    private static final int LARGEST_REUSED = 64 << 10;

    private final Session session;
    private final MessageProducer producer;
    private final JmsConnection connection;
    private final SendListener listener;
    private final Variant[] variants;
    /** Whether a message whose send was completed may be filled and sent again. */
    private final boolean reusesMessages;
    private byte[] digits = new byte[0];
    private int priority;
    private final @Nullable PendingSends pending;
    private final AtomicBoolean closed = new AtomicBoolean();

    private final Object transactionLock = new Object();
    // written by the sending thread; the closing thread reads them after that thread has ended
    private long firstInTransaction = -1;
    private long lastInTransaction = -1;
    /** Whether a rollback failed, so that the session must roll back before it sends or commits anything else. */
    private boolean mustRollBack;
    /** Tokens of the transaction's sends that threw, which are not reported; guarded by {@link #transactionLock}. */
    private final Set<Long> thrown = new HashSet<>();
    private volatile @Nullable Throwable lost;
    /** Whether the client was asked to commit and has not answered. */
    private volatile boolean committing;

    protected JmsProducer(
            JmsConnection connection, Session session, MessageProducer producer, ProducerSettings settings,
            SendListener listener) throws JMSException {
        this.connection = connection;
        this.session = session;
        this.producer = producer;
        this.listener = listener;
        this.variants = settings.variants().stream().map(Variant::of).toArray(Variant[]::new);
        for (var variant : variants) {
            check(variant);
        }
        this.pending = settings.transacted() ? null : new PendingSends(listener, settings.maxPending(), connection::isRefusal);
        producer.setDisableMessageID(!settings.messageIds());
        producer.setDisableMessageTimestamp(!settings.timestamps());
        producer.setDeliveryMode(settings.persistent() ? DeliveryMode.PERSISTENT : DeliveryMode.NON_PERSISTENT);
        producer.setTimeToLive(settings.ttlMillis());
        if (settings.delayMillis() > 0) {
            delay(producer, settings.delayMillis());
        }
        this.priority = variants[0].priority();
        producer.setPriority(priority);
        // a message's properties must not be carried over to another message
        this.reusesMessages = pending != null && variants.length == 1 && variants[0].names().length == 0
            && variants[0].group() == null && canReuseMessages();
    }

    /** The properties of messages of one variant. */
    private record Variant(@Nullable String group, int priority, String[] names, String[] values) {

        static Variant of(MessageVariant variant) {
            return new Variant(variant.group(), variant.priority() < 0 ? Message.DEFAULT_PRIORITY : variant.priority(),
                variant.headers().keySet().toArray(String[]::new), variant.headers().values().toArray(String[]::new));
        }
    }

    /** Checks that the client accepts the header names, which it would otherwise report at each send. */
    private void check(Variant variant) throws JMSException {
        for (int i = 0; i < variant.names().length; i++) {
            try {
                session.createBytesMessage().setStringProperty(variant.names()[i], variant.values()[i]);
            } catch (JMSException | RuntimeException e) {
                throw new IllegalArgumentException("The client does not take '" + variant.names()[i]
                    + "' as the name of a header (" + e.getMessage() + "); choose another name.", e);
            }
        }
    }

    /**
     * Makes the broker hold each message back. Drivers whose client has its own way override this method. Called once, by the constructor.
     *
     * @param millis the delay in milliseconds
     * @throws UnsupportedOperationException if the client has no delays
     */
    protected void delay(MessageProducer jmsProducer, long millis) throws JMSException {
        jmsProducer.setDeliveryDelay(millis);
    }

    /**
     * Returns whether the client is done with a message once it completes its send, and completes each send only once. Called once, by the
     * constructor.
     */
    protected boolean canReuseMessages() throws JMSException {
        return false;
    }

    /**
     * Returns whether the client no longer uses a message whose send it completed: the completion may still be in progress, and may change
     * the message. A message that is still in use is not sent again. Called by the sending thread, for each message that could be reused.
     */
    protected boolean isLetGo(BytesMessage message) {
        return true;
    }

    @Override
    public final void send(Payload payload, long token) throws Exception {
        boolean reusable = reusesMessages && payload.envelope() == null && payload.length() <= LARGEST_REUSED;
        var spare = reusable && pending != null ? pending.spare(token) : null;
        if (spare != null && !isLetGo(spare)) {
            spare = null;
        }
        if (spare != null) {
            spare.clearBody();
            spare.writeBytes(payload.bytes(), 0, payload.length());
        }
        var message = spare == null ? message(payload) : spare;
        var variant = variants[payload.variant()];
        if (variant.group() != null) {
            message.setStringProperty("JMSXGroupID", variant.group());
        }
        for (int i = 0; i < variant.names().length; i++) {
            message.setStringProperty(variant.names()[i], variant.values()[i]);
        }
        if (variant.priority() != priority) {
            priority = variant.priority();
            producer.setPriority(priority);
        }
        var envelope = payload.envelope();
        if (envelope != null) {
            message.setStringProperty(Payload.PROPERTY, text(envelope));
        }
        if (pending == null) {
            sendInTransaction(message, token);
            return;
        }
        var slot = pending.claim(token, message, reusable);
        if (slot == null) {
            return;
        }
        try {
            sendAsync(message, slot);
        } catch (Exception e) {
            if (pending.withdraw(slot, token)) {
                var cause = pending.abandoned();
                throw cause == null ? e : new SendsAbandoned(cause);
            }
        }
    }

    private String text(byte[] envelope) {
        if (digits.length != envelope.length * 2) {
            digits = new byte[envelope.length * 2];
        }
        PropertyText.encode(envelope, digits, 0);
        return new String(digits, StandardCharsets.ISO_8859_1);
    }

    /** Creates a message with a copy of the payload as its body. */
    protected BytesMessage message(Payload payload) throws JMSException {
        var message = session.createBytesMessage();
        message.writeBytes(payload.bytes(), 0, payload.length());
        return message;
    }

    /** Sends without waiting for the broker; the client reports the result to {@code completion}. */
    protected void sendAsync(BytesMessage message, SendCompletion completion) throws JMSException {
        producer.send(message, completion);
    }

    private void sendInTransaction(BytesMessage message, long token) throws Exception {
        var cause = lost;
        if (cause != null) {
            throw new SendsAbandoned(cause);
        }
        if (mustRollBack) {
            rollback();
        }
        try {
            producer.send(message);
        } catch (JMSException | RuntimeException e) {
            synchronized (transactionLock) {
                thrown.add(token);
            }
            throw e;
        }
        if (firstInTransaction < 0) {
            firstInTransaction = token;
        }
        lastInTransaction = token;
    }

    /**
     * {@inheritDoc}
     *
     * <p>Blocks at most for the client's own call timeout; a lost connection ends the wait at once.
     */
    @Override
    public final void commit() throws Exception {
        if (pending != null) {
            throw new UnsupportedOperationException("This producer has no transactions.");
        }
        var gone = lost;
        if (gone != null) {
            endTransaction(gone, false);
            throw new IOException(gone.getMessage(), gone);
        }
        if (mustRollBack) {
            try {
                rollback();
                return;
            } catch (Exception e) {
                endTransaction(e, false);
                throw e;
            }
        }
        committing = true;
        try {
            session.commit();
        } catch (Exception e) {
            var cause = lost;
            endTransaction(cause == null ? e : cause, !connection.isRolledBack(e));
            committing = false;
            rollBackAfter(e);
            throw e;
        }
        confirmTransaction();
        committing = false;
    }

    /**
     * {@inheritDoc}
     *
     * <p>Blocks at most for the client's own call timeout; a lost connection ends the wait at once. If it throws, the next send, commit or
     * close tries again before it does anything else. Without success {@link #close()} reports the tokens of the transaction as failed, since
     * no commit was requested.
     */
    @Override
    public final void rollback() throws Exception {
        if (pending != null) {
            throw new UnsupportedOperationException("This producer has no transactions.");
        }
        var cause = lost;
        if (cause != null) {
            throw new IOException(cause.getMessage(), cause);
        }
        mustRollBack = true;
        session.rollback();
        mustRollBack = false;
        synchronized (transactionLock) {
            firstInTransaction = -1;
            lastInTransaction = -1;
            thrown.clear();
        }
    }

    /** Rolls back what a failed commit has left in the session, which would be committed with the next transaction otherwise. */
    private void rollBackAfter(Exception failure) {
        if (lost != null) {
            return;
        }
        try {
            session.rollback();
        } catch (JMSException | RuntimeException e) {
            // Where the broker has rolled back by itself, the session may have nothing to roll back.
            mustRollBack = !(failure instanceof TransactionRolledBackException);
        }
    }

    private void confirmTransaction() {
        synchronized (transactionLock) {
            long last = lastInTransaction;
            firstInTransaction = -1;
            lastInTransaction = -1;
            thrown.clear();
            if (last >= 0) {
                listener.confirmedUpTo(last);
            }
        }
    }

    /** @param unknown whether the broker may have committed the transaction */
    private void endTransaction(Throwable cause, boolean unknown) {
        synchronized (transactionLock) {
            long first = firstInTransaction;
            long last = lastInTransaction;
            firstInTransaction = -1;
            lastInTransaction = -1;
            if (first >= 0) {
                for (long token = first; token <= last; token++) {
                    if (thrown.contains(token)) {
                        continue;
                    }
                    if (unknown) {
                        listener.unknown(token, cause);
                    } else {
                        listener.failed(token, cause);
                    }
                }
            }
            thrown.clear();
        }
    }

    /** Returns the JMS session, for subclasses that use more of the client than JMS specifies. */
    protected final Session session() {
        return session;
    }

    /** Returns the JMS producer, for subclasses that use more of the client than JMS specifies. */
    protected final MessageProducer jmsProducer() {
        return producer;
    }

    /** Handles the loss of the connection. The sends of a transaction are reported later, by commit or close. */
    void lost(Throwable cause) {
        lost = cause;
        if (pending != null) {
            pending.abandon(cause);
        }
    }

    @Override
    public final void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        // sends that cannot be written are reported below
        connection.bounded("writing what was held back", () -> {
            flush();
            return null;
        });
        if (pending == null) {
            closeTransacted();
        } else {
            awaitConfirmations(pending);
            closeSession();
            pending.abandon(new IOException("The producer was closed before the broker confirmed the message."));
        }
        connection.closed(this);
    }

    private void closeTransacted() {
        if (firstInTransaction >= 0 && lost == null) {
            connection.bounded("committing the last transaction", () -> {
                commit();
                return null;
            });
        }
        closeSession();
        // A commit that timed out and ends later after all finds nothing left to report.
        var cause = lost;
        endTransaction(cause != null ? cause
            : new IOException("The producer was closed before its transaction was committed."), committing);
    }

    private void awaitConfirmations(PendingSends sends) {
        int left = sends.count();
        long step = connection.isSilent() ? SILENT_PATIENCE_NANOS : CLOSE_PATIENCE_NANOS;
        long limit = connection.closeLimit().toNanos();
        AwakeDeadline deadline = new AwakeDeadline(limit);
        long heard = 0;
        while (left > 0 && sends.abandoned() == null) {
            LockSupport.parkNanos(200_000);
            int now = sends.count();
            long waited = deadline.waited();
            if (now < left) {
                left = now;
                heard = waited;
            }
            if (waited - heard > step || waited > limit) {
                connection.foundSilent();
                return;
            }
        }
    }

    private void closeSession() {
        connection.bounded("closing a producer", () -> {
            try {
                producer.close();
            } finally {
                session.close();
            }
            return null;
        });
    }
}
