package io.brokermeter.driver.wire;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/** The thread of a connection that writes for threads that must not wait for a full socket; started when it is first needed. */
final class HelperThread {

    private final WireConnection connection;
    private final String name;
    private volatile @Nullable Thread thread;
    private volatile boolean over;

    HelperThread(WireConnection connection, String name) {
        this.connection = connection;
        this.name = name;
    }

    /** Wakes the thread, which writes the appended output. Does not block. */
    void wake() {
        if (thread == null) {
            connection.locked(() -> {
                if (thread == null && !over) {
                    thread = ConsumerThread.unstarted(name, this::write);
                    thread.start();
                }
            });
        }
        LockSupport.unpark(thread);
    }

    private void write() {
        while (!over) {
            connection.flush();
            LockSupport.parkNanos(this, TimeUnit.SECONDS.toNanos(60));
        }
    }

    /** Ends the thread after its write in progress, which ends when the wire is closed. */
    void end() {
        over = true;
        LockSupport.unpark(thread);
    }

    void join(long limitNanos) {
        ConsumerThread.join(thread, limitNanos);
    }
}
