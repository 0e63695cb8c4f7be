package io.brokermeter.engine.health;

import java.util.Map;

/** Reads the counters of the calling thread from the kernel. */
public final class OwnThread {

    private OwnThread() {}

    /**
     * Returns the time for which the calling thread has run, or was ready to run and waited for a processor, since it was started, in
     * nanoseconds. For the rest of its life it waited for something else. Returns -1 if the kernel does not report this time. Takes
     * about 50 us.
     */
    public static long awakeNanos() {
        Map.Entry<Integer, Proc.Task> own = Proc.own();
        return own == null ? -1 : own.getValue().runNanos() + own.getValue().waitNanos();
    }
}
