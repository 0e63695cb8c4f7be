package io.brokermeter.driver.nats;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Settlement;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.parameter.PropertyText;
import io.nats.client.Connection;
import io.nats.client.Dispatcher;
import io.nats.client.Message;
import org.jspecify.annotations.Nullable;

/** A consumer that receives on the dispatcher's thread, or on the polling thread. */
final class NatsConsumer implements Consumer {

    /** The time without a message, in nanoseconds, after which the server is asked whether it waits for acknowledgements held back here. */
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final byte[] NOTHING = {};

    private final NatsConnection owner;
    private final Connection connection;
    private final DeliveryListener listener;
    private final @Nullable Dispatcher dispatcher;
    private final @Nullable Fetch fetch;
    private final boolean acknowledges;
    private final boolean settles;
    private final @Nullable Message[] open;
    /** Held during a poll. */
    private final ReentrantLock turn = new ReentrantLock(true);
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean ended;
    private volatile int count;
    /** Whether any message was acknowledged. */
    private volatile boolean acknowledged;
    /** Whether the listener accepts no more messages. */
    private volatile boolean left;
    /** Whether the next poll acknowledges the messages held back for a full batch. */
    private volatile boolean due;
    /** Messages that arrived after the listener left, or while polling ends, which go back at the end; used by the delivering thread. */
    private final List<Message> unwanted = new ArrayList<>();
    /** What the server counts as delivered when this consumer has left; null if the server forgets it with this consumer. */
    private volatile @Nullable Remainder remainder;

    /**
     * @param acknowledges whether messages come from a stream, which waits for acknowledgements
     * @param fetch requests messages; null if they are pushed
     */
    NatsConsumer(
            NatsConnection owner, Connection connection, ConsumerSettings settings, DeliveryListener listener,
            boolean acknowledges, @Nullable Fetch fetch) {
        this.owner = owner;
        this.connection = connection;
        this.listener = listener;
        this.acknowledges = acknowledges;
        this.settles = settings.settles();
        this.open = new Message[settings.ackMode() == AckMode.AUTO ? 1 : Math.max(1, settings.batch())];
        this.fetch = fetch;
        if (fetch != null) {
            this.dispatcher = null;
            return;
        }
        Dispatcher made = connection.createDispatcher(this::arrived);
        if (acknowledges) {
            // The server already limits the number of unacknowledged messages.
            made.setPendingLimits(0, 0);
        }
        this.dispatcher = made;
    }

    Dispatcher dispatcher() {
        return Objects.requireNonNull(dispatcher);
    }

    /**
     * Acknowledges an incomplete batch if the server delivers nothing before it receives acknowledgements: other consumers may hold back
     * the rest of the messages that all who share the limit may leave unacknowledged. To be called once; a thread of its own checks every
     * second.
     *
     * @param waits returns whether the server waits for acknowledgements
     */
    void releaseWhen(BooleanSupplier waits) {
        Dispatcher pushing = dispatcher;
        Runnable release = () -> due = true;
        if (pushing != null) {
            // a message to itself makes the thread that owns the batch acknowledge it
            String inbox = connection.createInbox();
            pushing.subscribe(inbox, word -> acknowledge());
            release = () -> connection.publish(inbox, NOTHING);
        }
        Runnable releasing = release;
        Thread.ofVirtual().name("nats-held-back").start(() -> watch(waits, releasing));
    }

    /** Sets what a close gives back after the server has no subscription of this consumer any more. */
    void leaves(Remainder counted) {
        remainder = counted;
    }

    private void watch(BooleanSupplier waits, Runnable release) {
        int before = 0;
        while (!ended && !owner.isLost()) {
            LockSupport.parkNanos(QUIET_NANOS);
            int now = count;
            if (now > 0 && now == before && waits.getAsBoolean()) {
                try {
                    release.run();
                } catch (IllegalStateException e) {
                    return; // the connection is closed
                }
            }
            before = now;
        }
    }

    @Override
    public boolean needsPolling() {
        return fetch != null;
    }

    /** Makes one request for messages at a time; acknowledgements are written before the next request. */
    @Override
    public void poll(Duration limit) throws Exception {
        Fetch asking = fetch;
        if (asking == null || ended || left || owner.isLost()) {
            LockSupport.parkNanos(limit.toNanos());
            return;
        }
        turn.lock();
        try {
            if (!ended) {
                if (due) {
                    due = false;
                    acknowledge();
                }
                asking.fetch(limit, this::arrived, () -> ended || left);
                connection.flushBuffer();
            }
        } catch (DriverException e) {
            if (!ended && !owner.isLost()) {
                throw e;
            }
        } catch (IllegalStateException | IOException e) {
            // The connection is lost, of which its listener is notified, or this consumer is closed.
        } finally {
            turn.unlock();
        }
    }

    private void arrived(Message message) {
        if (ended) {
            if (acknowledges) {
                // Another consumer gets it at once, not only after the server's acknowledgement timeout.
                message.nak();
            }
            return;
        }
        Settlement settlement = left ? Settlement.LEAVE : deliver(message);
        if (settlement == Settlement.LEAVE) {
            left = true;
            if (acknowledges) {
                // not at once: the server would deliver it to this consumer again
                unwanted.add(message);
            }
            return;
        }
        if (!acknowledges) {
            return;
        }
        if (settles && settlement != Settlement.ACCEPT) {
            try {
                if (settlement == Settlement.REQUEUE) {
                    message.nak();
                } else {
                    message.term();
                }
            } catch (RuntimeException e) {
                listener.failed(e);
            }
            return;
        }
        int next = count;
        open[next++] = message;
        count = next;
        if (next == open.length) {
            acknowledge();
        }
    }

    private Settlement deliver(Message message) {
        byte[] data = message.getData();
        ByteBuffer body = ByteBuffer.wrap(data == null ? new byte[0] : data);
        boolean again = acknowledges && isAgain(message.getReplyTo());
        if (message.hasHeaders()) {
            String property = message.getHeaders().getLast(Payload.PROPERTY);
            ByteBuffer envelope = property == null ? null : PropertyText.decode(property);
            if (envelope != null) {
                return listener.delivered(envelope, body, again);
            }
        }
        return listener.delivered(body, again);
    }

    private void acknowledge() {
        int last = count;
        count = 0;
        if (last > 0 && !acknowledged) {
            acknowledged = true;
        }
        try {
            for (int i = 0; i < last; i++) {
                Message message = open[i];
                open[i] = null;
                if (message != null) {
                    message.ack();
                }
            }
        } catch (RuntimeException e) {
            listener.failed(e);
        }
    }

    /**
     * Returns whether the server has delivered the message before, according to its reply subject:
     * {@code $JS.ACK.stream.consumer.DELIVERED.sequence.sequence.time.pending}; newer servers insert domain and account before the stream
     * and append a random token.
     */
    private static boolean isAgain(@Nullable String reply) {
        if (reply == null) {
            return false;
        }
        int words = 1;
        for (int i = 0; i < reply.length(); i++) {
            words += reply.charAt(i) == '.' ? 1 : 0;
        }
        int before = words > 9 ? 6 : 4;
        int at = 0;
        for (int i = 0; i < before; i++) {
            at = reply.indexOf('.', at) + 1;
        }
        return !(reply.startsWith("1.", at));
    }

    @Override
    public void close() throws IOException {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        ended = true;
        Duration limit = owner.closeLimit();
        boolean told = false;
        boolean idle = false;
        boolean lost = owner.isLost();
        Exception cause = null;
        try {
            Dispatcher pushing = dispatcher;
            Fetch asking = fetch;
            if (pushing != null) {
                // False if the listener still has a message at the limit.
                idle = Boolean.TRUE.equals(pushing.drain(limit).get(limit.toMillis() + 100, TimeUnit.MILLISECONDS));
            } else if (asking != null && turn.tryLock(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                idle = true;
                try {
                    // back to the server only at the end, since the request that is still open would bring it again
                    asking.close(unwanted::add, limit);
                } finally {
                    turn.unlock();
                }
            }
            if (idle) {
                acknowledge();
                unwanted.forEach(Message::nak);
            }
            told = owner.hasAll(limit);
            if (asking != null) {
                asking.leave();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            cause = e;
        } catch (ExecutionException | TimeoutException | RuntimeException e) {
            // The connection is lost or hangs, of which its listener is notified; the server redelivers messages without acknowledgement.
            if (e instanceof TimeoutException) {
                owner.foundMute();
            }
            cause = e;
        }
        if (dispatcher != null) {
            owner.dropped(dispatcher.getDroppedCount());
        }
        Remainder counted = remainder;
        if (counted != null) {
            counted.left(told && idle, limit);
        }
        owner.closed(this);
        if (acknowledges && told && !idle && !lost) {
            throw new IOException("The last delivery from the NATS server did not end within " + limit.toMillis()
                + " ms, so neither it nor what came before it and was held back is acknowledged.");
        }
        // Each acknowledgement is written without waiting for an answer, so any of the last ones may be missing.
        if (acknowledges && (acknowledged || count > 0) && !told && !lost) {
            throw new IOException("The NATS server did not say that it has the last acknowledgements; it may deliver those messages"
                + " again.", cause);
        }
    }
}
