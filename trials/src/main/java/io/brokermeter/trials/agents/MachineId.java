package io.brokermeter.trials.agents;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Which machine this is, so far as its clock goes. */
final class MachineId {

    /** For tests that have one machine and want several. */
    private static final String PRETENDED = "brokermeter.machine";

    private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
    private static final Path TIME = Path.of("/proc/self/ns/time");

    private MachineId() {}

    /** The same for processes that read the same monotonic clock; empty where the system does not say. */
    static String id() {
        String pretended = System.getProperty(PRETENDED);
        if (pretended != null) {
            return pretended;
        }
        try {
            return Files.readString(BOOT).strip() + " " + (Files.exists(TIME) ? Files.readSymbolicLink(TIME) : "");
        } catch (IOException e) {
            return "";
        }
    }
}
