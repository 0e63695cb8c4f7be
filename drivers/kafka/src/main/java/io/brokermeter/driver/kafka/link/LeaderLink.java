package io.brokermeter.driver.kafka.link;

import java.util.concurrent.TimeUnit;

import io.brokermeter.driver.wire.ConsumerThread;
import io.brokermeter.driver.wire.Wire;
import org.apache.kafka.common.errors.DisconnectException;
import org.jspecify.annotations.Nullable;

/** A connection to one broker, with a thread of its own that reads the answers. */
public abstract class LeaderLink {

    private static final long END_LIMIT = TimeUnit.SECONDS.toNanos(1);
    /** The number of looks in the time of {@code request.timeout.ms}. */
    private static final int LOOKS = 10;
    private static final int NONE = -1;

    private final int node;
    protected final Wire wire;
    private volatile @Nullable Thread thread;
    /** Guarded by the lock of the producer or consumer. */
    private boolean up = true;

    // used by the thread that looks
    private int oldest = NONE;
    private int looks;

    protected LeaderLink(int node, Wire wire) {
        this.node = node;
        this.wire = wire;
    }

    /** Returns the number of the broker's node. */
    final int node() {
        return node;
    }

    /** Begins to work. */
    final void start() {
        thread = ConsumerThread.unstarted("brokermeter-kafka-link", this::work);
        thread.start();
    }

    /** Reads until the connection ends. */
    protected abstract void work();

    /** Returns whether the connection has not ended. Under the lock. */
    public final boolean isUp() {
        return up;
    }

    /** Returns whether an answer is awaited. Under the lock. */
    public abstract boolean isOwed();

    /** Closes the socket. Under the lock; returns false if that was done before. */
    public final boolean end(Exception cause) {
        if (!up) {
            return false;
        }
        up = false;
        wire.close();
        ended(cause);
        return true;
    }

    /** Makes what is unanswered fail. Under the lock. */
    protected abstract void ended(Exception cause);

    /** Waits for a moment until the thread has ended. */
    public final void join() {
        Thread started = thread;
        if (started != null) {
            ConsumerThread.join(started, END_LIMIT);
        }
    }

    /** Returns the time between two calls of {@link #late} in nanoseconds. */
    public static long interval(LinkSettings settings) {
        return settings.requestNanos() / LOOKS;
    }

    /**
     * Looks whether the broker has left a request unanswered for too long. One thread at a time.
     *
     * @param number the number of the oldest request, from 0; null if nothing is unanswered
     * @return why the connection is to end; null if it is not
     */
    protected final @Nullable DisconnectException late(@Nullable Integer number) {
        int seen = number == null ? NONE : number;
        if (seen == NONE || seen != oldest) {
            oldest = seen;
            looks = 0;
            return null;
        }
        return ++looks < LOOKS ? null : new DisconnectException("The broker did not answer for the time of request.timeout.ms.");
    }
}
