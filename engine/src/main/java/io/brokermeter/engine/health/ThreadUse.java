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
 */
record ThreadUse(double waiting, String busiest, double busiestShare) {

    static final ThreadUse UNKNOWN = new ThreadUse(-1, "", 0);

    /** The beginning of the names of sending threads, as the kernel truncates them. */
    static final String SENDER = "brokermeter-sen";

    /** Names of threads of HotSpot and of the health monitor. Their waits delay no message; their CPU time counts for the process. */
    private static final List<String> JVM = List.of("C1 Compiler", "C2 Compiler", "VM ", "GC Thread", "G1 ", "Reference Handl",
        "Finalizer", "Signal Dispatch", "Service Thread", "Monitor Deflati", "Notification Th", "Common-Cleaner", "process reaper",
        "ZDriver", "ZWorker", "ZDirector", "ZStat", "Shenandoah", "brokermeter-hic",
        "brokermeter-pro");

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
        for (Map.Entry<Integer, Proc.Task> e : after.read().entrySet()) {
            Proc.Task was = before.all() ? before.read().getOrDefault(e.getKey(), Proc.Task.NEW) : before.read().get(e.getKey());
            if (was == null || JVM.stream().anyMatch(e.getValue().name()::startsWith)) {
                continue;
            }
            waited += Math.max(0, e.getValue().waitNanos() - was.waitNanos());
            long ran = e.getValue().runNanos() - was.runNanos();
            if (ran > most) {
                most = ran;
                busiest = e.getKey();
            }
        }
        Proc.Task task = after.read().getOrDefault(busiest, Proc.Task.NEW);
        return new ThreadUse(waited / 1e9 / seconds, task.name(), most / 1e9 / seconds);
    }
}
