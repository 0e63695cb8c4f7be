package io.brokermeter.driver.wire;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/** The lock of a connection, which guards its appended output and the state of its protocol. */
public abstract class ConnectionLock {

    public final ReentrantLock lock = new ReentrantLock();
    /** Signalled when something changed that a thread may wait for. */
    public final Condition changed = lock.newCondition();

    /**
     * An action under the lock with a result.
     *
     * @param <T> type of the result
     * @param <E> type of the exception that the action throws
     */
    public interface Locked<T extends @Nullable Object, E extends Exception> {

        T run() throws E;
    }

    /**
     * An action under the lock without a result.
     *
     * @param <E> type of the exception that the action throws
     */
    public interface LockedAction<E extends Exception> {

        void run() throws E;
    }

    /** Runs an action under the {@link #lock} and returns its result. Not meant to be called for each message. */
    public final <T extends @Nullable Object, E extends Exception> T locked(Locked<T, E> work) throws E {
        lock.lock();
        try {
            return work.run();
        } finally {
            lock.unlock();
        }
    }

    /** Runs an action under the {@link #lock}. Not meant to be called for each message. */
    public final <E extends Exception> void locked(LockedAction<E> work) throws E {
        lock.lock();
        try {
            work.run();
        } finally {
            lock.unlock();
        }
    }

    /** Wakes the threads that wait for a change that was made without the lock. */
    public final void signal() {
        locked(changed::signalAll);
    }
}
