package io.brokermeter.engine.health;

import java.util.List;
import java.util.Map;

/**
 * The use of processors by the threads of this process over a span of time, without those of the JVM itself (compilers, collectors).
 *
 * @param waiting time for which threads that were ready to run waited for a processor, summed over all threads, as a share of the
 *     span; -1 if the kernel does not report it
 * @param busiest name of the thread that used most CPU time, as the kernel truncates it to 15 characters; empty if unknown
 * @param busiestShare CPU time of that thread as a share of the span, 1 for a whole processor; 0 if unknown
 * @param ready share of the span for which the thread that was ready to run for the longest time ran, or waited for a processor; 0 if
 *     unknown
 * @param readyWaiting the part of that share for which it waited
 * @param turnSeconds mean time that a sending thread waited for a processor each time it got one, plus that of the other threads, which
 *     read and confirm: what a message waits, in the mean, for the threads on its way; 0 if unknown
 * @param watcherWaiting share of the span for which the thread that watches for stalls waited for a processor: that part of the stalls is
 *     no stop of the process; -1 if unknown
 */
record ThreadUse(
        double waiting, String busiest, double busiestShare, double ready, double readyWaiting, double turnSeconds,
        double watcherWaiting) {

    static final ThreadUse UNKNOWN = new ThreadUse(-1, "", 0, 0, 0, 0, -1);

    /** The beginning of the name of the thread that watches for stalls, as the kernel truncates it. */
    private static final String WATCHER = "brokermeter-hic";

    /** The beginning of the names of sending threads, as the kernel truncates them. */
    static final String SENDER = "brokermeter-sen";

    /** Names of threads of HotSpot and of the health monitor. Their waits delay no message; their CPU time counts for the process. */
    private static final List<String> JVM = List.of("C1 Compiler", "C2 Compiler", "VM ", "GC Thread", "G1 ", "Reference Handl",
        "Finalizer", "Signal Dispatch", "Service Thread", "Monitor Deflati", "Notification Th", "Common-Cleaner", "process reaper",
        "ZDriver", "ZWorker", "ZDirector", "ZStat", "Shenandoah", WATCHER, "brokermeter-pro");

    /**
     * Returns the use between two results of {@link Proc#tasks}. A thread that is missing from the first one has begun since, unless
     * the first one does not contain all threads; then it is unknown how much of the thread's counters is older, and it is left out.
     */
    static ThreadUse between(Proc.Tasks before, Proc.Tasks after, double seconds) {
        if (after.read().isEmpty() || seconds <= 0) {
            return UNKNOWN;
        }
        long waited = 0;
        long most = 0;
        int busiest = 0;
        long ready = 0;
        long readyWaited = 0;
        Turns senders = new Turns();
        Turns others = new Turns();
        double watcher = -1;
        for (Map.Entry<Integer, Proc.Task> e : after.read().entrySet()) {
            Proc.Task was = before.all() ? before.read().getOrDefault(e.getKey(), Proc.Task.NEW) : before.read().get(e.getKey());
            Proc.Task now = e.getValue();
            if (was != null && now.name().startsWith(WATCHER)) {
                watcher = Math.max(0, now.waitNanos() - was.waitNanos()) / 1e9 / seconds;
            }
            if (was == null || JVM.stream().anyMatch(now.name()::startsWith)) {
                continue;
            }
            long wait = Math.max(0, now.waitNanos() - was.waitNanos());
            waited += wait;
            (now.name().startsWith(SENDER) ? senders : others).add(wait, now.turns() - was.turns());
            long ran = now.runNanos() - was.runNanos();
            if (ran > most) {
                most = ran;
                busiest = e.getKey();
            }
            if (ran + wait > ready) {
                ready = ran + wait;
                readyWaited = wait;
            }
        }
        Proc.Task task = after.read().getOrDefault(busiest, Proc.Task.NEW);
        return new ThreadUse(waited / 1e9 / seconds, task.name(), most / 1e9 / seconds, ready / 1e9 / seconds,
            readyWaited / 1e9 / seconds, senders.meanSeconds() + others.meanSeconds(), watcher);
    }

    /** The waits of some threads and their number. */
    private static final class Turns {

        private long waited;
        private long count;

        void add(long wait, long turns) {
            waited += wait;
            count += Math.max(0, turns);
        }

        double meanSeconds() {
            return count == 0 ? 0 : waited / 1e9 / count;
        }
    }
}
