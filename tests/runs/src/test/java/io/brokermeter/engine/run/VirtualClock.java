package io.brokermeter.engine.run;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.brokermeter.driver.loopback.LoopbackTime;
import io.brokermeter.engine.pacing.Clock;
import io.brokermeter.engine.pacing.EpochClock;
import org.jspecify.annotations.Nullable;

/**
 * A clock whose time passes only while all threads of a run wait: it then jumps to the earliest time that one of them waits for. So a
 * minute of a run takes milliseconds, and what is due at a time happens at that time, however slow the machine is. Each reading takes a
 * tenth of a microsecond, so that a thread that never waits ends as well.
 *
 * <p>The clock counts the threads that {@link #start} has started, and those that have called it or waited. A loopback broker with the
 * time of {@link #broker} uses this clock as well.
 */
public final class VirtualClock extends Clock implements AutoCloseable {

    private static final long READING = 100;
    /** How often a closed clock looks at threads that its run has left behind, ten times a second. */
    private static final int LOOKS_WHEN_CLOSED = 300;
    /**
     * The latest end of a closed clock. The next clock begins there, so that runs that follow each other on one broker have increasing
     * times.
     */
    private static final AtomicLong LATEST = new AtomicLong();

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final Map<Thread, Participant> participants = new LinkedHashMap<>();
    private final long begin = Math.max(EpochClock.nanos(), LATEST.get());
    private long now = begin;
    private long earliest = Long.MAX_VALUE;
    /** The number of threads of {@link #start} that have not ended. */
    private int started;
    private volatile boolean closed;
    /** The time that is added to each timed wait, and the time until which it is added, both in nanoseconds. */
    private long oversleep;
    private long oversleepUntil;

    /** A thread of the run. All fields but the thread are written under the lock of the clock. */
    private static final class Participant {

        final Thread thread;
        volatile boolean waiting;
        boolean permit;
        long deadline;
        /** The monitor that the thread waits on; null if it waits on none. */
        @Nullable Object monitor;
        /** The thread whose end this one waits for; null if it waits for none. */
        @Nullable Thread joined;

        Participant(Thread thread) {
            this.thread = thread;
        }
    }

    /** Returns the nanoseconds since this clock was created. */
    synchronized long elapsed() {
        return now - begin;
    }

    /** Makes every timed wait longer by a time, until {@code untilMillis} milliseconds have passed. */
    synchronized void oversleep(Duration by, long untilMillis) {
        oversleep = by.toNanos();
        oversleepUntil = now + untilMillis * 1_000_000;
    }

    /** Runs a task on a separate thread when {@code millis} milliseconds have passed. */
    void after(long millis, Runnable task) {
        long due = elapsed() + millis * 1_000_000;
        start("after-" + millis, () -> {
            long left;
            while ((left = due - elapsed()) > 0 && !closed) {
                park(left);
            }
            if (!closed) {
                task.run();
            }
        });
    }

    @Override
    public synchronized long nanos() {
        now += READING;
        if (now >= earliest) {
            wakeDue();
        }
        return now;
    }

    private synchronized Participant me() {
        return participants.computeIfAbsent(Thread.currentThread(), Participant::new);
    }

    @Override
    public void park(long nanos) {
        if (nanos > 0) {
            park(me(), nanos, null);
        }
    }

    private void park(Participant me, long nanos, @Nullable Thread joined) {
        synchronized (this) {
            if (me.permit) {
                me.permit = false;
                return;
            }
            if (joined != null && !participants.containsKey(joined)) {
                return;
            }
            me.joined = joined;
            begin(me, nanos, null);
        }
        while (me.waiting) {
            if (Thread.currentThread().isInterrupted()) {
                synchronized (this) {
                    me.waiting = false;
                }
            } else {
                LockSupport.park(this);
            }
        }
    }

    /** Marks the calling thread as waiting. Called under the lock of the clock. */
    private void begin(Participant me, long nanos, @Nullable Object monitor) {
        long length = nanos > Long.MAX_VALUE - now ? Long.MAX_VALUE - now : nanos;
        me.deadline = now + length + (now < oversleepUntil && length < Long.MAX_VALUE / 2 ? oversleep : 0);
        me.monitor = monitor;
        me.waiting = true;
        earliest = Math.min(earliest, me.deadline);
        if (participants.values().stream().allMatch(p -> p.waiting)) {
            jump();
        }
    }

    private void jump() {
        long next = participants.values().stream().filter(p -> p.waiting).mapToLong(p -> p.deadline).min().orElse(Long.MAX_VALUE);
        if (next != Long.MAX_VALUE) {
            now = Math.max(now, next);
            wakeDue();
        }
    }

    private void wakeDue() {
        long left = Long.MAX_VALUE;
        for (Participant p : participants.values()) {
            if (p.waiting && p.deadline <= now) {
                wake(p);
            } else if (p.waiting) {
                left = Math.min(left, p.deadline);
            }
        }
        earliest = left;
    }

    private static void wake(Participant p) {
        p.waiting = false;
        LockSupport.unpark(p.thread);
    }

    @Override
    public synchronized void unpark(@Nullable Thread thread) {
        Participant p = thread == null ? null : participants.get(thread);
        if (p == null) {
            return;
        }
        if (p.waiting && p.monitor == null) {
            wake(p);
        } else {
            p.permit = true;
        }
    }

    @Override
    public Thread start(String name, Runnable task) {
        me();
        Thread thread = Thread.ofPlatform().daemon().name(name).unstarted(() -> {
            try {
                task.run();
            } finally {
                leave();
            }
        });
        synchronized (this) {
            participants.put(thread, new Participant(thread));
            if (started++ == 0) {
                Thread.ofPlatform().daemon().name("virtual-clock").start(this::watchBlockedThreads);
            }
        }
        thread.start();
        return thread;
    }

    private synchronized void leave() {
        participants.remove(Thread.currentThread());
        started--;
        participants.values().stream().filter(p -> p.waiting && p.joined == Thread.currentThread()).forEach(VirtualClock::wake);
        if (participants.values().stream().allMatch(p -> p.waiting)) {
            jump();
        }
    }

    @Override
    public void join(Thread thread, long nanos) {
        long end = nanos() + nanos;
        while (isParticipant(thread) && !Thread.currentThread().isInterrupted()) {
            long left = end - nanos();
            if (left <= 0) {
                return;
            }
            park(me(), left, thread);
        }
        try {
            thread.join(1_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized boolean isParticipant(Thread thread) {
        return participants.containsKey(thread);
    }

    /**
     * Advances the time while threads are blocked by locks whose owners wait, for example a consumer that processes a message. Goes on for
     * a while when the clock is closed, for a test that then closes connections of its own, but not for as long as a thread that is left
     * behind waits: that may be for ever.
     */
    private void watchBlockedThreads() {
        int left = LOOKS_WHEN_CLOSED;
        while (left > 0) {
            LockSupport.parkNanos(closed ? 100_000_000 : 500_000);
            if (closed) {
                left--;
            }
            synchronized (this) {
                if (started == 0) {
                    return;
                }
                if (participants.values().stream().anyMatch(p -> !p.waiting)
                    && participants.values().stream().allMatch(p -> p.waiting || isBlockedByOneThatWaits(p.thread))) {
                    jump();
                }
            }
        }
    }

    private boolean isBlockedByOneThatWaits(Thread thread) {
        if (thread.getState() != Thread.State.BLOCKED) {
            return false;
        }
        ThreadInfo info = threads.getThreadInfo(thread.threadId());
        return info != null && participants.values().stream()
            .anyMatch(p -> p.waiting && p.monitor == null && p.thread.threadId() == info.getLockOwnerId());
    }

    /** Returns the time for a loopback broker. */
    LoopbackTime broker() {
        return new LoopbackTime() {

            @Override
            public long nanos() {
                return VirtualClock.this.nanos();
            }

            @Override
            public void park(long nanos) {
                VirtualClock.this.park(nanos);
            }

            @Override
            public void unpark(Thread thread) {
                VirtualClock.this.unpark(thread);
            }

            @Override
            public void await(Object monitor, long nanos) throws InterruptedException {
                Participant me = me();
                synchronized (VirtualClock.this) {
                    begin(me, nanos, monitor);
                }
                while (me.waiting) {
                    // Polled, since the clock does not notify monitors: it must not wait for them.
                    monitor.wait(1);
                }
            }

            @Override
            public void signal(Object monitor) {
                synchronized (VirtualClock.this) {
                    participants.values().stream().filter(p -> p.monitor == monitor).forEach(VirtualClock::wake);
                }
                monitor.notifyAll();
            }

            @Override
            public Thread start(String name, boolean virtual, Runnable task) {
                return VirtualClock.this.start(name, task);
            }
        };
    }

    /** Closes the clock, and ends every wait. */
    @Override
    public synchronized void close() {
        closed = true;
        LATEST.accumulateAndGet(now, Math::max);
        participants.values().forEach(VirtualClock::wake);
    }
}
