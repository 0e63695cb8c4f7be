package io.brokermeter.engine.recording;

import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

import com.sun.management.ThreadMXBean;

/** Measures what the thread of a test allocates. */
public final class Allocation {

    private static final int LEAST_ROUNDS = 5;
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(120);

    private Allocation() {}

    /**
     * Repeats work until a round allocates less than {@code enough} bytes, for at most two minutes, and returns the number of bytes that
     * the last round allocated. Code that is not compiled yet allocates more, and on a busy machine it may be compiled late.
     */
    public static long onceCompiled(long enough, Runnable work) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        threads.getCurrentThreadAllocatedBytes();
        long until = System.nanoTime() + LONGEST;
        long allocated;
        int rounds = 0;
        do {
            long before = threads.getCurrentThreadAllocatedBytes();
            work.run();
            allocated = threads.getCurrentThreadAllocatedBytes() - before;
            rounds++;
        } while (rounds < LEAST_ROUNDS || allocated >= enough && System.nanoTime() - until < 0);
        return allocated;
    }
}
