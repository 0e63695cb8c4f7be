package io.brokermeter.driver.nats;

import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs what the client of one connection repeats, such as pings, with a delay behind each time where they ask for a fixed rate. After a
 * standstill of the process a fixed rate would send all pings of that time at once, and the client would take a connection for lost
 * whose server had no time to answer them. Each run has a virtual thread of its own, since a client that waits to write a ping must not
 * hold up what else it repeats.
 */
final class Repetition extends ScheduledThreadPoolExecutor {

    private static final ThreadFactory THREADS = Thread.ofVirtual().name("nats-repetition").factory();

    Repetition() {
        super(1, THREADS);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initialDelay, long period, TimeUnit unit) {
        return scheduleWithFixedDelay(command, initialDelay, period, unit);
    }

    @Override
    protected <V> RunnableScheduledFuture<V> decorateTask(Runnable runnable, RunnableScheduledFuture<V> task) {
        return new Task<>(task);
    }

    /** A task that is back in the queue only when its run has ended, so that there is one run of it at a time. */
    private final class Task<V> implements RunnableScheduledFuture<V> {

        private final RunnableScheduledFuture<V> task;

        Task(RunnableScheduledFuture<V> task) {
            this.task = task;
        }

        @Override
        public void run() {
            THREADS.newThread(task).start();
        }

        @Override
        public boolean cancel(boolean interrupt) {
            boolean cancelled = task.cancel(interrupt);
            remove(this);
            return cancelled;
        }

        @Override
        public boolean isPeriodic() {
            return task.isPeriodic();
        }

        @Override
        public boolean isCancelled() {
            return task.isCancelled();
        }

        @Override
        public boolean isDone() {
            return task.isDone();
        }

        @Override
        public V get() throws InterruptedException, ExecutionException {
            return task.get();
        }

        @Override
        public V get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
            return task.get(timeout, unit);
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return task.getDelay(unit);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }
}
