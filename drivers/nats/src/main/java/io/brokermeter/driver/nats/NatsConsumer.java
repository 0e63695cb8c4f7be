package io.brokermeter.driver.nats;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import io.brokermeter.driver.wire.ConsumerThread;
import io.brokermeter.driver.wire.WireEndpoint;
import io.brokermeter.spi.AckMode;
import io.brokermeter.spi.Consumer;
import io.brokermeter.spi.ConsumerSettings;
import io.brokermeter.spi.DeliveryListener;
import io.brokermeter.spi.Destination;
import io.brokermeter.spi.Settlement;
import io.brokermeter.spi.failure.DriverException;
import org.jspecify.annotations.Nullable;

/**
 * A consumer that receives on the connection's reader thread, on a thread of its own if the listener may block, or on the polling thread.
 * Acknowledgements are gathered while the messages of one read are delivered.
 */
final class NatsConsumer extends WireEndpoint implements Consumer {

    /** The time without a message, in nanoseconds, after which the server is asked whether it waits for acknowledgements held back here. */
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** What may wait for a listener of messages that no server keeps; what comes beyond that is dropped. */
    private static final long MOST_BYTES = 64L * 1024 * 1024;
    private static final int MOST_MESSAGES = 512 * 1024;

    /**
     * A copy of a message.
     *
     * @param status code of a message of the server itself, 0 for the others
     * @param words what the server says beside the code
     */
    record Item(@Nullable ByteBuffer envelope, ByteBuffer body, ByteBuffer reply, int status, String words) {

        static Item of(NatsReader in) {
            int status = in.status();
            byte[] reply = new byte[in.replyTo() - in.replyFrom()];
            in.buffer().get(in.replyFrom(), reply);
            return new Item(ConsumerThread.copyOf(in.envelope()), ConsumerThread.copy(in.body()), ByteBuffer.wrap(reply), status,
                status == 0 ? "" : in.statusText());
        }
    }

    private final NatsConnection owner;
    private final NatsLink link;
    private final Destination destination;
    private final DeliveryListener listener;
    private final boolean acknowledges;
    private final boolean settles;
    private final int batch;
    private final @Nullable ConsumerThread<Item> thread;
    private final @Nullable Fetch fetch;
    /** The bytes that wait for the thread. */
    private final AtomicLong waiting = new AtomicLong();
    /** The number of the subscription; set before the server knows of it. */
    int number;

    /** Held while the listener runs, and until the acknowledgement of its messages is on its way; held during a poll. */
    private final ReentrantLock turn = new ReentrantLock(true);

    // guarded by turn
    private final Acks acks = new Acks();
    /** Messages that arrived after the listener left, or while the consumer closes, which go back at the end. */
    private final Acks unwanted = new Acks();

    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean ended;
    private volatile boolean gone;
    /** Number of messages that are taken and held back for a batch. */
    private volatile int held;
    /** Whether any message was acknowledged. */
    private volatile boolean acknowledged;
    /** Whether the listener accepts no more messages. */
    private volatile boolean left;
    /** Whether the next poll acknowledges the messages held back for a full batch. */
    private volatile boolean due;
    /** What the server counts as delivered when this consumer has left; null if the server forgets it with this consumer. */
    private volatile @Nullable Remainder remainder;

    /**
     * @param acknowledges whether messages come from a stream, which waits for acknowledgements
     * @param fetch requests messages; null if they are pushed
     */
    NatsConsumer(
            NatsConnection owner, NatsLink link, Destination destination, ConsumerSettings settings, DeliveryListener listener,
            boolean acknowledges, @Nullable Fetch fetch) {
        this.owner = owner;
        this.link = link;
        this.destination = destination;
        this.listener = listener;
        this.acknowledges = acknowledges;
        this.settles = settings.settles();
        this.batch = settings.ackMode() == AckMode.AUTO ? 1 : Math.max(1, settings.batch());
        this.fetch = fetch;
        if (fetch != null || !settings.mayBlock()) {
            this.thread = null;
            return;
        }
        ConsumerThread<Item> own = new ConsumerThread<>("brokermeter-nats-consumer", acknowledges ? Integer.MAX_VALUE : MOST_MESSAGES, turn,
            () -> ended || gone, this::takeAside, link::flush);
        if (!acknowledges) {
            own.stopWaiting();
        }
        own.start();
        this.thread = own;
    }

    /**
     * Acknowledges an incomplete batch if the server delivers nothing before it receives acknowledgements: other consumers may hold back
     * the rest of the messages that all who share the limit may leave unacknowledged. To be called once; a thread of its own checks every
     * second.
     *
     * @param waits returns whether the server waits for acknowledgements
     */
    void releaseWhen(BooleanSupplier waits) {
        Thread.ofVirtual().name("nats-held-back").start(() -> watch(waits));
    }

    /** Sets what a close gives back after the server has no subscription of this consumer any more. */
    void leaves(Remainder counted) {
        remainder = counted;
    }

    private void watch(BooleanSupplier waits) {
        int before = 0;
        while (!ended && !gone) {
            LockSupport.parkNanos(QUIET_NANOS);
            int now = held;
            if (now > 0 && now == before && waits.getAsBoolean()) {
                due = true;
                if (fetch == null && turn.tryLock()) {
                    try {
                        release();
                    } finally {
                        turn.unlock();
                    }
                    link.flush();
                }
            }
            before = now;
        }
    }

    /** Acknowledges what is held back, if that is due. Call with {@code turn} held. */
    private void release() {
        if (due) {
            due = false;
            acknowledge();
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
        if (asking == null || ended || left || gone) {
            LockSupport.parkNanos(limit.toNanos());
            return;
        }
        turn.lock();
        try {
            if (!ended) {
                release();
                asking.fetch(limit, this::take, () -> ended || left || gone);
                settle();
                link.flush();
            }
        } catch (DriverException e) {
            if (!ended && !gone) {
                throw e;
            }
        } finally {
            turn.unlock();
        }
    }

    // ---- called by the reader thread

    /** Handles a message that arrived. */
    void message(NatsReader in) {
        Fetch asking = fetch;
        ConsumerThread<Item> own = thread;
        if (asking != null) {
            asking.arrived(Item.of(in));
        } else if (in.status() != 0) {
            return; // the server's own words about the subscription, such as the end of its consumer
        } else if (own != null) {
            hand(own, in);
        } else {
            if (!turn.isHeldByCurrentThread()) {
                turn.lock();
                link.touch(this);
            }
            take(in.envelope(), in.body(), in.buffer(), in.replyFrom(), in.replyTo());
        }
    }

    private void hand(ConsumerThread<Item> own, NatsReader in) {
        int size = in.length();
        if (acknowledges || waiting.get() + size <= MOST_BYTES) {
            waiting.addAndGet(size);
            if (own.hand(Item.of(in)) || acknowledges) {
                return;
            }
            waiting.addAndGet(-size);
        }
        owner.dropped();
    }

    @Override
    protected void endOfBatch() {
        if (turn.isHeldByCurrentThread()) {
            settle();
            turn.unlock();
        }
    }

    // ---- deliveries, with turn held

    /** Delivers a message that waited for the consumer's own thread. */
    private void takeAside(Item item) {
        waiting.addAndGet(-item.body().capacity());
        take(item);
        settle();
    }

    private void take(Item item) {
        take(item.envelope(), item.body(), item.reply(), 0, item.reply().capacity());
    }

    private void take(@Nullable ByteBuffer envelope, ByteBuffer body, ByteBuffer reply, int from, int to) {
        Settlement settlement = Settlement.LEAVE;
        if (!ended && !left) {
            boolean again = acknowledges && Acks.isAgain(reply, from, to);
            settlement = envelope == null ? listener.delivered(body, again) : listener.delivered(envelope, body, again);
            left = settlement == Settlement.LEAVE;
        }
        if (!acknowledges) {
            return;
        }
        if (settlement == Settlement.LEAVE) {
            // not at once: the server would deliver it to this consumer again
            unwanted.add(reply, from, to, Acks.GIVEN_BACK);
        } else if (settles && settlement != Settlement.ACCEPT) {
            acks.add(reply, from, to, settlement == Settlement.REQUEUE ? Acks.GIVEN_BACK : Acks.REFUSED);
        } else {
            acks.add(reply, from, to, Acks.TAKEN);
            if (batch > 1) {
                held = acks.count();
                if (held >= batch) {
                    acknowledge();
                }
            }
        }
    }

    /** Appends the acknowledgements that are not held back for a batch. */
    private void settle() {
        if (batch == 1) {
            acknowledge();
        } else {
            release();
        }
    }

    private void acknowledge() {
        held = 0;
        if (acks.count() > 0) {
            if (!acknowledged) {
                acknowledged = true;
            }
            acks.appendTo(link);
            if (link.isReader()) {
                link.owe();
            }
        }
    }

    // ---- the end

    @Override
    protected void ended(Throwable reason) {
        gone = true;
        Fetch asking = fetch;
        if (asking != null) {
            asking.wake();
        }
    }

    @Override
    public void close() throws IOException {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        ended = true;
        boolean lost = !link.isAlive();
        long limit = link.leftToCloseNanos();
        boolean idle = false;
        boolean told = false;
        try {
            Fetch asking = fetch;
            if (asking != null) {
                asking.wake();
            }
            if (thread != null) {
                thread.join(limit);
            }
            idle = turn.tryLock(thread == null ? limit : 0, TimeUnit.NANOSECONDS);
            if (idle) {
                try {
                    told = leave(asking);
                } finally {
                    turn.unlock();
                }
            } else {
                link.unsubscribe(this);
            }
            if (asking != null) {
                asking.leave();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        link.remove(this);
        Remainder counted = remainder;
        if (counted != null) {
            counted.left(told && idle);
        }
        if (acknowledges && !idle && !lost) {
            throw new IOException("The last delivery from " + destination + " did not end within "
                + TimeUnit.NANOSECONDS.toMillis(limit) + " ms, so neither it nor what came before it and was held back is acknowledged.");
        }
        // Each acknowledgement is written without waiting for an answer, so any of the last ones may be missing.
        if (acknowledges && acknowledged && !told && !lost && !link.isReader()) {
            throw new IOException("The NATS server did not say that it has the last acknowledgements; it may deliver those messages"
                + " again.");
        }
    }

    /**
     * Ends the subscription, acknowledges what was taken and gives back the rest. Returns whether the server said that it has all of that.
     * Call with {@code turn} held.
     */
    private boolean leave(@Nullable Fetch asking) throws InterruptedException {
        if (asking != null) {
            // back to the server only at the end, since the request that is still open would bring it again
            asking.close(this::take, link.leftToCloseNanos());
        }
        NatsLink.Ping ping = link.unsubscribe(this);
        // What arrives until the answer finds the consumer closed. The reader may need the turn for that.
        turn.unlock();
        try {
            link.awaitClosing(() -> ping.answered);
        } finally {
            turn.lock();
        }
        if (asking != null) {
            asking.close(this::take, 0);
        }
        ConsumerThread<Item> own = thread;
        for (Item item = own == null ? null : own.poll(); own != null && item != null; item = own.poll()) {
            take(item);
        }
        acknowledge();
        unwanted.appendTo(link);
        return link.hasAll();
    }
}
