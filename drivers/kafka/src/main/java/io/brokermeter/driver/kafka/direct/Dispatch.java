package io.brokermeter.driver.kafka.direct;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;

import io.brokermeter.driver.kafka.link.Greeting;
import io.brokermeter.driver.kafka.link.LeaderLink;
import io.brokermeter.driver.kafka.link.LeaderLinks;
import io.brokermeter.driver.wire.ConsumerThread;
import io.brokermeter.driver.wire.Timer;
import io.brokermeter.driver.wire.TokenWindow;
import io.brokermeter.spi.AwakeDeadline;
import io.brokermeter.spi.SendListener;
import io.brokermeter.spi.failure.DriverException;
import org.apache.kafka.common.errors.InvalidMetadataException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a producer's batches: which are due, and what the brokers answer. A thread of its own, the pump, writes batches whose time
 * is up, and lets connect where a connection is missing.
 */
final class Dispatch {

    private static final long END_LIMIT = TimeUnit.SECONDS.toNanos(1);
    /** The time to the next try in nanoseconds, if the sending thread was adding to a batch whose time was up. */
    private static final long AGAIN = 500_000;
    private static final long FAR = TimeUnit.HOURS.toNanos(1);

    final ReentrantLock lock = new ReentrantLock();
    /** Signalled when memory for batches is free again. */
    final Condition room = lock.newCondition();
    final TokenWindow window;
    final BatchPool pool;
    final PartitionSends[] partitions;
    final LeaderLinks<BrokerLink> links;

    private final Owner owner;
    private final DirectSettings settings;
    private final Thread pump = ConsumerThread.unstarted("brokermeter-kafka-linger", this::pump);
    private @Nullable ScheduledFuture<?> ticks;
    /** The {@link System#nanoTime()} until which the pump sleeps; guarded by the lock. */
    long pumpUntil = System.nanoTime() + FAR;
    /** Why a broker refused the producer an identity; null while it did not. */
    private volatile @Nullable Exception refusal;
    private volatile boolean closing;
    private volatile boolean ended;

    Dispatch(Owner owner, DirectSettings settings, String topic, Routes routes, int maxPending, SendListener listener) {
        this.owner = owner;
        this.settings = settings;
        this.window = new TokenWindow(listener, maxPending);
        byte[] beginning = ProduceRequest.beginning(settings.link().clientId(), settings.acks(),
            (int) TimeUnit.NANOSECONDS.toMillis(settings.link().requestNanos()), topic);
        this.pool = new BatchPool(ProduceRequest.head(beginning), settings.batchSize(), settings.bufferMemory());
        this.partitions = new PartitionSends[routes.count()];
        long now = System.nanoTime();
        for (int i = 0; i < partitions.length; i++) {
            partitions[i] = new PartitionSends(i, routes.uses(i), settings, now);
        }
        Map<ApiKeys, Short> needed = settings.idempotent()
            ? Map.of(ApiKeys.PRODUCE, ProduceRequest.VERSION, ApiKeys.INIT_PRODUCER_ID, BrokerLink.INIT_PRODUCER_ID)
            : Map.of(ApiKeys.PRODUCE, ProduceRequest.VERSION);
        this.links = new LeaderLinks<>(lock, owner, settings.link(), topic, List.of(partitions), this::wake,
            () -> new Greeting(settings.link(), needed, BrokerLink.LARGEST_ANSWER),
            (node, greeted) -> new BrokerLink(node, this, settings, beginning, greeted));
    }

    /** Connects, and begins to look after the batches. Blocks until the producer has its identity. */
    void open() throws DriverException {
        links.open();
        pump.start();
        lock.lock();
        try {
            AwakeDeadline deadline = new AwakeDeadline(settings.link().connectTimeout().toNanos());
            while (partitions[0].needsIdentity() && refusal == null) {
                if (deadline.isOver()) {
                    throw new DriverException("The broker did not give the producer an identity within "
                        + settings.link().connectTimeout().toMillis() / 1e3 + " s.", null);
                }
                room.awaitNanos(TimeUnit.MILLISECONDS.toNanos(50));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DriverException("The wait for the producer's identity was interrupted.", e);
        } finally {
            lock.unlock();
        }
        Exception refused = refusal;
        if (refused != null) {
            throw owner.sendFailure(refused);
        }
        ticks = Timer.every(Math.max(1_000_000, LeaderLink.interval(settings.link())), this::look);
    }

    <T extends @Nullable Object> T locked(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    /** Makes sure that the pump looks when the time of a batch that begins now is up, unless an answer, whose reader does, comes first. */
    void begun(PartitionSends to, long now) {
        BrokerLink link = to.link;
        if (settings.lingers() && pumpUntil - (now + settings.lingerNanos()) > 0 && (link == null || !link.isFull())) {
            wake();
        }
    }

    /** Lets nothing wait for more messages from now on. */
    void closing() {
        closing = true;
        locked(this::wake);
    }

    // ---- the pump

    /** Wakes the pump. Under the lock. */
    @Nullable Void wake() {
        pumpUntil = System.nanoTime();
        LockSupport.unpark(pump);
        return null;
    }

    private void pump() {
        while (!ended) {
            for (BrokerLink link : links.up()) {
                link.drain();
            }
            LockSupport.parkNanos(this, untilDue());
        }
    }

    /** Returns the time in nanoseconds until something is to be done, and begins to connect where a connection is missing. */
    long untilDue() {
        lock.lock();
        try {
            if (ended) {
                return AGAIN; // whoever ended may have woken this thread while it waited for the lock, not below
            }
            long now = System.nanoTime();
            long due = now + FAR;
            boolean missing = false;
            for (PartitionSends each : partitions) {
                BrokerLink link = each.link;
                if (link == null) {
                    missing |= each.hasMore();
                    continue;
                }
                long time = each.due(now, due, closing);
                // what is due already waits for an answer, whose reader sends it
                due = time - now <= 0 && link.isFull() ? due : time;
            }
            if (missing) {
                due = links.repair(now, due);
            }
            pumpUntil = due;
            return Math.max(AGAIN, due - now);
        } finally {
            lock.unlock();
        }
    }

    // ---- called by the links

    /**
     * Returns the next request of a connection, null if there is none at the moment.
     *
     * @param last the request that was written before; null for none
     */
    @Nullable ProduceRequest next(BrokerLink link, @Nullable ProduceRequest last) {
        ProduceRequest next;
        lock.lock();
        try {
            long now = System.nanoTime();
            for (int i = 0; last != null && i < last.count(); i++) {
                Batch batch = last.batch(i);
                batch.writing = false;
                if (settings.acks() == 0 && last.settle(i)) {
                    last.partition(i).stored(batch);
                    last.stored = true;
                }
            }
            next = link.choose(partitions, now, closing);
            if (next == null && !link.isFull()) {
                wakeInTime(link, now);
            }
        } finally {
            lock.unlock();
        }
        if (last != null) {
            finish(link, last);
        }
        return next;
    }

    /** Lets the pump look when the time of a batch is up: it did not ask for that as long as the connection was full. Under the lock. */
    private void wakeInTime(BrokerLink link, long now) {
        for (PartitionSends each : partitions) {
            // what is due by now and was not taken is a batch to which the sending thread is adding
            long due = each.link == link ? each.due(now, now + FAR, closing) : now + FAR;
            if (pumpUntil - due > 0) {
                wake();
            }
        }
    }

    /** Frees what a written request needs no more. */
    private void finish(BrokerLink link, ProduceRequest last) {
        if (last.stored) {
            for (int i = 0; i < last.count(); i++) {
                confirm(last.batch(i));
            }
            window.report();
        }
        lock.lock();
        try {
            for (int i = 0; i < last.count(); i++) {
                last.batch(i).over |= last.stored;
                free(last.batch(i));
                if (last.partition(i).settle(System.nanoTime(), pool)) {
                    wake();
                }
            }
            link.written(last);
        } finally {
            lock.unlock();
        }
    }

    private void free(Batch batch) {
        if (batch.over && !batch.writing) {
            batch.over = false;
            pool.release(batch);
            if (pool.hasRoom()) {
                room.signal();
            }
        }
    }

    private void confirm(Batch batch) {
        int count = batch.count();
        if (batch.isRun()) {
            window.confirm(batch.number(0), batch.number(count - 1));
        } else {
            for (int i = 0; i < count; i++) {
                window.confirm(batch.number(i));
            }
        }
    }

    /** Reports the messages of a batch as failed, or their fate as unknown. */
    private void tell(Batch batch, DriverException cause, boolean unknown) {
        for (int i = 0; i < batch.count(); i++) {
            long number = batch.number(i);
            if (unknown) {
                window.giveUp(number, cause);
            } else {
                window.refuse(number, number, cause);
            }
        }
    }

    /** Reports the confirmed messages. */
    void report() {
        window.report();
    }

    /** Handles what a broker said of a batch; returns false if the batch did not wait for that any more. */
    boolean answered(ProduceRequest request, int index, short code, String message) {
        PartitionSends to = request.partition(index);
        Batch batch = request.batch(index);
        Errors error = Errors.forCode(code);
        boolean stored = error == Errors.NONE || error == Errors.DUPLICATE_SEQUENCE_NUMBER;
        Exception failure = stored ? null : message.isEmpty() ? error.exception() : error.exception(message);
        boolean again = false;
        lock.lock();
        try {
            if (!request.settle(index)) {
                return false;
            }
            if (failure == null) {
                to.stored(batch);
            } else {
                again = again(to, batch, error, failure);
            }
        } finally {
            lock.unlock();
        }
        if (failure == null) {
            confirm(batch);
        } else if (!again) {
            tell(batch, owner.sendFailure(failure), owner.leavesUnknown(failure));
        }
        lock.lock();
        try {
            if (!again) {
                batch.over = true;
                free(batch);
            }
            if (to.settle(System.nanoTime(), pool) || failure != null) {
                wake();
            }
        } finally {
            lock.unlock();
        }
        return true;
    }

    /** Decides whether a batch that was refused is sent again. Under the lock. */
    private boolean again(PartitionSends to, Batch batch, Errors error, Exception failure) {
        boolean outOfSequence = error == Errors.OUT_OF_ORDER_SEQUENCE_NUMBER;
        boolean unknown = error == Errors.UNKNOWN_PRODUCER_ID || error == Errors.INVALID_PRODUCER_EPOCH
            || outOfSequence && to.isFirst(batch);
        if (failure instanceof InvalidMetadataException) {
            links.stale(to);
        }
        if (batch.expired || batch.attempts > settings.retries()
            || !(failure instanceof RetriableException) && !(settings.idempotent() && (unknown || outOfSequence))) {
            to.dropped(batch, owner.leavesUnknown(failure));
            return false;
        }
        if (unknown) {
            to.unknown(batch, failure);
        } else {
            to.failed(batch, failure);
        }
        return true;
    }

    /** Handles the answer to the question for an identity. */
    void identified(Errors error, long id, short epoch) {
        lock.lock();
        try {
            long now = System.nanoTime();
            for (PartitionSends each : partitions) {
                if (error == Errors.NONE) {
                    each.identify(id, epoch);
                } else {
                    each.pause(now);
                }
            }
            room.signalAll();
            if (error != Errors.NONE) {
                wake();
            }
        } finally {
            lock.unlock();
        }
        if (error != Errors.NONE && !(error.exception() instanceof RetriableException)) {
            refusal = error.exception();
            giveUp(true, _ -> owner.sendFailure(error.exception()));
        }
    }

    /** Handles the end of a connection. */
    void broke(BrokerLink link, Exception cause) {
        lock.lock();
        try {
            boolean owed = link.isOwed() && settings.acks() != 0;
            if (!link.end(cause)) {
                return;
            }
            links.lost(link, owed && !ended);
            long now = System.nanoTime();
            for (PartitionSends each : partitions) {
                for (Batch batch = each.spent(); batch != null; batch = each.spent()) {
                    tell(batch, owner.sendFailure(cause), true);
                }
                each.settle(now, pool);
            }
            wake();
        } finally {
            lock.unlock();
        }
    }

    // ---- ends

    /** Called by the timer: looks whether answers come, and gives up what waits for too long. */
    private void look() {
        for (BrokerLink link : links.up()) {
            link.look();
        }
        giveUp(false, batch -> owner.sendFailure(new TimeoutException("delivery.timeout.ms is over"
            + (batch.failure == null ? "" : ", after " + batch.failure.getMessage()))));
    }

    /**
     * Reports messages whose time is over: those that were given to a broker as unknown, the others as failed.
     *
     * @param all whether the time of all is over
     */
    void giveUp(boolean all, Function<Batch, DriverException> cause) {
        for (PartitionSends each : partitions) {
            lock.lock();
            try {
                long now = System.nanoTime();
                Batch batch = each.unanswered(now, all);
                for (; batch != null; batch = each.unanswered(now, all)) {
                    tell(batch, cause.apply(batch), true);
                }
                for (batch = each.overdue(now, all); batch != null; batch = each.overdue(now, all)) {
                    tell(batch, cause.apply(batch), batch.given);
                    each.dropped(batch, batch.given);
                    batch.over = true;
                    free(batch);
                }
                if (each.settle(now, pool)) {
                    wake();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** Closes all connections, and returns when nothing is reported any more. */
    void end() {
        ended = true;
        ScheduledFuture<?> started = ticks;
        if (started != null) {
            started.cancel(false);
        }
        List<BrokerLink> open = links.up();
        locked(() -> {
            links.end(new DriverException("The producer is closed.", null));
            return wake();
        });
        for (BrokerLink link : open) {
            link.join();
        }
        if (pump.isAlive()) {
            ConsumerThread.join(pump, END_LIMIT);
        }
    }
}
