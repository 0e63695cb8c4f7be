package io.brokermeter.engine.recording;

import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

import com.sun.management.ThreadMXBean;

/** What the thread of a test allocates. */
public final class Allocation {

    private static final int LEAST_ROUNDS = 5;
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(30);

    private Allocation() {}

    /**
     * Does work again and again until it allocates less than {@code enough} bytes, for half a minute at most, and returns what the last
     * round allocated. The first rounds allocate what is not compiled yet, and on a busy machine the compiler may be late.
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
