package io.brokermeter.network;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A queue of commands that one thread runs for others, which wait until they are done. A command that it does not take in time is void. */
final class ThreadCommands {

    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final Duration limit;
    private volatile boolean ended;

    /** @param limit the longest wait for the thread to take a command */
    ThreadCommands(Duration limit) {
        this.limit = limit;
    }

    /**
     * Adds a command, and waits until it is done. Any thread may call it but the one that runs the commands.
     *
     * @param wake wakes the thread that runs the commands
     * @return true when the command is done, or when the calling thread is interrupted; false when the command was not taken in time, and
     *     never will be, or when the thread that runs commands has ended
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

    /** Runs all waiting commands. Called by one thread. */
    void take() {
        for (Runnable command = waiting.poll(); command != null; command = waiting.poll()) {
            command.run();
        }
    }

    /** Declares that no more commands will be taken. */
    void end() {
        ended = true;
    }
}
