package io.brokermeter.brokers.observe;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongPredicate;

import io.brokermeter.proc.ProcText;
import org.jspecify.annotations.Nullable;

/** A process in {@code /proc}. Another process that is given the same id later is not mistaken for it. Used by one thread. */
final class ObservedProcess {

    private final long pid;
    private final Path directory;
    private volatile String name;
    private final long startTicks;
    /** The number of context switches of each thread in the last reading; the kernel counts them only by thread. */
    private Map<String, long[]> switchesByThread = new HashMap<>();
    private long voluntary;
    private long involuntary;
    private long parent;
    private double waitedSeconds;

    private ObservedProcess(long pid, Path directory, ProcText.Stat stat) {
        this.pid = pid;
        this.directory = directory;
        this.name = stat.name();
        this.startTicks = stat.startTicks();
    }

    /** Returns the process with an id; null when there is none (or no {@code /proc}). */
    static @Nullable ObservedProcess of(long pid) {
        Path directory = Path.of("/proc", Long.toString(pid));
        try {
            ProcText.Stat stat = ProcText.stat(ProcText.read(directory.resolve("stat")));
            return stat.ended() ? null : new ObservedProcess(pid, directory, stat);
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    long pid() {
        return pid;
    }

    /** Returns the time at which the process began, by {@link #ticksNow}. */
    long beganTicks() {
        return startTicks;
    }

    /**
     * Returns the time since the machine was started, in hundredths of a second; 0 where it is not known, as if every process had begun
     * later.
     */
    static long ticksNow() {
        try {
            return ProcText.upTicks(ProcText.read(Path.of("/proc/uptime")));
        } catch (IOException | RuntimeException e) {
            return 0;
        }
    }

    /** Returns the name of the program. */
    String name() {
        return name;
    }

    /** Returns the id of the parent, as of the last reading. */
    long parent() {
        return parent;
    }

    /**
     * Returns the CPU time of ended children that the process has waited for, and of their children, in seconds, as of the last reading.
     * The CPU time of the process excludes it, while its disk reads and writes include those of these children.
     */
    double waitedSeconds() {
        return waitedSeconds;
    }

    /**
     * Reads a few small files, one of them for each thread; returns null when the process is gone. If the process is a copy of its parent
     * and the parent is counted as well, memory that it shares with other processes is not counted: Redis saves its data from a copy of
     * itself.
     *
     * @param isCounted tests whether the process with an id is read and added to this one
     */
    @Nullable Reading read(LongPredicate isCounted) {
        try {
            ProcText.Stat stat = ProcText.stat(ProcText.read(directory.resolve("stat")));
            if (stat.ended() || stat.startTicks() != startTicks) {
                return null;
            }
            parent = stat.parent();
            waitedSeconds = stat.waitedSeconds();
            // A shell that starts a program is replaced by it.
            name = stat.name();
            long now = System.nanoTime();
            long resident = isCounted.test(parent) && isCopyOfItsParent() ? ownBytes() : -1;
            resident = resident >= 0 ? resident : ProcText.kibibytes(ProcText.read(directory.resolve("status")), "VmRSS");
            String io = readIfAllowed("io");
            countSwitches();
            String[] files = new File(directory.toFile(), "fd").list();
            return new Reading(now).set(ProcessFigure.CPU_SECONDS, stat.cpuSeconds()).set(ProcessFigure.RESIDENT_BYTES, resident)
                .set(ProcessFigure.THREADS, stat.threads()).set(ProcessFigure.OPEN_FILES, files == null ? -1 : files.length)
                .set(ProcessFigure.DISK_READ_BYTES, ProcText.number(io, "read_bytes"))
                .set(ProcessFigure.DISK_WRITTEN_BYTES, ProcText.number(io, "write_bytes"))
                .set(ProcessFigure.VOLUNTARY_SWITCHES, voluntary).set(ProcessFigure.INVOLUNTARY_SWITCHES, involuntary);
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    private boolean isCopyOfItsParent() {
        try {
            return Files.readSymbolicLink(directory.resolve("exe"))
                .equals(Files.readSymbolicLink(directory.resolveSibling(Long.toString(parent)).resolve("exe")));
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns the resident memory that no other process shares, in bytes; -1 when this user may not read it. */
    private long ownBytes() {
        String pages = readIfAllowed("smaps_rollup");
        long clean = ProcText.kibibytes(pages, "Private_Clean");
        long dirty = ProcText.kibibytes(pages, "Private_Dirty");
        return clean < 0 || dirty < 0 ? -1 : clean + dirty;
    }

    /** Returns the content of {@code /proc/PID/status}; empty when the process is gone. */
    String status() {
        return readIfAllowed("status");
    }

    /** Returns the arguments, each followed by a NUL; empty when they cannot be read. */
    String commandLine() {
        return readIfAllowed("cmdline");
    }

    /** Returns whether the process has mapped a library with a name; null when this user may not read that. */
    @Nullable Boolean hasMapped(String library) {
        String maps = readIfAllowed("maps");
        return maps.isEmpty() ? null : maps.contains("/" + library);
    }

    /** Adds the context switches since the last reading. The last switches of a thread that ends between two readings are lost. */
    private void countSwitches() {
        String[] threads = new File(directory.toFile(), "task").list();
        if (threads == null) {
            return;
        }
        Map<String, long[]> now = HashMap.newHashMap(threads.length);
        for (String thread : threads) {
            String status = readIfAllowed("task/" + thread + "/status");
            long[] counts = {ProcText.number(status, "voluntary_ctxt_switches"),
                ProcText.number(status, "nonvoluntary_ctxt_switches")};
            if (counts[0] < 0 || counts[1] < 0) {
                continue;
            }
            long[] before = switchesByThread.getOrDefault(thread, new long[2]);
            // A smaller count belongs to a new thread with the id of an old one.
            voluntary += counts[0] >= before[0] ? counts[0] - before[0] : counts[0];
            involuntary += counts[1] >= before[1] ? counts[1] - before[1] : counts[1];
            now.put(thread, counts);
        }
        switchesByThread = now;
    }

    private String readIfAllowed(String file) {
        try {
            return ProcText.read(directory.resolve(file));
        } catch (IOException e) {
            return "";
        }
    }
}
