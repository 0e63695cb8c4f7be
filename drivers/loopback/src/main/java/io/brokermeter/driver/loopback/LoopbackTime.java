package io.brokermeter.driver.loopback;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The clock of a loopback broker and its ways to wait: those of the JVM, or those of a test in which an hour passes within milliseconds.
 */
public interface LoopbackTime {

    /** The clock of the JVM. */
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

    /** Returns the nanoseconds since a fixed but arbitrary moment. */
    long nanos();

    /** Parks the current thread like {@link LockSupport#parkNanos(long)}. */
    void park(long nanos);

    /** Unparks a thread like {@link LockSupport#unpark}. */
    void unpark(Thread thread);

    /** Waits on a monitor like {@link Object#wait(long)}, but in nanoseconds; the caller holds the monitor. */
    void await(Object monitor, long nanos) throws InterruptedException;

    /** Wakes all waiting threads like {@link Object#notifyAll}; the caller holds the monitor. */
    void signal(Object monitor);

    /** Starts a daemon thread, a virtual one if {@code virtual}. */
    Thread start(String name, boolean virtual, Runnable task);
}
