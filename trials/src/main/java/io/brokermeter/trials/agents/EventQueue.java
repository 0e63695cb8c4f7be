package io.brokermeter.trials.agents;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * The events that the thread of a {@link DistributedRun} has still to handle, in the order in which they came. Messages of agents are held back while
 * much of earlier ones waits: at the end of a run, files of all agents come as fast as the network gives them, and are written by one
 * thread. Thread-safe.
 */
final class EventQueue {

    /** The most characters of messages that wait; a single message always may. */
    static final int MOST = 16 << 20;

    private final BlockingQueue<Runnable> events = new LinkedBlockingQueue<>();
    private final Semaphore room = new Semaphore(MOST);
    private volatile boolean closed;

    /** Adds an event, without waiting. */
    void add(Runnable event) {
        events.add(event);
    }

    /**
     * Adds a message. Blocks until there is room for it; does nothing once the queue is closed.
     *
     * @param length number of its characters
     * @param handling handles the message
     */
    void add(int length, Runnable handling) {
        int taken = Math.min(length, MOST);
        try {
            room.acquire(taken);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        if (closed) {
            room.release(taken);
            return;
        }
        events.add(() -> {
            try {
                handling.run();
            } finally {
                room.release(taken);
            }
        });
    }

    /** Removes and returns the next event; null when none comes within {@code millis}. */
    @Nullable Runnable poll(long millis) throws InterruptedException {
        return events.poll(millis, TimeUnit.MILLISECONDS);
    }

    /** Lets nobody wait any more, since nobody handles anything any more. */
    void close() {
        closed = true;
        room.release(MOST);
    }
}
