package io.brokermeter.network;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** What one thread does at the request of others, each of which waits until it is done. One that was not begun in time is void. */
final class ThreadCommands {

    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final Duration limit;
    private volatile boolean ended;

    /** @param limit how long somebody waits for the thread to take a command */
    ThreadCommands(Duration limit) {
        this.limit = limit;
    }

    /**
     * Asks for something. Any thread but the one that takes.
     *
     * @param wake tells the thread that takes to look
     * @return false when that thread did not take it in time, and never will, or has ended; true when it is done, or when this one is interrupted
     */
    boolean ask(Runnable command, Runnable wake) {
        CountDownLatch done = new CountDownLatch(1);
        Runnable asked = () -> {
            command.run();
            done.countDown();
        };
        waiting.add(asked);
        wake.run();
        try {
            while (!done.await(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                if (waiting.remove(asked) || ended) {
                    return false;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return true;
    }

    /** Does what was asked for. One thread. */
    void take() {
        for (Runnable command = waiting.poll(); command != null; command = waiting.poll()) {
            command.run();
        }
    }

    /** Nothing is taken any more. */
    void end() {
        ended = true;
    }
}
