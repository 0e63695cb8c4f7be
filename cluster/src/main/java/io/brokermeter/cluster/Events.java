package io.brokermeter.cluster;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The calls to a {@link ClusterListener}, made in order by a thread of their own. The listener may take its time: adding an event does not
 * block.
 *
 * <p>All methods may be called by any thread.
 */
final class Events {

    /** The greatest number of different refusals that are reported, since strangers could provoke any number of them. */
    private static final int MOST_REFUSALS = 1_000;

    private final ClusterListener listener;
    private final BlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
    private final ReceiveBudget budget = new ReceiveBudget();
    private final Set<String> refusals = new HashSet<>();
    private final Thread thread;
    private volatile boolean ended;

    Events(ClusterListener listener) {
        this.listener = listener;
        thread = Thread.ofPlatform().daemon().name("cluster events").unstarted(this::call);
    }

    /** Returns the bounds of messages that wait; whoever adds a message has awaited room for it. */
    ReceiveBudget budget() {
        return budget;
    }

    void start() {
        thread.start();
    }

    void joined(Member member) {
        queue.add(() -> listener.joined(member));
    }

    void left(Member member, Departure why) {
        queue.add(() -> listener.left(member, why));
    }

    /**
     * Adds a message.
     *
     * @param taken called by the listener's thread when the listener has returned
     */
    void message(Member from, String text, Runnable taken) {
        queue.add(() -> {
            try {
                listener.message(from, text);
            } finally {
                taken.run();
            }
        });
    }

    /**
     * Adds a refusal, unless one with the same key was added before.
     *
     * @param key identifies equal refusals; see {@link #forget}
     */
    void refused(String key, PeerRefusal refusal) {
        synchronized (refusals) {
            if (!ended && refusals.size() < MOST_REFUSALS && refusals.add(key)) {
                queue.add(() -> listener.refused(refusal));
            }
        }
    }

    /** Forgets the refusals whose keys begin with {@code prefix}, so that they are reported again. */
    void forget(String prefix) {
        synchronized (refusals) {
            refusals.removeIf(key -> key.startsWith(prefix));
        }
    }

    /** Stops the calls to the listener; a call that has begun goes on. Does not wait. */
    void end() {
        ended = true;
    }

    /**
     * Ends the thread and waits, for {@code millis} at most, until the listener's last call has returned, unless this is called by the
     * listener.
     */
    void awaitEnd(long millis) {
        end();
        thread.interrupt();
        try {
            if (Thread.currentThread() != thread) {
                thread.join(millis);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void call() {
        try {
            while (true) {
                Runnable next = queue.take();
                if (ended || Thread.currentThread().isInterrupted()) {
                    return;
                }
                try {
                    next.run();
                } catch (RuntimeException e) {
                    thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
                }
            }
        } catch (InterruptedException e) {
            // closed
            return;
        }
    }
}
