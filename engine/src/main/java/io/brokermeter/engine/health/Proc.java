package io.brokermeter.engine.health;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** What Linux tells in /proc about this process and its machine; -1 for what it does not tell. */
final class Proc {

    /** USER_HZ: /proc counts in hundredths of a second on every architecture Java runs on. */
    private static final double TICKS_PER_SECOND = 100;

    private Proc() {}

    /** User and system CPU time of this process so far, in seconds. */
    static double cpuSeconds() {
        try {
            String stat = read("/proc/self/stat");
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
        } catch (IOException | RuntimeException e) {
            return ProcessHandle.current().info().totalCpuDuration().map(d -> d.toNanos() / 1e9).orElse(-1.0);
        }
    }

    /** Peak resident memory in bytes. */
    static long residentBytes() {
        try {
            for (String line : read("/proc/self/status").split("\n")) {
                if (line.startsWith("VmHWM:")) {
                    return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
                }
            }
        } catch (IOException | RuntimeException e) {
            // Not Linux.
        }
        return -1;
    }

    /** Times of all processors together, in ticks: {total, idle, steal}; null when unknown. */
    static long @org.jspecify.annotations.Nullable [] processors() {
        try {
            String[] fields = read("/proc/stat").lines().findFirst().orElse("").trim().split(" +");
            if (!fields[0].equals("cpu")) {
                return null;
            }
            long total = 0;
            for (int i = 1; i < Math.min(fields.length, 9); i++) {
                total += Long.parseLong(fields[i]);
            }
            return new long[] {total, Long.parseLong(fields[4]) + Long.parseLong(fields[5]), Long.parseLong(fields[8])};
        } catch (IOException | RuntimeException e) {
            return null;
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
        return Files.readString(Path.of(file), StandardCharsets.US_ASCII);
    }
}
