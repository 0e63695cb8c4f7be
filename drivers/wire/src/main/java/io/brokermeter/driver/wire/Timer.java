package io.brokermeter.driver.wire;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.brokermeter.spi.AwakeDeadline;

/** Runs tasks at given times, all on one thread, which ends a second after the last use. Tasks must not block. */
public final class Timer {

    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(50);
    private static final ScheduledThreadPoolExecutor EXECUTOR = executor();

    private Timer() {}

    private static ScheduledThreadPoolExecutor executor() {
        // In the topmost thread group, since the thread would keep the group of its first user alive.
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null) {
            group = group.getParent();
        }
        var executor = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().group(group).daemon().name("brokermeter-wire-timer").factory());
        executor.setRemoveOnCancelPolicy(true);
        executor.setKeepAliveTime(1, TimeUnit.SECONDS);
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /** Runs a task once, {@code nanos} from now. */
    public static ScheduledFuture<?> after(long nanos, Runnable task) {
        return EXECUTOR.schedule(task, Math.max(0, nanos), TimeUnit.NANOSECONDS);
    }

    /** Runs a task once, {@code nanos} from now. A standstill of this process uses up little of that time. */
    static void afterAwake(long nanos, Runnable task) {
        after(new AwakeDeadline(nanos), task);
    }

    private static void after(AwakeDeadline deadline, Runnable task) {
        long left = deadline.left();
        if (left <= 0) {
            task.run();
        } else {
            after(Math.min(left, LOOK), () -> after(deadline, task));
        }
    }

    /** Runs a task repeatedly, each time {@code nanos} after the previous execution has ended. */
    public static ScheduledFuture<?> every(long nanos, Runnable task) {
        return EXECUTOR.scheduleWithFixedDelay(task, nanos, nanos, TimeUnit.NANOSECONDS);
    }
}
