package io.brokermeter.driver.kafka.fetch;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import io.brokermeter.driver.kafka.link.Greeting;
import io.brokermeter.driver.kafka.link.LeaderLink;
import io.brokermeter.driver.kafka.link.LeaderLinks;
import io.brokermeter.driver.kafka.link.Leaders;
import io.brokermeter.spi.failure.DriverException;
import io.brokermeter.spi.failure.Failure;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidMetadataException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * Fetches messages of partitions of one topic over brokermeter's own path. The threads of its connections fetch ahead, at most two answers of
 * each broker; the consumer's thread, one at a time, says what to fetch and takes the messages where they lie.
 */
public final class Fetcher {

    /** The longest answer in bytes. How long it really is follows from what the broker sends. */
    static final int LARGEST_ANSWER = Integer.MAX_VALUE - 64;

    /** Returned by {@link #receive} if every partition has its position. */
    public static final int NONE = -1;

    final ReentrantLock lock = new ReentrantLock();
    /** Guarded by the lock; changed by the consumer's thread only. */
    final List<FetchPlace> places = new ArrayList<>();

    private final FetchSettings settings;
    private final LeaderLinks<FetchLink> links;
    private final Condition arrived = lock.newCondition();
    private final Deque<FetchAnswer> answers = new ArrayDeque<>();
    /** Whether a partition may be without a connection; guarded by the lock. */
    private boolean mayLack;
    private boolean woken;
    private boolean ended;
    /** Why nothing can be received any more; null while something can. */
    private @Nullable Throwable failure;

    // used by the consumer's thread
    private final RecordWalk walk;
    private @Nullable FetchAnswer current;
    private long looked = System.nanoTime();

    private Fetcher(Leaders cluster, FetchSettings settings, String topic, int partitions) {
        this.settings = settings;
        this.walk = new RecordWalk(settings.checks());
        for (int i = 0; i < partitions; i++) {
            places.add(new FetchPlace(i));
        }
        this.links = new LeaderLinks<>(lock, cluster, settings.link(), topic, places, this::connected,
            () -> new Greeting(settings.link(), Map.of(ApiKeys.FETCH, FetchRequest.VERSION), LARGEST_ANSWER),
            (node, greeted) -> new FetchLink(node, this, settings, topic, greeted));
    }

    /**
     * Connects to the leaders of a topic's partitions. Blocks. Nothing is fetched before {@link #assign}.
     *
     * @param partitions number of the topic's partitions
     * @throws DriverException with one sentence for the user if a broker cannot be reached
     */
    public static Fetcher open(Leaders cluster, FetchSettings settings, String topic, int partitions) throws DriverException {
        Fetcher fetcher = new Fetcher(cluster, settings, topic, partitions);
        try {
            fetcher.links.open();
        } catch (DriverException | RuntimeException e) {
            fetcher.close();
            throw e;
        }
        return fetcher;
    }

    // ---- what is fetched; called by the consumer's thread

    /** Fetches partitions from these offsets on. What was fetched of them before and not taken is dropped. */
    public void assign(Map<Integer, Long> positions) {
        lock.lock();
        try {
            positions.forEach((partition, position) -> {
                while (places.size() <= partition) {
                    places.add(new FetchPlace(places.size()));
                }
                places.get(partition).assign(position);
            });
            mayLack = true;
            links.up().forEach(link -> link.askable.signal());
        } finally {
            lock.unlock();
        }
    }

    /** Fetches a partition no more. What was fetched of it and not taken is dropped. */
    public void revoke(int partition) {
        lock.lock();
        try {
            if (partition < places.size()) {
                places.get(partition).revoke();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the offset of the first message of an assigned partition that was not taken. */
    public long position(int partition) {
        return places.get(partition).position;
    }

    // ---- messages

    /**
     * Gives messages to a sink: those of one answer, as far as they have not been given. Called by the consumer's thread.
     *
     * @param limitNanos the longest time to wait for an answer; the wait also ends when connections change
     * @param most the most messages
     * @return a partition that has no message with the offset of its position and is to be assigned anew; {@link #NONE} if there is none
     * @throws KafkaException if a partition cannot be read
     */
    public int receive(long limitNanos, int most, FetchSink sink) {
        FetchAnswer answer = current == null ? await(limitNanos) : current;
        if (answer == null) {
            return NONE;
        }
        current = answer;
        int left = most;
        while (left > 0) {
            if (!walk.isOpen()) {
                FetchedPart part = answer.next();
                if (part == null) {
                    current = null;
                    free(answer);
                    return NONE;
                }
                if (part.turn != places.get(part.partition).turn) {
                    continue;
                }
                if (part.error == Errors.OFFSET_OUT_OF_RANGE.code()) {
                    return part.partition;
                }
                if (part.error != 0) {
                    throw unreadable(part);
                }
                walk.begin(answer, part);
            }
            FetchPlace place = places.get(walk.partition());
            if (walk.turn() != place.turn) {
                walk.end();
                continue;
            }
            int given;
            try {
                given = walk.walk(left, sink);
            } finally {
                place.position = walk.next();
            }
            sink.taken(place.partition, place.position, given);
            left = walk.isStopped() ? 0 : left - given;
        }
        return NONE;
    }

    private KafkaException unreadable(FetchedPart part) {
        Errors error = Errors.forCode(part.error);
        return error == Errors.MESSAGE_TOO_LARGE
            ? new KafkaException("the messages at offset " + part.position + " of partition " + part.partition
                + " are more than max.partition.fetch.bytes=" + settings.partitionBytes() + " allows")
            : new KafkaException("the broker gives no messages of partition " + part.partition + ": " + error.message(), error.exception());
    }

    /** Waits for an answer; null if none came. */
    private @Nullable FetchAnswer await(long limitNanos) {
        lock.lock();
        try {
            long now = System.nanoTime();
            lookAfterLinks(now);
            long until = now + limitNanos;
            if (mayLack && lacks()) {
                until = links.repair(now, until);
            }
            if (answers.isEmpty() && !woken && failure == null) {
                arrived.awaitNanos(until - now);
            }
            woken = false;
            FetchAnswer answer = answers.poll();
            if (answer == null && failure != null) {
                throw failure instanceof KafkaException known ? known : new KafkaException(Failure.words(failure), failure);
            }
            return answer;
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        } finally {
            lock.unlock();
        }
    }

    private boolean lacks() {
        for (FetchPlace each : places) {
            if (each.assigned && each.link == null) {
                return true;
            }
        }
        mayLack = false;
        return false;
    }

    private void lookAfterLinks(long now) {
        if (now - looked < LeaderLink.interval(settings.link())) {
            return;
        }
        looked = now;
        for (FetchLink link : links.up()) {
            link.look();
        }
    }

    private void free(FetchAnswer answer) {
        lock.lock();
        try {
            answer.link.free(answer);
        } finally {
            lock.unlock();
        }
    }

    /** Ends a wait of the consumer's thread. Any thread. */
    public void wakeUp() {
        lock.lock();
        try {
            woken = true;
            arrived.signal();
        } finally {
            lock.unlock();
        }
    }

    // ---- called by the connections

    /** Takes an answer that is not empty. Under the lock. */
    void arrived(FetchAnswer answer) {
        answers.add(answer);
        arrived.signal();
    }

    /** Returns whether a refusal passes by itself or by another leader, and lets the partition be asked for again then. Under the lock. */
    boolean passes(FetchLink by, FetchPlace place, Errors error) {
        Exception why = error.exception();
        if (why instanceof InvalidMetadataException) {
            if (place.link == by) {
                links.stale(place);
                mayLack = true;
                arrived.signal();
            }
            return true;
        }
        if (why instanceof RetriableException && error != Errors.CORRUPT_MESSAGE || error == Errors.UNKNOWN_SERVER_ERROR) {
            place.notBefore = System.nanoTime() + settings.link().retryNanos();
            return true;
        }
        return false;
    }

    /** Handles the end of a connection. */
    void broke(FetchLink link, Throwable cause) {
        lock.lock();
        try {
            boolean owed = link.isOwed();
            if (!link.end(cause instanceof Exception e ? e : new IOException(cause))) {
                return;
            }
            links.lost(link, owed && !ended);
            mayLack = true;
            boolean again =
                cause instanceof IOException || cause instanceof RetriableException && !(cause instanceof CorruptRecordException);
            if (!ended && !again) {
                failure = cause;
            }
            arrived.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Looks again at what can be asked for, and what lacks a connection. Under the lock. */
    private void connected() {
        mayLack = true;
        links.up().forEach(link -> link.askable.signal());
        arrived.signal();
    }

    // ---- ends

    /** Returns whether all connections ended since the last call. */
    public boolean takeClosed() {
        return links.takeClosed();
    }

    /** Returns whether there is a connection again since the last call, after all of them ended while an answer was owed. */
    public boolean takeBack() {
        return links.takeBack();
    }

    /** Closes all connections. Blocks for a moment only. */
    public void close() {
        List<FetchLink> open;
        lock.lock();
        try {
            ended = true;
            open = links.up();
            links.end(new DriverException("The consumer is closed.", null));
        } finally {
            lock.unlock();
        }
        open.forEach(FetchLink::join);
    }
}
