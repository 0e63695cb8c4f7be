package io.brokermeter.engine.health;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

import io.brokermeter.proc.ProcText;
import org.jspecify.annotations.Nullable;

/** Reads what Linux reports in /proc about this process and its machine. Figures that it does not report are -1. */
final class Proc {

    /** The largest number of threads that are read; clients with a thread for each connection may have thousands. */
    private static final int MOST_TASKS = 1000;

    private Proc() {}

    /** Returns the user and system CPU time of this process so far, in seconds. */
    static double cpuSeconds() {
        try {
            return ProcText.stat(read("/proc/self/stat")).cpuSeconds();
        } catch (IOException | RuntimeException e) {
            return ProcessHandle.current().info().totalCpuDuration().map(d -> d.toNanos() / 1e9).orElse(-1.0);
        }
    }

    /** Returns the peak resident memory in bytes. */
    static long residentBytes() {
        return memory("VmHWM");
    }

    /** Returns the present resident memory in bytes. */
    static long residentBytesNow() {
        return memory("VmRSS");
    }

    private static long memory(String name) {
        try {
            return ProcText.kibibytes(read("/proc/self/status"), name);
        } catch (IOException e) {
            // Not Linux.
            return -1;
        }
    }

    /** Returns the counters of the machine's processors; null if unknown. */
    static ProcText.@Nullable Processors processors() {
        try {
            return ProcText.processors(read("/proc/stat"));
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    /**
     * The counters of a thread since it began.
     *
     * @param name name of the thread, as the kernel truncates it to 15 characters
     * @param runNanos time on a processor
     * @param waitNanos time ready to run and waiting for a processor
     * @param turns how often it got a processor
     */
    record Task(String name, long runNanos, long waitNanos, long turns) {
        static final Task NEW = new Task("", 0, 0, 0);
    }

    /**
     * The threads of this process at one moment.
     *
     * @param read threads by number; empty if the kernel does not report how they are scheduled
     * @param all whether these are all threads of the process
     */
    record Tasks(Map<Integer, Task> read, boolean all) {
        static final Tasks NONE = new Tasks(Map.of(), true);
    }

    /** Returns the threads of this process, at most the first {@value #MOST_TASKS}. Takes about 20 us for each thread. */
    static Tasks tasks() {
        Map<Integer, Task> tasks = new HashMap<>();
        byte[] buffer = new byte[128];
        String[] ids = new File("/proc/self/task").list();
        for (int i = 0; ids != null && i < Math.min(ids.length, MOST_TASKS); i++) {
            try {
                tasks.put(Integer.valueOf(ids[i]), task(ids[i], buffer));
            } catch (IOException | RuntimeException e) {
                // The thread has ended, or this kernel does not report it.
            }
        }
        return new Tasks(tasks, ids == null || ids.length <= MOST_TASKS);
    }

    /** Returns the calling thread with its number; null if the kernel does not report how it is scheduled. */
    static Map.@Nullable Entry<Integer, Task> own() {
        try {
            String link = Files.readSymbolicLink(Path.of("/proc/thread-self")).toString();
            String id = link.substring(link.lastIndexOf('/') + 1);
            return Map.entry(Integer.valueOf(id), task(id, new byte[128]));
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    private static Task task(String id, byte[] buffer) throws IOException {
        String directory = "/proc/self/task/" + id;
        String[] stat = read(directory + "/schedstat", buffer).split(" ");
        return new Task(read(directory + "/comm", buffer), Long.parseLong(stat[0]), Long.parseLong(stat[1]),
            Long.parseLong(stat[2]));
    }

    /** Returns the beginning of a small file, without leading and trailing blanks. */
    private static String read(String file, byte[] buffer) throws IOException {
        try (FileInputStream in = new FileInputStream(file)) {
            return new String(buffer, 0, Math.max(0, in.read(buffer)), StandardCharsets.US_ASCII).strip();
        }
    }

    /** Returns the clock source that the kernel uses, for example {@code tsc}; empty if unknown. */
    static String clockSource() {
        try {
            return read("/sys/devices/system/clocksource/clocksource0/current_clocksource").strip().toLowerCase(Locale.ROOT);
        } catch (IOException e) {
            return "";
        }
    }

    private static String read(String file) throws IOException {
        return ProcText.read(Path.of(file));
    }
}
