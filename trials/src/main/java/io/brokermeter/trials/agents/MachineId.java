package io.brokermeter.trials.agents;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Identifies this machine by its monotonic clock. */
final class MachineId {

    /** The property that replaces the id, for tests that have one machine and want several. */
    private static final String PRETENDED = "brokermeter.machine";

    private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
    private static final Path TIME = Path.of("/proc/self/ns/time");

    private MachineId() {}

    /** Returns an id that is the same for processes that read the same monotonic clock; empty where the system provides none. */
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
