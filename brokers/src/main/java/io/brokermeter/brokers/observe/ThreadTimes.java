package io.brokermeter.brokers.observe;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import io.brokermeter.proc.ProcText;

/**
 * The CPU time of the threads of processes at a moment. Taken at the beginning and at the end of the measured part only: it reads a file for each
 * thread.
 *
 * @param nanos the moment
 * @param pids the processes
 * @param threads the threads by process and id
 */
record ThreadTimes(long nanos, Set<Long> pids, Map<String, Time> threads) {

    /**
     * The CPU time of a thread since it began.
     *
     * @param name its name, at most the first 15 bytes
     * @param waited the time for which it was ready to run, without a processor, in seconds; 0 where the kernel does not tell
     */
    record Time(long pid, String name, double seconds, double waited) {}

    /**
     * A thread that was busy.
     *
     * @param percent its use of a processor, 100 for all of the time
     */
    record Busy(String name, double percent) {}

    /** Reads the threads of processes; those that are gone have none. */
    static ThreadTimes of(List<Long> pids) {
        Map<String, Time> threads = new HashMap<>();
        for (long pid : pids) {
            Path tasks = Path.of("/proc", Long.toString(pid), "task");
            String[] ids = tasks.toFile().list();
            for (String id : ids == null ? new String[0] : ids) {
                try {
                    ProcText.Stat stat = ProcText.stat(ProcText.read(tasks.resolve(id).resolve("stat")));
                    threads.put(pid + "/" + id, new Time(pid, stat.name(), stat.cpuSeconds(), waited(tasks.resolve(id))));
                } catch (IOException | RuntimeException e) {
                    // The thread has ended meanwhile.
                }
            }
        }
        return new ThreadTimes(System.nanoTime(), Set.copyOf(pids), threads);
    }

    private static double waited(Path task) {
        try {
            return Long.parseLong(ProcText.read(task.resolve("schedstat")).split(" ")[1]) / 1e9;
        } catch (IOException | RuntimeException e) {
            // The kernel keeps no such statistics, or the thread has ended meanwhile.
            return 0;
        }
    }

    /**
     * Returns for how long all threads together were ready to run since an earlier moment, without a processor, in percent of the time; NaN
     * without any.
     */
    double waitingPercent(ThreadTimes before) {
        return since(before).mapToDouble(thread -> {
            Time earlier = before.threads.get(thread.getKey());
            return thread.getValue().waited() - (earlier == null ? 0 : earlier.waited());
        }).reduce(Double::sum).orElse(Double.NaN) / (nanos - before.nanos) * 1e11;
    }

    /** Returns the threads of processes that were known at an earlier moment. */
    private Stream<Map.Entry<String, Time>> since(ThreadTimes before) {
        return threads.entrySet().stream().filter(thread -> before.pids.contains(thread.getValue().pid()));
    }

    /** Returns the busiest thread since an earlier moment, among processes that were known then; empty without any. */
    Optional<Busy> busiest(ThreadTimes before) {
        double seconds = (nanos - before.nanos) / 1e9;
        return since(before).map(thread -> {
            Time earlier = before.threads.get(thread.getKey());
            double used = thread.getValue().seconds() - (earlier == null ? 0 : earlier.seconds());
            return new Busy(thread.getValue().name(), Math.min(100, 100 * used / seconds));
        }).max(Comparator.comparingDouble(Busy::percent));
    }
}
