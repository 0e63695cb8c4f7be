package io.brokermeter.engine.health;

import java.util.List;
import java.util.Map;

/**
 * What the threads of this process did in a stretch of time, those of the JVM itself (compilers, collectors) left out.
 *
 * @param waiting how long threads that could run waited for a processor, all of them together, as a share of the time; -1 when
 *     the kernel does not report it
 * @param busiest the name of the thread that used most CPU time, as the kernel cuts it (15 characters); empty when unknown
 * @param busiestShare its CPU time as a share of the time, 1 for a whole processor; 0 when unknown
 */
record ThreadUse(double waiting, String busiest, double busiestShare) {

    static final ThreadUse UNKNOWN = new ThreadUse(-1, "", 0);

    /** How the kernel's names of sending threads begin. */
    static final String SENDER = "brokermeter-sen";

    /** Threads of HotSpot. What they wait for holds up no message by itself; what they use is in the CPU time of the process. */
    private static final List<String> JVM = List.of("C1 Compiler", "C2 Compiler", "VM ", "GC Thread", "G1 ", "Reference Handl",
        "Finalizer", "Signal Dispatch", "Service Thread", "Monitor Deflati", "Notification Th", "Common-Cleaner", "process reaper",
        "ZDriver", "ZWorker", "ZDirector", "ZStat", "Shenandoah", "brokermeter-hic",
        "brokermeter-pro");

    /**
     * What happened between two looks at {@link Proc#tasks}. A thread that is missing from the first has begun since, unless that has not all of
     * them: then nobody knows what of its counters is older, and nothing of it counts.
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
