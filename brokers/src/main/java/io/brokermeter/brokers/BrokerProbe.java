package io.brokermeter.brokers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * CPU time and memory of a process from {@code /proc} (proc_pid_stat(5), proc_pid_status(5)); nothing on systems without
 * it. Each reading opens one small file; safe for use by several threads.
 */
public final class BrokerProbe {

    // USER_HZ is 100 on every architecture that a JDK 25 runs on; /proc counts in it whatever the kernel's own HZ.
    private static final long NANOS_PER_TICK = 10_000_000;
    private static final int USER_TIME = 11;
    private static final int SYSTEM_TIME = 12;

    private final Path stat;
    private final Path status;

    private BrokerProbe(Path process) {
        stat = process.resolve("stat");
        status = process.resolve("status");
    }

    public static BrokerProbe of(long pid) {
        return new BrokerProbe(Path.of("/proc", Long.toString(pid)));
    }

    /** User and system time since the start of the process, in ns, to 10 ms; empty when the process is gone. */
    public OptionalLong cpuNanos() {
        try {
            String line = Files.readString(stat);
            // The second field is the command in parentheses, and may itself contain blanks and parentheses.
            String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", SYSTEM_TIME + 2);
            return OptionalLong.of(
                (Long.parseLong(fields[USER_TIME]) + Long.parseLong(fields[SYSTEM_TIME])) * NANOS_PER_TICK);
        } catch (IOException | RuntimeException e) {
            return OptionalLong.empty();
        }
    }

    /** Memory of the process that is in RAM, in bytes; empty when the process is gone. */
    public OptionalLong residentBytes() {
        return statusBytes("VmRSS:");
    }

    /** The greatest value that {@link #residentBytes()} ever had; empty when the process is gone. */
    public OptionalLong peakResidentBytes() {
        return statusBytes("VmHWM:");
    }

    private OptionalLong statusBytes(String key) {
        try {
            for (String line : Files.readAllLines(status)) {
                if (line.startsWith(key)) {
                    String kibibytes = line.substring(key.length()).replace("kB", "").trim();
                    return OptionalLong.of(Long.parseLong(kibibytes) * 1024);
                }
            }
        } catch (IOException | RuntimeException e) {
            // the process is gone, or there is no such file on this system
        }
        return OptionalLong.empty();
    }
}
