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
import io.brokermeter.spi.DriverException;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.PropertyText;
import io.brokermeter.spi.Settlement;
import io.nats.client.Connection;
import io.nats.client.Dispatcher;
import io.nats.client.Message;
import org.jspecify.annotations.Nullable;

/** Receives on a thread of its own, the dispatcher's, or on the one that polls. */
final class NatsConsumer implements Consumer {

    /** How long nothing must come before the server is asked whether it waits for what is held back. */
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
    /** Held while somebody polls. */
    private final ReentrantLock turn = new ReentrantLock(true);
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean ended;
    private volatile int count;
    /** Whether anything was acknowledged. */
    private volatile boolean acknowledged;
    /** Whether the listener takes no more. */
    private volatile boolean left;
    /** Whether the next poll acknowledges what is held back for a full batch. */
    private volatile boolean due;
    /** What was delivered since, which goes back at the end; by whoever delivers. */
    private final List<Message> unwanted = new ArrayList<>();

    /**
     * @param acknowledges whether messages come from a stream, which waits for acknowledgements
     * @param fetch how to ask for messages, or null to have them pushed
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
            // What is under way is limited by the server already.
            made.setPendingLimits(0, 0);
        }
        this.dispatcher = made;
    }

    Dispatcher dispatcher() {
        return Objects.requireNonNull(dispatcher);
    }

    /**
     * Acknowledges an incomplete batch when the server delivers nothing before it has some acknowledgements: others may hold back the rest
     * of what all who share its limit may leave unacknowledged. To be called once; a thread of its own looks each second.
     *
     * @param waits asks whether the server waits for acknowledgements
     */
    void releaseWhen(BooleanSupplier waits) {
        Dispatcher pushing = dispatcher;
        Runnable release = () -> due = true;
        if (pushing != null) {
            // a message brings the word to the thread that has the batch
            String inbox = connection.createInbox();
            pushing.subscribe(inbox, word -> acknowledge());
            release = () -> connection.publish(inbox, NOTHING);
        }
        Runnable releasing = release;
        Thread.ofVirtual().name("nats-held-back").start(() -> watch(waits, releasing));
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

    /** One request for messages at a time; acknowledgements are written before the next one. */
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
            // The connection is gone, of which its listener is notified, or this consumer is.
        } finally {
            turn.unlock();
        }
    }

    private void arrived(Message message) {
        if (ended) {
            if (acknowledges) {
                // Somebody else shall have it at once, not when the server is tired of waiting.
                message.nak();
            }
            return;
        }
        Settlement settlement = left ? Settlement.LEAVE : deliver(message);
        if (settlement == Settlement.LEAVE) {
            left = true;
            if (acknowledges) {
                // not at once: the server would only deliver it to us again
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
     * Whether the server delivered it before. The reply subject of a stream's message has it:
     * {@code $JS.ACK.stream.consumer.DELIVERED.sequence.sequence.time.pending}, newer servers put domain and account before
     * the stream and a random word at the end.
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
        boolean lost = owner.isLost();
        Exception cause = null;
        try {
            Dispatcher pushing = dispatcher;
            Fetch asking = fetch;
            if (pushing != null) {
                // Returns when no call is under way.
                pushing.drain(limit).get(limit.toMillis() + 100, TimeUnit.MILLISECONDS);
            } else if (asking != null && turn.tryLock(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                try {
                    asking.close(this::arrived);
                } finally {
                    turn.unlock();
                }
            }
            acknowledge();
            unwanted.forEach(Message::nak);
            long answers = connection.getStatistics().getFlushCounter();
            connection.flush(limit);
            // The client returns, too, when it has asked in vain too often, and gives the connection up soon afterwards.
            told = connection.getStatistics().getFlushCounter() > answers;
            if (asking != null) {
                asking.leave();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            cause = e;
        } catch (ExecutionException | TimeoutException | RuntimeException e) {
            // The connection is gone or hangs, of which its listener is notified; the server delivers again what it misses.
            if (e instanceof TimeoutException) {
                owner.foundMute();
            }
            cause = e;
        }
        owner.closed(this);
        // Each acknowledgement is written without waiting for an answer, so any of the last ones may be missing.
        if (acknowledges && (acknowledged || count > 0) && !told && !lost) {
            throw new IOException("The NATS server did not say that it has the last acknowledgements; it may deliver those messages"
                + " again.", cause);
        }
    }
}
