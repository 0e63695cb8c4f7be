package io.brokermeter.driver.kafka.direct;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import io.brokermeter.driver.wire.TokenWindow;
import io.brokermeter.spi.AwakeDeadline;
import io.brokermeter.spi.Payload;
import io.brokermeter.spi.Producer;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.failure.DriverException;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;

/**
 * A producer without transactions over brokermeter's own path. The sending thread encodes each message into the open batch of its
 * partition, without an object or a lock, and writes full batches; a thread of the producer writes those whose time is up; the threads that
 * read answers write what waited for them.
 */
public final class DirectProducer implements Producer {

    /** The number of bytes that a record takes apart from its contents, at most. */
    private static final int MOST_OVERHEAD = 40;

    private final Owner owner;
    private final DirectSettings settings;
    private final Routes routes;
    private final Dispatch dispatch;
    private final TokenWindow window;
    private final PartitionSends[] partitions;
    private final AtomicBoolean closed = new AtomicBoolean();
    /** Why nothing can be sent any more; null while something can. */
    private volatile @Nullable DriverException over;

    // used by the sending thread
    /** The partition of messages without a key, and the number of bytes that went there since it was chosen. */
    private int sticky;
    private int stuck;
    /** The length of the record of the present message. */
    private int content;

    private DirectProducer(Owner owner, DirectSettings settings, Routes routes, Dispatch dispatch) {
        this.owner = owner;
        this.settings = settings;
        this.routes = routes;
        this.dispatch = dispatch;
        this.window = dispatch.window;
        this.partitions = dispatch.partitions;
    }

    /**
     * Creates a producer, connected to the leaders of the partitions that it sends to.
     *
     * @param maxPending expected maximum of unreported sends, a hint; 0 for no limit
     * @throws DriverException with one sentence for the user if a broker cannot be reached
     */
    public static DirectProducer open(Owner owner, DirectSettings settings, String topic, Routes routes, int maxPending,
            SendListener listener) throws DriverException {
        Dispatch dispatch = new Dispatch(owner, settings, topic, routes, maxPending, listener);
        try {
            dispatch.open();
        } catch (DriverException e) {
            dispatch.end();
            throw e;
        }
        DirectProducer producer = new DirectProducer(owner, settings, routes, dispatch);
        producer.sticky = producer.place();
        return producer;
    }

    // ---- sending

    @Override
    public void send(Payload payload, long token) throws Exception {
        DriverException gone = over;
        if (gone != null) {
            throw gone;
        }
        int key = routes.key(payload.variant(), token);
        int place = routes.partition(key, token);
        byte[] keyBytes = routes.keyAt(key);
        byte[] headers = routes.headersOf(payload.variant());
        byte[] envelope = payload.envelope();
        int length = payload.length();
        long timestamp = payload.sentMillis();
        PartitionSends to = partitions[place == Routes.ANY ? sticky : place];
        Batch batch = filling(to, keyBytes, length, headers, envelope, timestamp);
        if (batch == null && place == Routes.ANY && stick()) {
            to = partitions[sticky];
            batch = filling(to, keyBytes, length, headers, envelope, timestamp);
        }
        if (batch == null) {
            batch = fresh(to, keyBytes.length + length + headers.length + (envelope == null ? 0 : envelope.length), timestamp);
            content = batch.content(keyBytes, length, headers, envelope, timestamp);
        }
        batch.append(content, keyBytes, payload.bytes(), length, headers, envelope, timestamp, window.sent());
        window.add(token);
        batch.release();
        stuck += content;
        DriverException late = over;
        if (late != null) {
            window.giveUpAll(late);
        }
    }

    /** Returns the batch that is being filled, claimed and with room for a message; null if there is none. */
    private @Nullable Batch filling(PartitionSends to, byte[] key, int length, byte[] headers, byte @Nullable [] envelope,
            long timestamp) {
        Batch batch = to.open;
        if (batch == null || !batch.claim()) {
            return null;
        }
        content = batch.content(key, length, headers, envelope, timestamp);
        if (batch.hasRoom(content)) {
            return batch;
        }
        batch.close();
        full(to, batch);
        return null;
    }

    /** Leaves a full batch to be sent, and sends it if that is possible now. */
    private void full(PartitionSends to, Batch batch) {
        BrokerLink link;
        dispatch.lock.lock();
        try {
            to.full(batch);
            link = to.link;
            if (link == null) {
                dispatch.wake();
            }
        } finally {
            dispatch.lock.unlock();
        }
        if (link != null) {
            link.drain();
        }
    }

    /** Begins a batch, which is claimed. Blocks while there is no memory for it. */
    private Batch fresh(PartitionSends to, int contents, long timestamp) throws DriverException {
        int bytes = Batch.HEADER + MOST_OVERHEAD + contents;
        if (bytes > settings.maxRequest() || bytes > settings.bufferMemory()) {
            throw owner.notTaken(new RecordTooLargeException("a message of " + bytes + " bytes is more than "
                + (bytes > settings.maxRequest() ? "max.request.size=" + settings.maxRequest()
                    : "buffer.memory=" + settings.bufferMemory())
                + " allows"));
        }
        dispatch.lock.lock();
        try {
            Batch batch = dispatch.pool.take(bytes);
            if (batch == null) {
                batch = await(bytes);
            }
            long now = System.nanoTime();
            batch.begin(Math.max(settings.batchSize(), bytes), timestamp, now);
            to.open = batch;
            dispatch.begun(to, now);
            return batch;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw owner.notTaken(e);
        } finally {
            dispatch.lock.unlock();
        }
    }

    private Batch await(int bytes) throws DriverException, InterruptedException {
        AwakeDeadline deadline = new AwakeDeadline(settings.maxBlockNanos());
        while (true) {
            dispatch.wake();
            dispatch.room.awaitNanos(TimeUnit.MILLISECONDS.toNanos(50));
            DriverException gone = over;
            if (gone != null) {
                throw gone;
            }
            Batch batch = dispatch.pool.take(bytes);
            if (batch != null) {
                return batch;
            }
            if (deadline.isOver()) {
                throw owner.notTaken(new BufferExhaustedException("no room came within max.block.ms in the "
                    + settings.bufferMemory() + " bytes of buffer.memory"));
            }
        }
    }

    /** Lets messages without a key go to another partition if a batch's worth of bytes went to this one; returns whether they do. */
    private boolean stick() {
        if (stuck < settings.batchSize()) {
            return false;
        }
        stuck = 0;
        sticky = place();
        return true;
    }

    /** Chooses a partition at random, those the more often whose brokers keep up. */
    private int place() {
        dispatch.lock.lock();
        try {
            int longest = 0;
            for (PartitionSends each : partitions) {
                longest = Math.max(longest, each.backlog());
            }
            int all = 0;
            for (PartitionSends each : partitions) {
                all += each.link == null ? 0 : longest + 1 - each.backlog();
            }
            int drawn = all == 0 ? 0 : ThreadLocalRandom.current().nextInt(all);
            for (PartitionSends each : partitions) {
                drawn -= each.link == null ? 0 : longest + 1 - each.backlog();
                if (drawn < 0) {
                    return each.partition;
                }
            }
            return ThreadLocalRandom.current().nextInt(partitions.length);
        } finally {
            dispatch.lock.unlock();
        }
    }

    /** Without {@code linger.ms}, writes what was held back. */
    @Override
    public void flush() {
        if (settings.lingers()) {
            return;
        }
        for (PartitionSends each : partitions) {
            if (each.open != null) {
                BrokerLink link = each.link;
                if (link != null) {
                    link.drain();
                } else {
                    dispatch.locked(dispatch::wake);
                }
            }
        }
    }

    // ---- ends

    /** Handles the loss of the connection: nothing can be sent any more. Any thread. */
    public void lost(DriverException cause) {
        over = cause;
        dispatch.giveUp(true, _ -> cause);
        window.giveUpAll(cause);
        dispatch.end();
    }

    /** Returns whether all connections of this producer ended since the last call. */
    public boolean takeClosed() {
        return dispatch.links.takeClosed();
    }

    /** Returns whether this producer is connected again since the last call, after all its connections ended while an answer was owed. */
    public boolean takeBack() {
        return dispatch.links.takeBack();
    }

    @Override
    public String stallReason() {
        String known = owner.stallReason();
        return known.isEmpty() ? dispatch.links.trouble() : known;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            owner.close(this, this::close);
        }
    }

    private void close(Duration limit) {
        dispatch.closing();
        AwakeDeadline deadline = new AwakeDeadline(limit.toNanos());
        while (window.count() > 0 && over == null && !deadline.isOver()) {
            LockSupport.parkNanos(200_000);
        }
        dispatch.giveUp(true, batch -> new DriverException(batch.given ? "The producer was closed before the broker confirmed the message."
            : "The producer was closed before the message was sent.", batch.failure));
        dispatch.end();
        window.finish(new DriverException("The producer was closed before the broker confirmed the message.", null), false);
    }
}
