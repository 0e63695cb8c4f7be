package io.brokermeter.engine.health;

import java.util.Map;

/** What the kernel reports of the calling thread. */
public final class OwnThread {

    private OwnThread() {}

    /**
     * How long the calling thread has run or, ready to run, waited for a processor since it was started: nanoseconds; what is left of its life it
     * waited for something else. -1 when the kernel does not report it. Takes about 50 us.
     */
    public static long awakeNanos() {
        Map.Entry<Integer, Proc.Task> own = Proc.own();
        return own == null ? -1 : own.getValue().runNanos() + own.getValue().waitNanos();
    }
}
