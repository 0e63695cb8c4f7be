package io.brokermeter.driver.loopback;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The time of a loopback broker and its ways to wait: those of the JVM, or those of a test that lets an hour pass in milliseconds. */
public interface LoopbackTime {

    /** The time of the JVM. */
    LoopbackTime SYSTEM = new LoopbackTime() {

        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public void park(long nanos) {
            LockSupport.parkNanos(nanos);
        }

        @Override
        public void unpark(Thread thread) {
            LockSupport.unpark(thread);
        }

        @Override
        public void await(Object monitor, long nanos) throws InterruptedException {
            TimeUnit.NANOSECONDS.timedWait(monitor, nanos);
        }

        @Override
        public void signal(Object monitor) {
            monitor.notifyAll();
        }

        @Override
        public Thread start(String name, boolean virtual, Runnable task) {
            return virtual ? Thread.ofVirtual().name(name).start(task) : Thread.ofPlatform().daemon().name(name).start(task);
        }
    };

    /** Nanoseconds since some moment. */
    long nanos();

    /** As {@link LockSupport#parkNanos(long)}. */
    void park(long nanos);

    /** As {@link LockSupport#unpark}. */
    void unpark(Thread thread);

    /** As {@link Object#wait(long)}; the caller holds the monitor. */
    void await(Object monitor, long nanos) throws InterruptedException;

    /** As {@link Object#notifyAll}; the caller holds the monitor. */
    void signal(Object monitor);

    /** Starts a daemon thread, a virtual one where {@code virtual}. */
    Thread start(String name, boolean virtual, Runnable task);
}
