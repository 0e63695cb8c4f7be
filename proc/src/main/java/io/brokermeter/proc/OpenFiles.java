package io.brokermeter.proc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What Linux allows of open files and local ports. */
public final class OpenFiles {

    private OpenFiles() {}

    /** Returns the largest number of files that this process may have open; -1 if unknown. */
    public static long limit() {
        return limit(Path.of("/proc/self/limits"));
    }

    static long limit(Path limits) {
        try {
            return Files.readAllLines(limits).stream().filter(line -> line.startsWith("Max open files")).findFirst()
                .map(line -> line.substring("Max open files".length()).strip().split(" +")[0])
                .map(soft -> soft.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(soft)).orElse(-1L);
        } catch (IOException | NumberFormatException e) {
            return -1;
        }
    }

    /** Returns the number of ports that connections from one local address can have; -1 if unknown. */
    public static long localPorts() {
        return localPorts(Path.of("/proc/sys/net/ipv4/ip_local_port_range"));
    }

    static long localPorts(Path range) {
        try {
            String[] ends = Files.readString(range).strip().split("\\s+");
            return Long.parseLong(ends[1]) - Long.parseLong(ends[0]) + 1;
        } catch (IOException | RuntimeException e) {
            return -1;
        }
    }
}
