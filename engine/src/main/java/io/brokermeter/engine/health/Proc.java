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

/** What Linux reports in /proc about this process and its machine; -1 for what it does not report. */
final class Proc {

    /** Clients with a thread for each connection may have thousands of them. */
    private static final int MOST_TASKS = 1000;

    private Proc() {}

    /** User and system CPU time of this process so far, in seconds. */
    static double cpuSeconds() {
        try {
            return ProcText.stat(read("/proc/self/stat")).cpuSeconds();
        } catch (IOException | RuntimeException e) {
            return ProcessHandle.current().info().totalCpuDuration().map(d -> d.toNanos() / 1e9).orElse(-1.0);
        }
    }

    /** Peak resident memory in bytes. */
    static long residentBytes() {
        return memory("VmHWM");
    }

    /** Resident memory in bytes, as it is now. */
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

    /** Null when unknown. */
    static ProcText.@Nullable Processors processors() {
        try {
            return ProcText.processors(read("/proc/stat"));
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    /**
     * What a thread did since it began.
     *
     * @param name its name as the kernel cuts it: 15 characters
     * @param runNanos on a processor
     * @param waitNanos ready to run, and waiting for one
     */
    record Task(String name, long runNanos, long waitNanos) {
        static final Task NEW = new Task("", 0, 0);
    }

    /**
     * Threads of this process at one moment.
     *
     * @param read by number; empty when the kernel does not report how they are scheduled
     * @param all whether there were no others
     */
    record Tasks(Map<Integer, Task> read, boolean all) {
        static final Tasks NONE = new Tasks(Map.of(), true);
    }

    /** The threads of this process, the first {@value #MOST_TASKS} of them. Takes about 20 us a thread. */
    static Tasks tasks() {
        Map<Integer, Task> tasks = new HashMap<>();
        byte[] buffer = new byte[128];
        String[] ids = new File("/proc/self/task").list();
        for (int i = 0; ids != null && i < Math.min(ids.length, MOST_TASKS); i++) {
            try {
                tasks.put(Integer.valueOf(ids[i]), task(ids[i], buffer));
            } catch (IOException | RuntimeException e) {
                // It has ended, or this kernel does not report it.
            }
        }
        return new Tasks(tasks, ids == null || ids.length <= MOST_TASKS);
    }

    /** The calling thread, with its number; null when the kernel does not report how it is scheduled. */
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
        return new Task(read(directory + "/comm", buffer), Long.parseLong(stat[0]), Long.parseLong(stat[1]));
    }

    /** The beginning of a small file, without the blanks at its end. */
    private static String read(String file, byte[] buffer) throws IOException {
        try (FileInputStream in = new FileInputStream(file)) {
            return new String(buffer, 0, Math.max(0, in.read(buffer)), StandardCharsets.US_ASCII).strip();
        }
    }

    /** The clock that the kernel uses, for example {@code tsc}; empty when unknown. */
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
